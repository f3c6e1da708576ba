import { exactText } from '../../../../src/integers.ts'
import { pointerOf, type Node } from '../../../../src/contract/model/node.ts'
import { compareChoices } from './choices.ts'
import { compareConditions } from './conditions.ts'
import { narrower, noDifferences, noEffect, wider, type Here } from './comparison.ts'
import { compareEnums } from './enums.ts'
import { keywordChanges } from './keywords.ts'
import { nullsOf } from './nulls.ts'
import { tellKeyword, type Pair } from './pair.ts'
import { partsOf } from './parts.ts'
import { compareAdditional, compareProperties, isAny } from './properties.ts'
import { orAny, type Part, type Spot } from './spot.ts'
import { compareLife, compareTexts, compareWhole } from './texts.ts'
import { compareTypes, isOfOne, nullEffectOf } from './types.ts'

/** Compares two schemas, each of which may consist of several that all must hold. */
export function compareSchemas(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [old, now] = partsOf(here.all, before, after)
  const nulls = here.ignoresNull === true ? undefined : ([nullsOf(here, before), nullsOf(here, after)] as const)
  const pair = { old, now, site: after[0], nulls }
  const outer = { ...here, ignoresNull: false }
  if ([...old, ...now].every(({ origin }) => origin === '')) {
    compareParts(outer, pair)
    return
  }
  // also ends the comparison of schemas that contain themselves
  const key = exactText([
    [here.direction, here.isText, here.isXml === true, here.isForm === true, nulls],
    ...[old, now].map((parts) => parts.map(({ at, reference }) => [pointerOf(at), reference])),
  ])
  let into = here.all.known.get(key)
  if (!into) {
    const differences = (into = noDifferences())
    here.all.known.set(key, differences)
    here.all.due.push(() => {
      compareParts({ ...outer, into: differences }, pair)
    })
  }
  here.into.uses.add(into)
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
  const inner = { ...here, isForm: false }
  for (const change of keywordChanges(old, now))
    if (!isOfOne(here, pair, change.keyword)) tellKeyword(here, pair, change)
  if (!isOfOne(here, pair, 'properties')) {
    compareProperties(inner, old, now, compareSchemas)
    compareAdditional(inner, old, now, compareSchemas)
  }
  for (const keys of schemaKeys(old, now).filter(([keyword = '']) => !isOfOne(here, pair, keyword))) {
    const [before, after] = [innerOf(old, keys), innerOf(now, keys)]
    compareSchemas(inner, orAny(before, first.field(...keys)), orAny(after, firstNow.field(...keys)))
  }
  compareConditions(here, pair, compareSchemas, (change) => {
    tellKeyword(here, pair, change)
  })
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
