import { exactText } from '../../../../src/integers.ts'
import { isNode } from '../../../../src/contract/model/node.ts'
import { modelOf } from '../../../../src/contract/model/model.ts'
import { changeWording } from '../wording.ts'
import { tell, type Here } from './comparison.ts'
import { addressOf, type PairedOperation, type Side, type Sides } from './sides.ts'
import { deref, spotAt, type Spot } from './spot.ts'
import { compareTexts } from './texts.ts'

/** The scopes that a requirement needs of each scheme, by the scheme's name in the older contract. */
type Requirement = ReadonlyMap<string, readonly string[]>

/** Compares what an operation asks of its callers. */
export function compareSecurity(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const renamed = renamedSchemes(base, head)
  const [security, securityNow] = [securityOf(base, before), securityOf(head, after)]
  const [old, now] = [requirementsOf(security, new Map()), requirementsOf(securityNow, renamed)]
  const say = (what: string, level: 'breaking' | 'compatible', requirement: Requirement): void => {
    const rule = level === 'breaking' ? 'security-requirement-changed' : 'security-requirement-added'
    tell(
      here,
      { rule, level, what },
      { parent: securityNow, before: security, after: securityNow, aspect: nameOf(requirement) },
    )
  }
  const lost = old.filter((one) => !now.some((other) => asksAtMost(other, one)))
  const gained = now.filter((one) => !old.some((other) => asksAtMost(other, one) && asksAtMost(one, other)))
  for (const one of lost) say(lossWording(one, now), 'breaking', one)
  for (const one of lost.length > 0 ? [] : gained) {
    say(gainWording(one, old), 'compatible', one)
  }
  for (const name of new Set(old.flatMap((one) => [...one.keys()]))) {
    const nameNow = [...renamed].find(([, older]) => older === name)?.[0] ?? name
    if (!now.some((one) => one.has(name))) continue
    const scopes = old.flatMap((one) => one.get(name) ?? [])
    compareScheme(here, spotAt(base, [...schemes, name]), spotAt(head, [...schemes, nameNow]), scopes)
  }
}

const schemes = ['components', 'securitySchemes']

function securityOf(side: Side, { operation, at }: PairedOperation): Spot {
  return spotAt(side, operation.security === undefined ? ['security'] : [...at, 'security'])
}

/** No requirement at all is one that asks nothing. */
function requirementsOf(security: Spot, renamed: ReadonlyMap<string, string>): Requirement[] {
  const requirements = security.items.map(
    ({ entries }) => new Map(entries.map(([name, scopes]) => [renamed.get(name) ?? name, scopes.list.map(String)])),
  )
  return requirements.length > 0 ? requirements : [new Map()]
}

/** Whether every caller that satisfies `other` satisfies `one`. */
function asksAtMost(one: Requirement, other: Requirement): boolean {
  return [...one].every(
    ([name, scopes]) => scopes.every((scope) => other.get(name)?.includes(scope)) && other.has(name),
  )
}

function nameOf(requirement: Requirement): string {
  return [...requirement.keys()].join(' + ')
}

function gainWording(gained: Requirement, old: readonly Requirement[]): string {
  if (gained.size === 0) return 'authentication is no longer required'
  const isKnown = old.some((one) => nameOf(one) === nameOf(gained))
  return `security requirement ${nameOf(gained)} ${isKnown ? 'needs fewer scopes' : 'is accepted'}`
}

function lossWording(lost: Requirement, now: readonly Requirement[]): string {
  if (lost.size === 0) return 'authentication became required'
  const stricter = now.find((one) => [...lost.keys()].every((name) => one.has(name)))
  if (!stricter) return `security requirement ${nameOf(lost)} is no longer accepted`
  const schemes = [...stricter.keys()].filter((name) => !lost.has(name))
  if (schemes.length > 0) return `security requirement ${nameOf(lost)} now requires ${schemes.join(', ')}`
  const scopes = [...stricter].flatMap(([name, needed]) => needed.filter((scope) => !lost.get(name)?.includes(scope)))
  return `security scheme ${nameOf(lost)} requires new scopes: ${scopes.join(', ')}`
}

