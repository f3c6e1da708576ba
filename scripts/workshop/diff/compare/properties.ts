import { exactText } from '../../../../src/integers.ts'
import { isNode } from '../../../../src/contract/model/node.ts'
import type { Level } from '../change.ts'
import type { DiffRule } from '../rules.ts'
import { removal } from '../life-cycle.ts'
import { changeWording } from '../wording.ts'
import { isBreaking, levelOf, narrower, tell, trial, wider, type CompareSchemas, type Here } from './comparison.ts'
import { contentOf, renamed, renamedKeys } from './renames.ts'
import { partsOf } from './parts.ts'
import { holderOf, valuesIn, type Part, type Spot } from './spot.ts'

/** Compares the properties of two schemas, by their names. */
export function compareProperties(
  here: Here,
  old: readonly Part[],
  now: readonly Part[],
  compare: CompareSchemas,
): void {
  const names = new Set([...old, ...now].flatMap((part) => [...part.field('properties').keys, ...requiredIn(part)]))
  const contentIn = (spots: readonly Spot[]): string => contentOf(...spots.map(({ value }) => value))
  const renames = renamedKeys(declared(old, names), declared(now, names), { gone: contentIn, fresh: contentIn })
  for (const [from, to] of renames) {
    if (!compareRenamed(here, [old, now], [from, to], compare)) continue
    names.delete(from)
    names.delete(to)
  }
  for (const name of names) compareProperty(here, old, now, name, compare)
}

/** The values of the properties that a schema has, by their names. */
function declared(parts: readonly Part[], names: ReadonlySet<string>): Map<string, Spot[]> {
  const spots = [...names].map((name) => [name, valuesIn(parts, 'properties', name)] as const)
  return new Map(spots.filter(([, values]) => values.length > 0).map(([name, values]) => [name, values]))
}

/**
 * Reports that a property has another name. Returns whether it did: a removal after the sunset, and a property that this
 * direction does not have, are reported by themselves.
 */
function compareRenamed(
  here: Here,
  [old, now]: readonly [readonly Part[], readonly Part[]],
  [from, to]: readonly [string, string],
  compare: CompareSchemas,
): boolean {
  const [[before], [after]] = [valuesIn(old, 'properties', from), valuesIn(now, 'properties', to)]
  // another schema behind a reference has other properties, and not other names for them
  if (!before || !after || before.reference !== undefined || after.reference !== undefined) return false
  const [parts, partsNow] = partsOf(here.all, [before], [after])
  const mark = here.direction === 'request' ? 'readOnly' : 'writeOnly'
  if ([...parts, ...partsNow].some(({ node }) => node[mark] === true)) return false
  const isRequired = here.direction === 'request' && now.some((part) => requiredIn(part).includes(to))
  const [level] = removed(here, now, { before, parts }, compare)
  if (level === 'compatible') return false
  const [levelNow] = added(here, old, { after, isRequired }, compare)
  const judgement = renamed(to, { removed: level, added: levelNow, isRequired })
  tell(here, { rule: 'property-renamed', ...judgement }, { parent: after, before, aspect: from })
  return true
}

function compareProperty(
  here: Here,
  old: readonly Part[],
  now: readonly Part[],
  name: string,
  compare: CompareSchemas,
): void {
  const [spots, spotsNow] = [valuesIn(old, 'properties', name), valuesIn(now, 'properties', name)]
  const [required, requiredNow] = [old, now].map((parts) => parts.some((part) => requiredIn(part).includes(name)))
  const [before, after] = [spots[0], spotsNow[0]]
  const holder = holderOf(now, 'properties')
  if (!holder) return
  const parent = holder.field('properties')
  const isRequest = here.direction === 'request'
  const mark = isRequest ? 'readOnly' : 'writeOnly'
  const [parts, partsNow] = partsOf(here.all, spots, spotsNow)
  const [isHidden, isHiddenNow] = [parts, partsNow].map((list) => list.some(({ node }) => node[mark] === true))
  const say = (
    rule: DiffRule,
    level: Level,
    what: string,
    at: { before?: Spot | undefined; after?: Spot | undefined; property?: string },
  ): void => {
    tell(here, { rule, level, what }, { parent, aspect: name, ...at })
  }

  if (before && after && !isHidden && isHiddenNow) {
    const [level, what] = isRequest
      ? (['risky', 'became readOnly, so it has no effect in requests'] as const)
      : (['breaking', 'became writeOnly, so responses no longer contain it'] as const)
    say('property-removed', level, what, { before, after, property: mark })
  } else if (before && !isHidden && !after) {
    say('property-removed', ...removed(here, now, { before, parts }, compare), { before })
  } else if (after && !isHiddenNow && (!before || isHidden)) {
    say('property-added', ...added(here, old, { after, isRequired: requiredNow === true }, compare), {
      after,
      ...(before && { before }),
    })
  } else if (!isHidden && !isHiddenNow) {
    if (before && after) compare(here, spots, spotsNow)
    if (before && after && !(isRequest && required)) compareDefaults(here, spots, spotsNow)
    if (required !== requiredNow) {
      const effect = requiredNow === true ? narrower : wider
      const what = requiredNow === true ? `became required: ${name}` : `no longer required: ${name}`
      const rule = requiredNow === true ? 'required-properties-added' : 'required-properties-removed'
      const holders = [holderOf(old, 'required'), holderOf(now, 'required')]
      say(rule, levelOf(here.direction, effect), what, { before: holders[0], after: holders[1], property: 'required' })
    }
  }
}

