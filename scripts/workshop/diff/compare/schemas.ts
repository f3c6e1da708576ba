import { exactText } from '../../../../src/contract/integers.ts'
import { listOf, nodeOf, pointerOf, type Node } from '../../../../src/contract/model/node.ts'
import type { Level } from '../change.ts'
import type { DiffRule } from '../rules.ts'
import { changeWording } from '../wording.ts'
import { compareChoices, impliedTypes } from './choices.ts'
import { compareConditions } from './conditions.ts'
import { levelOf, narrower, noDifferences, tell, wider, type Effect, type Here } from './comparison.ts'
import { keywordChanges, typeEffect, typesOf, type KeywordChange } from './keywords.ts'
import { compareAdditional, compareProperties, isAny } from './properties.ts'
import { holderOf, inside, orAny, partsOf, type Part, type Spot } from './spot.ts'
import { compareLife, compareTexts, compareWhole } from './texts.ts'

/** Compares two schemas, each of which may consist of several that all must hold. */
export function compareSchemas(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [old, now] = partsOf(here.all, before, after)
  if ([...old, ...now].every(({ origin }) => origin === '')) {
    compareParts(here, { old, now, site: after[0] })
    return
  }
  // also ends the comparison of schemas that contain themselves
  const key = exactText([
    [here.direction, here.isText, here.isXml === true],
    ...[old, now].map((parts) => parts.map(({ at, reference }) => [pointerOf(at), reference])),
  ])
  let into = here.all.known.get(key)
  if (!into) {
    into = noDifferences()
    here.all.known.set(key, into)
    compareParts({ ...here, into }, { old, now, site: after[0] })
  }
  here.into.uses.add(into)
}

/** Two schemas as their parts, and where the newer one is used. */
interface Pair {
  old: readonly Part[]
  now: readonly Part[]
  site: Spot | undefined
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
  if (compareChoices(here, pair, compareSchemas)) return
  const { base, head } = here.all
  const [types, typesNow] = [typesOf(old), typesOf(now)]
  const [implied, impliedNow] = [impliedTypes(base.document.root, old), impliedTypes(head.document.root, now)]
  // a type that alternatives or an enum have said before is not new
  const effect = withinBoth(typeEffect(types, typesNow, here.isText), typeEffect(implied, impliedNow, here.isText))
  if (effect.narrows === true || effect.widens === true) {
    const property = withoutNull(types) === withoutNull(typesNow) ? 'nullable' : 'type'
    const breaks = levelOf(here.direction, effect) === 'breaking'
    const isOther = types !== undefined && typesNow !== undefined && ![...types].some((type) => typesNow.has(type))
    const isBoth = effect.narrows === true && effect.widens === true
    const how = !breaks || isBoth ? 'changed' : here.direction === 'request' ? 'narrowed' : 'widened'
    const what = `type ${how} from ${typeNames(types)} to ${typeNames(typesNow)}`
    tellKeyword(here, pair, { keyword: property, rule: 'schema-type-changed', effect, what })
    // nothing else matters between an object and a string
    if (isOther && breaks) return
  }
  compareEnums(here, old, now)
  for (const change of keywordChanges(old, now)) tellKeyword(here, pair, change)
  compareProperties(here, old, now, compareSchemas)
  compareAdditional(here, old, now, compareSchemas)
  for (const keys of schemaKeys(old, now)) {
    const [inner, innerNow] = [innerOf(old, keys), innerOf(now, keys)]
    compareSchemas(here, orAny(inner, inside(first, ...keys)), orAny(innerNow, inside(firstNow, ...keys)))
  }
  compareConditions(here, pair, compareSchemas, (change) => {
    tellKeyword(here, pair, change)
  })
}

/** The places in two schemas of the schemas that each hold for some values in a value. */
function schemaKeys(old: readonly Part[], now: readonly Part[]): string[][] {
  const nodes = [...old, ...now].map(({ node }) => node)
  const length = Math.max(0, ...nodes.map(({ prefixItems }) => listOf(prefixItems).length))
  const patterns = new Set(nodes.flatMap(({ patternProperties }) => Object.keys(nodeOf(patternProperties))))
  return [
    ...['items', 'propertyNames']
      .filter((keyword) => nodes.some((node) => node[keyword] !== undefined))
      .map((one) => [one]),
    ...Array.from({ length }, (_, index) => ['prefixItems', String(index)]),
    ...Array.from(patterns, (pattern) => ['patternProperties', pattern]),
  ]
}

/** The schemas at a place. An item without one of its own is one of `items`. */
function innerOf(parts: readonly Part[], keys: readonly string[]): Spot[] {
  return parts.flatMap((part) => {
    const own = inside(part, ...keys)
    const spot = own.value === undefined && keys[0] === 'prefixItems' ? inside(part, 'items') : own
    return spot.value === undefined ? [] : [spot]
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
  const told = level === 'compatible' ? (mild ?? what) : what
  tell(here, { rule, level, what: told }, { parent: after, before, after, property: keyword })
}

function withoutNull(types: ReadonlySet<string> | undefined): string {
  return [...(types ?? [])].filter((type) => type !== 'null').join()
}

function typeNames(types: ReadonlySet<string> | undefined): string {
  if (types === undefined) return 'any'
  return types.size === 0 ? 'none that all its parts have' : [...types].join(' | ')
}

function withinBoth(one: Effect, other: Effect): Effect {
  return {
    narrows: one.narrows === true && other.narrows === true,
    widens: one.widens === true && other.widens === true,
  }
}

function compareEnums(here: Here, old: readonly Part[], now: readonly Part[]): void {
  const [from, to] = [enumOf(old), enumOf(now)]
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
  else if (breaks) say('risky', 'enum-values-added', `enum gained values: ${list(gained)}`, 'gained')
  else if (lost.length + gained.length > 0) {
    const what = changeWording('enum', [...from.values()], [...to.values()])
    say('compatible', 'enum-changed', what, isRequest ? 'gained' : 'lost')
  }
}

/** The allowed values, by their text. */
function enumOf(parts: readonly Part[]): Map<string, unknown> | undefined {
  const lists = parts.flatMap(({ node }) => [
    ...(Array.isArray(node.enum) ? [listOf(node.enum)] : []),
    ...(Object.hasOwn(node, 'const') ? [[node.const]] : []),
  ])
  const [first, ...others] = lists.map((values) => new Map(values.map((value) => [exactText(value), value])))
  return first && new Map([...first].filter(([text]) => others.every((other) => other.has(text))))
}

function list(values: readonly unknown[]): string {
  return values.map(String).join(', ')
}
