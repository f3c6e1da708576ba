import { isToken } from '../model/formats.ts'
import type { ContractModel } from '../model/model.ts'
import { nearest } from '../model/nearest.ts'
import { entriesOf, listOf, type Path } from '../model/node.ts'
import { isReference } from '../model/reference.ts'
import type { SecurityScheme } from '../model/security.ts'
import { type Report, rule } from './rule.ts'

/** Security requirements name a declared scheme, and scopes that it has. */
export const requirements = rule({
  id: 'security-schemes',
  on: 'document',
  stage: 'rest',
  level: 'refused',
  check: (model, report) => {
    const declared = Object.keys(model.components('securitySchemes'))
    eachRequirement(model, (name, scopes, at) => {
      const scheme = model.securityScheme(name)
      if (scheme) checkScopes(scheme, scopes, at, report)
      if (declared.includes(name)) return
      const near = nearest(name, declared)
      const fix = near === undefined ? 'Add it to components.securitySchemes.' : `Did you mean ${near}?`
      report(at, `There is no security scheme ${name}.`, { fix })
    })
  },
})

function eachRequirement(model: ContractModel, enter: (name: string, scopes: unknown, at: Path) => void): void {
  const owners = [{ node: model.root, at: [] as Path }, ...model.operations]
  for (const { node, at } of owners) {
    for (const [index, requirement] of listOf(node.security).entries()) {
      if (isReference(requirement)) continue
      for (const [name, scopes] of entriesOf(requirement)) enter(name, scopes, [...at, 'security', String(index), name])
    }
  }
}

function checkScopes({ name, scopes: known }: SecurityScheme, scopes: unknown, at: Path, report: Report): void {
  if (known === undefined) return
  for (const [index, scope] of listOf(scopes).map(String).entries()) {
    if (known.includes(scope)) continue
    const near = nearest(scope, known)
    const fix = near === undefined ? 'Add it to the scopes of a flow.' : `Did you mean ${near}?`
    report([...at, String(index)], `The security scheme ${name} has no scope ${scope}.`, { fix, level: 'wrong' })
  }
}

/** Security schemes that operations ask for carry an API key. */
export const keySchemes = rule({
  id: 'engine',
  on: 'operation',
  stage: 'rest',
  level: 'refused',
  check: ({ node }, report, { model }) => {
    for (const requirement of listOf(node.security ?? model.root.security)) {
      for (const [name] of entriesOf(requirement)) {
        const scheme = model.securityScheme(name)
        if (scheme) checkScheme(scheme, report)
      }
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
