import { exactText } from '../../../../src/contract/integers.ts'
import { pointerOf, type Node } from '../../../../src/contract/model/node.ts'
import type { Level } from '../change.ts'
import type { DiffRule } from '../rules.ts'
import { changeWording } from '../wording.ts'
import { compareChoices, impliedTypes } from './choices.ts'
import { compareConditions } from './conditions.ts'
import { levelOf, narrower, noDifferences, noEffect, tell, wider, type Effect, type Here } from './comparison.ts'
import { commonTypes, keywordChanges, typeEffect, typesOf, type KeywordChange } from './keywords.ts'
import { nullsOf, type Nulls } from './nulls.ts'
import { compareAdditional, compareProperties, isAny } from './properties.ts'
import { enumOf, partsOf } from './parts.ts'
import { holderOf, orAny, Spot, type Part } from './spot.ts'
import { compareLife, compareTexts, compareWhole } from './texts.ts'

/** Compares two schemas, each of which may consist of several that all must hold. */
export function compareSchemas(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [old, now] = partsOf(here.all, before, after)
  const nulls = here.ignoresNull === true ? undefined : ([nullsOf(here.all, before), nullsOf(here.all, after)] as const)
  const pair = { old, now, site: after[0], nulls }
  const outer = { ...here, ignoresNull: false }
  if ([...old, ...now].every(({ origin }) => origin === '')) {
    compareParts(outer, pair)
    return
  }
  // also ends the comparison of schemas that contain themselves
  const key = exactText([
    [here.direction, here.isText, here.isXml === true, nulls],
    ...[old, now].map((parts) => parts.map(({ at, reference }) => [pointerOf(at), reference])),
  ])
  let into = here.all.known.get(key)
  if (!into) {
    into = noDifferences()
    here.all.known.set(key, into)
    compareParts({ ...outer, into }, pair)
  }
  here.into.uses.add(into)
}

/** Two schemas as their parts, and where the newer one is used. */
interface Pair {
  old: readonly Part[]
  now: readonly Part[]
  site: Spot | undefined
  /** Whether null is valid in each; undefined where it is compared elsewhere. */
  nulls: readonly [Nulls, Nulls] | undefined
}

function compareParts(here: Here, pair: Pair): void {
  const { old, now } = pair
  const [first, firstNow] = [old[0], now[0]]
  if (!first || !firstNow) return
  const spots = { parent: firstNow, before: first, after: firstNow }
  compareTexts(here, old, now)
  compareLife(here, spots, merged(old), merged(now))
  compareWhole(here, 'xml', first, firstNow, here.isXml === true ? 'breaking' : 'compatible')
  const [isClosed, isClosedNow] = [old, now].map((parts) => parts.some(({ node }) => isAny(node.not)))
  if (isClosed || isClosedNow) {
    const [effect, what] = isClosed ? [wider, 'is allowed now'] : [narrower, 'is not allowed any more']
    if (isClosed !== isClosedNow)
      tellKeyword(here, pair, { keyword: 'not', rule: 'schema-constraint-changed', effect, what })
    return
  }
  const nullEffect = nullEffectOf(here, pair)
  const { isDone, isNullTold } = compareChoices(
    here,
    { old, now, isNullChanged: nullEffect !== noEffect },
    compareSchemas,
  )
  if (!compareTypes(here, pair, { nullEffect: isNullTold ? noEffect : nullEffect, isDone }) || isDone) return
  compareEnums(here, old, now)
  for (const change of keywordChanges(old, now)) tellKeyword(here, pair, change)
  compareProperties(here, old, now, compareSchemas)
  compareAdditional(here, old, now, compareSchemas)
  for (const keys of schemaKeys(old, now)) {
    const [inner, innerNow] = [innerOf(old, keys), innerOf(now, keys)]
    compareSchemas(here, orAny(inner, first.field(...keys)), orAny(innerNow, firstNow.field(...keys)))
  }
  compareConditions(here, pair, compareSchemas, (change) => {
    tellKeyword(here, pair, change)
  })
}

