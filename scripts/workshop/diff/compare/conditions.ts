import { exactText } from '../../../../src/integers.ts'
import {
  isBreaking,
  narrower,
  trial,
  unknownEffect,
  wider,
  type CompareSchemas,
  type Effect,
  type Here,
} from './comparison.ts'
import type { KeywordChange } from './keywords.ts'
import { orAny, valuesIn, type Part, type Spot } from './spot.ts'

const rule = 'schema-constraint-changed'

/** Reports a change of a keyword at its place in the newer schema. */
type Tell = (change: KeywordChange) => void

/** Two schemas as their parts. */
interface Parts {
  old: readonly Part[]
  now: readonly Part[]
}

/** Compares the keywords whose schemas hold for the same value under a condition, or must not hold. */
export function compareConditions(here: Here, parts: Parts, compare: CompareSchemas, tell: Tell): void {
  compareIfs(here, parts, compare, tell)
  compareNots(here, parts, compare, tell)
  compareDependent(here, parts, compare, tell)
  compareContains(here, parts, compare, tell)
  compareUnevaluatedItems(here, parts, compare, tell)
}

/** Whether no difference is found between two schemas. */
function areSame(here: Here, before: Spot, after: Spot, compare: CompareSchemas): boolean {
  return exactText([before.value]) === exactText([after.value]) || found(here, before, after, compare).length === 0
}

function found(here: Here, before: Spot, after: Spot, compare: CompareSchemas): ReturnType<typeof trial> {
  return trial(here, compare, [before], [after])
}

/** Pairs conditions with the same `if`. Where it has changed, `then` and `else` hold for other values than before. */
function compareIfs(here: Here, { old, now }: Parts, compare: CompareSchemas, tell: Tell): void {
  const withIf = (parts: readonly Part[]): Part[] =>
    parts.filter(({ node }) => node.if !== undefined && (node.then !== undefined || node.else !== undefined))
  const gained = withIf(now)
  const lost = withIf(old).filter((before) => {
    const after = gained.find((one) => areSame(here, before.field('if'), one.field('if'), compare))
    if (!after) return true
    gained.splice(gained.indexOf(after), 1)
    for (const keyword of ['then', 'else']) {
      const [then, thenNow] = [valuesIn([before], keyword), valuesIn([after], keyword)]
      if (then.length + thenNow.length === 0) continue
      compare(here, orAny(then, before.field(keyword)), orAny(thenNow, after.field(keyword)))
    }
    return false
  })
  const change = (effect: Effect, what: string): void => {
    tell({ keyword: 'if', rule, effect, what })
  }
  if (lost.length > 0 && gained.length > 0) change(unknownEffect, 'if changed, so then and else hold for other values')
  else if (gained.length > 0) change(narrower, 'a condition (if) was added')
  else if (lost.length > 0) change(wider, 'a condition (if) was removed')
}

/** What `not` does is the opposite of what its schema does. */
function compareNots(here: Here, { old, now }: Parts, compare: CompareSchemas, tell: Tell): void {
  const [before, after] = [valuesIn(old, 'not'), valuesIn(now, 'not')]
  const gained = after.filter((one) => !before.some((other) => areSame(here, other, one, compare)))
  const lost = before.filter((one) => !after.some((other) => areSame(here, one, other, compare)))
  const [from, to] = [lost[0], gained[0]]
  if (!from && !to) return
  const effect = !from ? narrower : !to ? wider : opposite(here, from, to, compare)
  const what = from && to ? 'what is not allowed changed' : `not was ${to ? 'added' : 'removed'}`
  tell({ keyword: 'not', rule, effect, what })
}

function opposite(here: Here, before: Spot, after: Spot, compare: CompareSchemas): Effect {
  const narrows = found({ ...here, direction: 'request' }, before, after, compare).some(isBreaking)
  const widens = found({ ...here, direction: 'response' }, before, after, compare).some(
    ({ level }) => level !== 'compatible',
  )
  return narrows || widens ? { narrows: widens, widens: narrows } : unknownEffect
}

function compareDependent(here: Here, { old, now }: Parts, compare: CompareSchemas, tell: Tell): void {
  const [before, after] = [demandsOf(old), demandsOf(now)]
  const gained = [...after].filter((one) => !before.has(one))
  const lost = [...before].filter((one) => !after.has(one))
  if (gained.length + lost.length > 0) {
    const changes = [gained.length > 0 && `gained ${gained.join(', ')}`, lost.length > 0 && `lost ${lost.join(', ')}`]
    const what = `dependentRequired ${changes.filter(Boolean).join(' and ')}`
    const effect = { narrows: gained.length > 0, widens: lost.length > 0 }
    tell({ keyword: 'dependentRequired', rule, effect, what })
  }
  const names = [...old, ...now].flatMap((part) => part.field('dependentSchemas').keys)
  for (const name of new Set(names)) {
    const [from, to] = [valuesIn(old, 'dependentSchemas', name), valuesIn(now, 'dependentSchemas', name)]
    if (from.length > 0 && to.length > 0) compare(here, from, to)
    else {
      const [effect, what] = to.length > 0 ? [narrower, 'gained' as const] : [wider, 'lost' as const]
      tell({ keyword: 'dependentSchemas', rule, effect, what: `dependentSchemas ${what} ${name}` })
    }
  }
}

/** Which properties demand which others, such as `a -> b`. */
function demandsOf(parts: readonly Part[]): Set<string> {
  return new Set(
    parts.flatMap((part) =>
      part
        .field('dependentRequired')
        .entries.flatMap(([name, others]) => others.list.map((other) => `${name} -> ${String(other)}`)),
    ),
  )
}

/** Compares what a list must contain. Without `contains` there is no schema to compare with. */
function compareContains(here: Here, { old, now }: Parts, compare: CompareSchemas, tell: Tell): void {
  const [before, after] = [old, now].map((parts) =>
    valuesIn(
      parts.filter(({ node }) => node.minContains !== 0 || node.maxContains !== undefined),
      'contains',
    ),
  )
  const [from, to] = [before?.[0], after?.[0]]
  if (!from && !to) return
  if (from && to && ![...old, ...now].some(({ node }) => node.maxContains !== undefined)) {
    compare(here, before ?? [], after ?? [])
  } else if (from && to) {
    // more of the items may be counted, or less
    if (!areSame(here, from, to, compare)) {
      tell({ keyword: 'contains', rule, effect: unknownEffect, what: 'contains changed, beside a maxContains' })
    }
  } else {
    tell({ keyword: 'contains', rule, effect: to ? narrower : wider, what: `contains was ${to ? 'added' : 'removed'}` })
  }
}

/** Compares `unevaluatedItems`, which has no effect beside `items`. */
function compareUnevaluatedItems(here: Here, { old, now }: Parts, compare: CompareSchemas, tell: Tell): void {
  const [before, after] = [old, now].map((parts) =>
    parts.some(({ node }) => node.items !== undefined)
      ? []
      : valuesIn(parts, 'unevaluatedItems').map((one) =>
          typeof one.value === 'boolean' ? one.with(one.value ? {} : { not: {} }) : one,
        ),
  )
  const [from, to] = [before?.[0], after?.[0]]
  if (from && to) compare(here, before ?? [], after ?? [])
  else if (from ?? to) {
    const [effect, what] = to ? [narrower, 'added' as const] : [wider, 'removed' as const]
    if ((to ?? from)?.keys.length === 0) return
    tell({ keyword: 'unevaluatedItems', rule, effect, what: `unevaluatedItems was ${what}` })
  }
}