/** The schemes of the newer contract that have another name than an equal one of the older, with that name. */
function renamedSchemes(base: Side, head: Side): Map<string, string> {
  const [old, now] = [schemesOf(base), schemesOf(head)]
  const gone = [...old].filter(([name]) => !now.has(name))
  const came = [...now].filter(([name]) => !old.has(name))
  return new Map(
    came.flatMap(([name, text]) => {
      const same = gone.find(([, other]) => other === text)
      return same ? [[name, same[0]]] : []
    }),
  )
}

/** What matters of each security scheme, as text. */
function schemesOf(side: Side): Map<string, string> {
  return new Map(
    spotAt(side, schemes).entries.map(([name, scheme]) => {
      const { description: _, bearerFormat: __, ...rest } = scheme.part?.node ?? {}
      return [name, exactText(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))]
    }),
  )
}

/** `demanded` are the scopes that the operation asked for. */
function compareScheme(here: Here, before: Spot, after: Spot, demanded: readonly string[]): void {
  const [old, now] = deref(here.all, before, after)
  if (!isNode(old.value) || !isNode(now.value)) return
  compareTexts(here, [old], [now])
  // names of headers and HTTP schemes are the same in any letter case
  for (const property of ['type', 'scheme', 'in', 'name', 'openIdConnectUrl', 'bearerFormat']) {
    const [from, to] = [old.node[property], now.node[property]]
    if (property === 'openIdConnectUrl' && areSameAddresses(here.all, from, to)) continue
    const isCaseless = property === 'scheme' || (property === 'name' && old.node.in === 'header')
    if (from === to || (isCaseless && String(from).toLowerCase() === String(to).toLowerCase())) continue
    const level = property === 'bearerFormat' ? 'compatible' : 'breaking'
    const what = changeWording(property, from, to)
    tell(here, { rule: 'security-scheme-changed', level, what }, { parent: now, before: old, after: now, property })
  }
  const [flows, flowsNow] = [old.field('flows'), now.field('flows')]
  for (const name of new Set([...flows.keys, ...flowsNow.keys])) {
    const [from, to] = [flows.field(name), flowsNow.field(name)]
    if (!to.isThere) {
      tell(here, { rule: 'oauth-flow-removed', level: 'breaking', what: 'removed' }, { parent: flowsNow, before: from })
    } else if (!from.isThere) {
      tell(here, { rule: 'oauth-flow-added', level: 'compatible', what: 'added' }, { parent: now, after: to })
    } else compareFlow(here, from, to, demanded)
  }
}

function areSameAddresses({ base, head }: Sides, before: unknown, after: unknown): boolean {
  const [from, to] = [addressesIn(base, before), addressesIn(head, after)]
  return from.length === 0 ? to.length === 0 : from.every((address) => to.includes(address))
}

/** The addresses that a URL means: one that is relative, one at each server (OpenAPI 3.0.3, relative references). */
function addressesIn({ document }: Side, url: unknown): string[] {
  if (typeof url !== 'string') return []
  return [...new Set(modelOf(document).servers.map((server) => resolved(url, addressOf(server))))]
}

function resolved(url: string, server: string): string {
  const base = URL.canParse(`${server}/`) ? `${server}/` : undefined
  if (!URL.canParse(url, base)) return url
  return new URL(url, base).href.replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const sign = String.fromCharCode(parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(sign) ? sign : code.toUpperCase()
  })
}

function compareFlow(here: Here, before: Spot, after: Spot, demanded: readonly string[]): void {
  const [old, now] = [before.node, after.node]
  for (const property of ['authorizationUrl', 'tokenUrl', 'refreshUrl']) {
    if (areSameAddresses(here.all, old[property], now[property])) continue
    const level = old[property] === undefined ? 'compatible' : 'breaking'
    const what = changeWording(property, old[property], now[property])
    tell(here, { rule: 'oauth-flow-changed', level, what }, { parent: after, before, after, property })
  }
  const [scopes, scopesNow] = [before.field('scopes').keys, after.field('scopes').keys]
  for (const scope of new Set([...scopes, ...scopesNow])) {
    if (scopes.includes(scope) && scopesNow.includes(scope)) continue
    const isLost = scopes.includes(scope)
    const level = isLost ? (demanded.includes(scope) ? 'breaking' : 'risky') : 'compatible'
    const what = isLost ? `scope ${scope} was removed` : `scope ${scope} was added`
    tell(
      here,
      { rule: 'oauth-scopes-changed', level, what },
      { parent: after, before, after, property: 'scopes', aspect: scope },
    )
  }
}