/** What a change of null does. */
function nullEffectOf(here: Here, pair: Pair): Effect {
  const [old, fresh] = pair.nulls ?? []
  if (!old || !fresh || old.isValid === fresh.isValid) return noEffect
  // no value that is sent as text is null unless a schema says so
  if (here.isText && impliedTypes(old.isValid ? pair.old : pair.now) === undefined) return noEffect
  if (old.isMeant !== fresh.isMeant) return fresh.isValid ? wider : narrower
  tellIgnoredNullable(here, pair.now[0])
  return noEffect
}

/** Tells once of all schemas that have `nullable: true` in one contract, where it means nothing, and null in the other. */
function tellIgnoredNullable(here: Here, holder: Part | undefined): void {
  if (!holder) return
  const whole = new Spot(holder, { shown: [], reference: holder.reference })
  const what =
    'null is written as a type in one version and by nullable, which means nothing in OpenAPI 3.1, in the other; it is taken as no change'
  const spots = { parent: whole, before: whole, after: whole, aspect: 'nullable' }
  tell(here, { rule: 'nullable-ignored', level: 'compatible', what }, spots)
}

/** Compares types and null. Returns whether there is more to compare: nothing else matters between an object and a string. */
function compareTypes(
  here: Here,
  pair: Pair,
  { nullEffect, isDone }: { nullEffect: Effect; isDone: boolean },
): boolean {
  const { old, now, nulls } = pair
  const [types, typesNow] = [typesOf(old), typesOf(now)]
  const [implied, impliedNow] = [impliedTypes(old), impliedTypes(now)]
  // a type that alternatives or an enum have said before is not new
  const typed = isDone
    ? noEffect
    : withinBoth(typeEffect(types, typesNow, here.isText), typeEffect(implied, impliedNow, here.isText))
  const isOther = typed.narrows === true || typed.widens === true
  const effect = {
    narrows: typed.narrows === true || nullEffect.narrows === true,
    widens: typed.widens === true || nullEffect.widens === true,
  }
  if (!effect.narrows && !effect.widens) return true
  const breaks = levelOf(here.direction, effect) === 'breaking'
  const how =
    !breaks || (effect.narrows && effect.widens) ? 'changed' : here.direction === 'request' ? 'narrowed' : 'widened'
  const isNamed = !isDone && types !== undefined && typesNow !== undefined
  const names = [typeNames(types, nulls?.[0]), typeNames(typesNow, nulls?.[1])]
  const what =
    isOther || isNamed
      ? `type ${how} from ${names.join(' to ')}`
      : `null was ${nullEffect.widens === true ? 'added' : 'removed'}`
  tellKeyword(here, pair, { keyword: isOther ? 'type' : 'nullable', rule: 'schema-type-changed', effect, what })
  const hasNone = types !== undefined && typesNow !== undefined && commonTypes(types, typesNow).size === 0
  return !(isOther && hasNone && breaks)
}

/** The places in two schemas of the schemas that each hold for some values in a value. */
function schemaKeys(old: readonly Part[], now: readonly Part[]): string[][] {
  const parts = [...old, ...now]
  const length = Math.max(0, ...parts.map((part) => part.field('prefixItems').list.length))
  const patterns = new Set(parts.flatMap((part) => part.field('patternProperties').keys))
  return [
    ...['items', 'propertyNames']
      .filter((keyword) => parts.some((part) => part.field(keyword).isThere))
      .map((one) => [one]),
    ...Array.from({ length }, (_, index) => ['prefixItems', String(index)]),
    ...Array.from(patterns, (pattern) => ['patternProperties', pattern]),
  ]
}

/** The schemas at a place. An item without one of its own is one of `items`. */
function innerOf(parts: readonly Part[], keys: readonly string[]): Spot[] {
  return parts.flatMap((part) => {
    const own = part.field(...keys)
    const inner = own.value === undefined && keys[0] === 'prefixItems' ? part.field('items') : own
    return inner.isThere ? [inner] : []
  })
}

