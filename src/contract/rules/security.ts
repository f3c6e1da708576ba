import { isToken } from '../model/formats.ts'
import { fixOfName } from '../model/nearest.ts'
import { requirementsIn, type Requirement, type SecurityScheme } from '../model/security.ts'
import { type Report, rule } from './rule.ts'

/** Security requirements name a declared scheme, and scopes that it has. */
export const requirements = rule({
  id: 'security-schemes',
  on: 'document',
  level: 'refused',
  check: (model, report) => {
    const declared = Object.keys(model.components('securitySchemes'))
    const owners = [{ node: model.root, at: [] }, ...model.operations]
    for (const requirement of owners.flatMap(({ node, at }) => requirementsIn(node, at).flat())) {
      const { name, at } = requirement
      const scheme = model.securityScheme(name)
      if (scheme) checkScopes(scheme, requirement, report)
      // a requirement that is a reference is judged by the rule of references
      if (declared.includes(name) || name === '$ref') continue
      const fix = fixOfName(name, declared, 'Add it to components.securitySchemes.')
      report(at, `There is no security scheme ${name}.`, { fix })
    }
  },
})

function checkScopes({ name, scopes: known }: SecurityScheme, { scopes, at }: Requirement, report: Report): void {
  if (known === undefined) return
  for (const [index, scope] of scopes.entries()) {
    if (known.includes(scope)) continue
    const fix = fixOfName(scope, known, 'Add it to the scopes of a flow.')
    report([...at, String(index)], `The security scheme ${name} has no scope ${scope}.`, { fix, level: 'wrong' })
  }
}

/** Security schemes that operations ask for carry an API key. */
export const keySchemes = rule({
  id: 'engine',
  on: 'operation',
  level: 'refused',
  check: ({ requirements: all }, report, { model }) => {
    for (const { name } of all.flat()) {
      const scheme = model.securityScheme(name)
      if (scheme) checkScheme(scheme, report)
    }
  },
})

function checkScheme({ name, type, node, place, at }: SecurityScheme, report: Report): void {
  if (!isKnown(type, node.in)) return
  const message = `The security scheme ${name}`
  if (type === 'apiKey' && !isToken(String(node.name)) && node.in !== 'query') {
    report([...at, 'name'], `${message} has a name that no ${String(node.in)} can have.`)
  } else if (!place) {
    const what = [type, node.scheme ?? node.in].filter((one) => typeof one === 'string').join(' ')
    report(at, `${message} is ${what}, which cannot carry an API key.`, { level: 'unserved' })
  } else if (type === 'oauth2' || type === 'openIdConnect') {
    const how = 'is taken as an API key sent as a bearer token; its scopes are not checked.'
    report(at, `${message} ${how}`, { level: 'noted' })
  }
}

/** Whether a scheme is one that OpenAPI describes. */
function isKnown(type: string, place: unknown): boolean {
  if (type === 'apiKey') return ['header', 'query', 'cookie'].includes(String(place))
  return ['http', 'oauth2', 'openIdConnect', 'mutualTLS'].includes(type)
}
