import type { Finding } from './finding.ts'
import { isToken } from './formats.ts'
import { isOfJsonSchema } from './version.ts'
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

/** How a key is sent in a place, as a part of a sentence. */
export function wayOfKey(place: KeyPlace): string {
  switch (place.in) {
    case 'bearer':
      return '"Authorization: Bearer <API_KEY>"'
    case 'basic':
      return 'the password of "Authorization: Basic"'
    case 'header':
      return `"${place.name}: <API_KEY>"`
    default:
      return `${place.name} in the ${place.in === 'query' ? 'query' : 'cookies'}`
  }
}

/** Which operations need a key, and the ways to send it, by the alternatives of each operation. */
export function keyUse(all: readonly (readonly (readonly KeyPlace[])[])[]): {
  neededBy: 'every' | 'some' | 'no'
  ways: string[]
} {
  const needing = all.filter((alternatives) => alternatives.every((places) => places.length > 0))
  const neededBy = needing.length === 0 ? 'no' : needing.length === all.length ? 'every' : 'some'
  return { neededBy, ways: [...new Set(all.flat(2).map(wayOfKey))] }
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
      // that it is not as OpenAPI says is told of the scheme itself
      if (scheme ? !isKnown(root, scheme) : Object.hasOwn(schemesOf(root), name)) return []
      if (!scheme) return [{ severity: 'error', kind: 'security', at: spot, message: `${message} is not declared.` }]
      const declared = ['components', 'securitySchemes', name]
      if (scheme.type === 'apiKey' && !isToken(String(scheme.name)) && scheme.in !== 'query') {
        const fault = `${message} has a name that no ${String(scheme.in)} can have.`
        return [{ severity: 'error', kind: 'security', at: [...declared, 'name'], message: fault }]
      }
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

/** Whether a scheme is one that OpenAPI describes. */
function isKnown(root: unknown, { type, in: place }: Node): boolean {
  if (type === 'apiKey') return ['header', 'query', 'cookie'].includes(String(place))
  return ['http', 'oauth2', 'openIdConnect'].includes(String(type)) || (type === 'mutualTLS' && isOfJsonSchema(root))
}

function schemesOf(root: unknown): Node {
  return nodeOf(nodeOf(nodeOf(root).components).securitySchemes)
}

/** A declared security scheme, with references followed. */
export function schemeOf(root: unknown, name: string): Node | undefined {
  const schemes = schemesOf(root)
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