function merged(parts: readonly Part[]): Node {
  return Object.assign({}, ...parts.map(({ node }) => node).reverse()) as Node
}

function tellKeyword(here: Here, { old, now, site }: Pair, { rule, what, keyword, effect, mild }: KeywordChange): void {
  const [before, holder] = [holderOf(old, keyword), holderOf(now, keyword)]
  // what stood beside a reference is missing there, and not in the component
  const isMissing = holder?.node[keyword] === undefined && before?.origin === ''
  const after = isMissing && holder?.origin !== '' ? site : holder
  if (!after) return
  const level = levelOf(here.direction, effect)
  const sentence = level === 'compatible' ? (mild ?? what) : what
  tell(here, { rule, level, what: sentence }, { parent: after, before, after, property: keyword })
}

function typeNames(types: ReadonlySet<string> | undefined, nulls: Nulls | undefined): string {
  if (types === undefined) return 'any'
  const names = [...types, ...(nulls?.isValid === true ? ['null'] : [])]
  return names.length === 0 ? 'none that all its parts have' : names.join(' | ')
}

function withinBoth(one: Effect, other: Effect): Effect {
  return {
    narrows: one.narrows === true && other.narrows === true,
    widens: one.widens === true && other.widens === true,
  }
}

function compareEnums(here: Here, old: readonly Part[], now: readonly Part[]): void {
  const [named, namedNow] = [enumOf(old), enumOf(now)]
  const [from, to] = [named ?? (namedNow && booleansOf(old)), namedNow ?? (named && booleansOf(now))]
  const [before, after] = [holderOf(old, 'enum'), holderOf(now, 'enum')]
  if (!after || (!from && !to)) return
  const isRequest = here.direction === 'request'
  const say = (level: Level, rule: DiffRule, what: string, aspect = ''): void => {
    tell(here, { rule, level, what }, { parent: after, before, after, property: 'enum', aspect })
  }
  if (!from || !to) {
    const rule = from ? 'enum-values-added' : 'enum-values-removed'
    const level = from ? (isRequest ? 'compatible' : 'risky') : levelOf(here.direction, narrower)
    say(level, rule, changeWording('enum', from && [...from.values()], to && [...to.values()]))
    return
  }
  const lost = [...from].flatMap(([text, value]) => (to.has(text) ? [] : [value]))
  const gained = [...to].flatMap(([text, value]) => (from.has(text) ? [] : [value]))
  const breaks = (isRequest ? lost : gained).length > 0
  if (breaks && isRequest) say('breaking', 'enum-values-removed', `enum lost values: ${list(lost)}`, 'lost')
  else if (breaks && gained.length === to.size && lost.length > 0) {
    say(
      'breaking',
      'enum-values-added',
      `all values of the enum were replaced: ${list(lost)} by ${list(gained)}`,
      'gained',
    )
  } else if (breaks) say('risky', 'enum-values-added', `enum gained values: ${list(gained)}`, 'gained')
  else if (lost.length + gained.length > 0) {
    const what = changeWording('enum', [...from.values()], [...to.values()])
    say('compatible', 'enum-changed', what, isRequest ? 'gained' : 'lost')
  } else if (before && isNullListed(before) === !(isNullListed(after) ?? isNullListed(before))) {
    say('compatible', 'enum-changed', changeWording('enum', before.node.enum, after.node.enum))
  }
}

/** Whether an enum that is nullable has null as well, which OpenAPI 3.0.3 asks for; undefined for another one. */
function isNullListed({ node: { nullable, enum: values } }: Part): boolean | undefined {
  return nullable === true && Array.isArray(values) ? values.includes(null) : undefined
}

/** The values of a schema that takes true and false alone. */
function booleansOf(parts: readonly Part[]): Map<string, unknown> | undefined {
  const isBoolean = [...(typesOf(parts) ?? [])].join() === 'boolean'
  return isBoolean ? new Map([true, false].map((value) => [exactText(value), value])) : undefined
}

function list(values: readonly unknown[]): string {
  return values.map(String).join(', ')
}
