import type { Finding } from './finding.ts'
import { entriesOf, listOf, nodeOf, targetOf, type Node, type Path } from './tree.ts'

/** Where a request carries the API key: in `Authorization`, with the scheme Bearer or Basic, or under a name. */
export type KeyPlace = { in: 'bearer' | 'basic' } | { in: 'header' | 'query' | 'cookie'; name: string }

/**
 * The alternatives of an operation's `security`: of one of them, each place must have the key. An empty alternative
 * needs no key. Without `security` anyone may call.
 */
export function keyAlternatives(root: unknown, operation: Node): KeyPlace[][] {
  const requirements = listOf(operation.security ?? nodeOf(root).security)
  if (requirements.length === 0) return [[]]
  return requirements.map((requirement) =>
    entriesOf(requirement).map(([name]) => placeOf(schemeOf(root, name)) ?? { in: 'bearer' }),
  )
}

/** What the service cannot do of an operation's `security`, and how it takes what it knows only in part. */
export function securityFindings(root: unknown, operation: Node, at: Path): Finding[] {
  const own = operation.security !== undefined
  const where = own ? [...at, 'security'] : ['security']
  return listOf(own ? operation.security : nodeOf(root).security).flatMap((requirement, index) =>
    entriesOf(requirement).flatMap(([name]): Finding[] => {
      const scheme = schemeOf(root, name)
      const spot = [...where, String(index), name]
      const message = `The security scheme ${name}`
      if (!scheme) return [{ severity: 'error', kind: 'security', at: spot, message: `${message} is not declared.` }]
      const declared = ['components', 'securitySchemes', name]
      if (!placeOf(scheme)) {
        const what = [scheme.type, scheme.scheme ?? scheme.in].filter((one) => typeof one === 'string').join(' ')
        return [
          {
            severity: 'error',
            kind: 'security',
            at: declared,
            message: `${message} is ${what}, which cannot carry an API key.`,
          },
        ]
      }
      if (scheme.type !== 'oauth2' && scheme.type !== 'openIdConnect') return []
      return [
        {
          severity: 'note',
          kind: 'security',
          at: declared,
          message: `${message} is taken as an API key sent as a bearer token; its scopes are not checked.`,
        },
      ]
    }),
  )
}

function schemeOf(root: unknown, name: string): Node | undefined {
  const schemes = nodeOf(nodeOf(nodeOf(root).components).securitySchemes)
  return Object.hasOwn(schemes, name) ? targetOf(root, schemes[name])?.node : undefined
}

function placeOf(scheme: Node | undefined): KeyPlace | undefined {
  switch (scheme?.type) {
    case 'http': {
      const name = String(scheme.scheme).toLowerCase()
      return name === 'bearer' || name === 'basic' ? { in: name } : undefined
    }
    case 'apiKey': {
      const { in: place, name } = scheme
      if (place !== 'header' && place !== 'query' && place !== 'cookie') return undefined
      return { in: place, name: String(name) }
    }
    case 'oauth2':
    case 'openIdConnect':
      return { in: 'bearer' }
    default:
      return undefined
  }
}
