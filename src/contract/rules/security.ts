import { isToken } from '../model/formats.ts'
import type { Finding } from '../model/finding.ts'
import type { ContractModel } from '../model/model.ts'
import { entriesOf, listOf } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import type { SecurityScheme } from '../model/security.ts'

/** What the service cannot do of an operation's `security`, and how it takes what it knows only in part. */
export function securityFindings(model: ContractModel, { node, at }: Operation): Finding[] {
  const isOwn = node.security !== undefined
  const where = isOwn ? [...at, 'security'] : ['security']
  return listOf(isOwn ? node.security : model.root.security).flatMap((requirement, index) =>
    entriesOf(requirement).flatMap(([name]) => {
      const scheme = model.securityScheme(name)
      if (scheme) return schemeFindings(scheme, model.isJsonSchema)
      // that it is not as OpenAPI says is told of the scheme itself
      if (Object.hasOwn(model.components('securitySchemes'), name)) return []
      const message = `The security scheme ${name} is not declared.`
      return [{ severity: 'error' as const, kind: 'security', at: [...where, String(index), name], message }]
    }),
  )
}

function schemeFindings(scheme: SecurityScheme, isJsonSchema: boolean): Finding[] {
  const { name, type, node, place } = scheme
  if (!isKnown(scheme, isJsonSchema)) return []
  const declared = ['components', 'securitySchemes', name]
  const finding = (severity: Finding['severity'], at: readonly string[], what: string): Finding[] => [
    { severity, kind: 'security', at, message: `The security scheme ${name} ${what}` },
  ]
  if (type === 'apiKey' && !isToken(String(node.name)) && node.in !== 'query')
    return finding('error', [...declared, 'name'], `has a name that no ${String(node.in)} can have.`)
  if (!place) {
    const what = [type, node.scheme ?? node.in].filter((one) => typeof one === 'string').join(' ')
    return finding('error', declared, `is ${what}, which cannot carry an API key.`)
  }
  if (type !== 'oauth2' && type !== 'openIdConnect') return []
  return finding('note', declared, 'is taken as an API key sent as a bearer token; its scopes are not checked.')
}

/** Whether a scheme is one that OpenAPI describes. */
function isKnown({ type, node }: SecurityScheme, isJsonSchema: boolean): boolean {
  if (type === 'apiKey') return ['header', 'query', 'cookie'].includes(String(node.in))
  return ['http', 'oauth2', 'openIdConnect'].includes(type) || (type === 'mutualTLS' && isJsonSchema)
}