function removed(
  here: Here,
  now: readonly Part[],
  { before, parts }: { before: Spot; parts: readonly Part[] },
  compare: CompareSchemas,
): [Level, string] {
  const deprecated = parts.find(({ node }) => node.deprecated === true) ?? parts[0]
  const { level, what } = removal(deprecated?.node ?? {}, here.all.today)
  if (level === 'compatible' || here.direction === 'response' || isClosed(now)) return [level, what]
  const others = othersIn(now).filter(({ value }) => typeof value === 'object')
  const breaks = others.length > 0 && trial(here, compare, [before], others).some(isBreaking)
  return breaks ? [level, what] : ['risky', 'removed, so it has no effect']
}

function added(
  here: Here,
  old: readonly Part[],
  { after, isRequired }: { after: Spot; isRequired: boolean },
  compare: CompareSchemas,
): [Level, string] {
  if (isRequired && here.direction === 'request') return ['breaking', 'added, and required']
  const others = othersIn(old).filter(({ value }) => typeof value === 'object')
  const breaks = others.length > 0 && trial(here, compare, others, [after]).some(isBreaking)
  return breaks ? ['breaking', 'added, with values that additionalProperties did not have'] : ['compatible', 'added']
}

/** Compares the defaults of what a client may leave out. */
export function compareDefaults(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [old, now] = partsOf(here.all, before, after)
  const [from, to] = [holderOf(old, 'default'), holderOf(now, 'default')]
  if (!to || exactText([from?.node.default]) === exactText([to.node.default])) return
  const what = changeWording('default', from?.node.default, to.node.default)
  const spots = { parent: to, before: from, after: to, property: 'default' }
  tell(here, { rule: 'default-changed', level: 'risky', what }, spots)
}

/** Compares what two schemas say of the properties that they do not name. */
export function compareAdditional(
  here: Here,
  old: readonly Part[],
  now: readonly Part[],
  compare: CompareSchemas,
): void {
  const [before, after] = [old, now].map((parts) =>
    othersIn(parts).filter(({ value }) => value !== true && !isAny(value)),
  )
  const [kind, kindNow] = [kindOf(old, before), kindOf(now, after)]
  const holder = holderOf(now, 'additionalProperties')
  if (!holder) return
  if (kind === 'typed' && kindNow === 'typed') {
    compare(here, before ?? [], after ?? [])
  } else if (kind !== kindNow) {
    const order = ['closed', 'typed', 'open']
    const isWider = order.indexOf(kindNow) > order.indexOf(kind)
    // clients ignore properties that they do not know, but not other values of those that they read
    const level =
      here.direction === 'response' && kind === 'closed' ? 'risky' : levelOf(here.direction, isWider ? wider : narrower)
    const nameOf = (spots: readonly Spot[] | undefined): unknown =>
      spots?.[0] && (spots[0].value === false ? 'false' : 'a schema')
    const what = changeWording('additionalProperties', nameOf(before), nameOf(after))
    const spots = { parent: holder, before: old[0], after: holder, property: 'additionalProperties' }
    tell(here, { rule: 'schema-constraint-changed', level, what }, spots)
  }
}

function kindOf(parts: readonly Part[], limits: readonly Spot[] | undefined): 'closed' | 'typed' | 'open' {
  return isClosed(parts) ? 'closed' : limits !== undefined && limits.length > 0 ? 'typed' : 'open'
}

function isClosed(parts: readonly Part[]): boolean {
  return othersIn(parts).some(({ value }) => value === false)
}

/** What schemas say of the properties that they do not name, by either keyword. */
function othersIn(parts: readonly Part[]): Spot[] {
  return [...valuesIn(parts, 'additionalProperties'), ...valuesIn(parts, 'unevaluatedProperties')]
}

/** Whether a schema accepts everything. */
export function isAny(value: unknown): boolean {
  return isNode(value) && Object.keys(value).length === 0
}

function requiredIn(part: Part): string[] {
  return part.field('required').list.map(String)
}
