import { exactText } from '../../../../src/integers.ts'
import { pointerOf } from '../../../../src/contract/model/node.ts'
import {
  foundIn,
  isBreaking,
  levelOf,
  tell,
  trial,
  within,
  type CompareSchemas,
  type Effect,
  type Here,
} from './comparison.ts'
import { compareDiscriminators, referenceIn } from './discriminators.ts'
import { nullsOf } from './nulls.ts'
import { every, not, some, type Known } from './known.ts'
import { fitTwo, haveCommon } from './overlap.ts'
import { choicesOf, commonTypes, enumOf, flat, typeName, typesOf, type Choice } from './parts.ts'
import type { Direction } from './sides.ts'
import { isSame, type Part, type Spot } from './spot.ts'

const rule = 'schema-combinator-changed'

/** What the comparison of alternatives leaves to compare. */
interface Rest {
  /** Whether the schemas were compared as wholes, since one has more lists of alternatives than the other. */
  isDone: boolean
  /** Whether a change of null is reported at the alternatives that have it. */
  isNullTold: boolean
}

/** Compares the alternatives of two schemas. */
export function compareChoices(
  here: Here,
  { old, now, isNullChanged }: { old: readonly Part[]; now: readonly Part[]; isNullChanged: boolean },
  compare: CompareSchemas,
): Rest {
  const [before, after] = [choicesOf(old), choicesOf(now)]
  let isNullTold = false
  for (const [index, from] of before.slice(0, after.length).entries()) {
    const to = after[index]
    if (to && compareAlternatives(here, [from, to], isNullChanged, compare)) isNullTold = true
  }
  const [from, to] = [before[after.length], after[before.length]]
  if (from || to) compareWithWhole(here, { old, now, from, to }, compare)
  return { isDone: before.length !== after.length, isNullTold }
}

/** The types of a schema without null, also of one that says them only by its alternatives or its enum; undefined for any. */
export function impliedTypes(parts: readonly Part[], open: readonly string[] = []): TypeSet {
  const pointers = parts.map(({ at }) => pointerOf(at))
  if (pointers.some((pointer) => open.includes(pointer))) return undefined
  const ofChoices = choicesOf(parts).map(({ alternatives }) => {
    const all = alternatives.map((one) => impliedTypes(flat([one]), [...open, ...pointers]))
    return all.includes(undefined) ? undefined : new Set(all.flatMap((one) => [...(one ?? [])]))
  })
  const values = enumOf(parts)
  const ofEnum = values && new Set(Array.from(values.values(), typeName))
  return [typesOf(parts), ...ofChoices, ofEnum].reduce(
    (some, more) => (some && more ? commonTypes(some, more) : (some ?? more)),
    undefined,
  )
}

type TypeSet = Set<string> | undefined

/** Returns whether a change of null is reported at an alternative. */
function compareAlternatives(
  here: Here,
  [from, to]: readonly [Choice, Choice],
  isNullChanged: boolean,
  compare: CompareSchemas,
): boolean {
  const fitsIn = (direction: Direction, old: readonly Spot[], now: readonly Spot[]): Known =>
    fits({ ...here, direction }, [old, now], { isExact: true, compare })
  const isLike = (direction: Direction, old: Spot, now: Spot): Known => fitsIn(direction, [old], [now])
  const { pairs, lost, gained } = matched(here, from.alternatives, to.alternatives, isLike)
  const changed = new Map<Spot, Spot | undefined>(gained.map((one) => [one, undefined]))
  let isNullTold = false
  for (const [before, after] of pairs) {
    const isOfNull = isNullChanged && nullsOf(here, [before]).isValid !== nullsOf(here, [after]).isValid
    const differences = within({ ...here, ignoresNull: !isOfNull }, compare, [before], [after])
    const found = foundIn(differences)
    if (found.length > 0) changed.set(after, before)
    // what another alternative has is neither lost nor new
    const isElsewhere = (): boolean =>
      here.direction === 'request'
        ? to.keyword === 'anyOf' &&
          to.alternatives.some((one) => one !== after && isLike('request', before, one) === true)
        : from.alternatives.some((one) => one !== before && isLike('response', one, after) === true)
    if (found.some(({ level }) => level !== 'compatible') && isElsewhere()) continue
    here.into.uses.add(differences)
    isNullTold ||= isOfNull
  }
  compareCombined(here, [from, to], changed)
  const say = (effect: Effect, what: string, spots: { parent: Spot; before?: Spot; after?: Spot }): void => {
    tell(here, { rule, level: levelOf(here.direction, effect), what }, spots)
  }
  for (const before of lost) {
    const narrows = not(
      every(piecesIn([[before]]).map((piece) => some(to.alternatives.map((one) => fitsIn('request', piece, [one]))))),
    )
    say({ narrows, widens: false }, whatOf(before, 'removed'), { parent: to.holder.field(to.keyword), before })
  }
  for (const after of gained) {
    const widens = not(
      every(piecesIn([[after]]).map((piece) => some(from.alternatives.map((one) => fitsIn('response', [one], piece))))),
    )
    say({ narrows: false, widens }, whatOf(after, 'added'), { parent: to.holder, after })
  }
  compareDiscriminators(here, from, to, pairs)
  return isNullTold
}

/**
 * Compares how alternatives are combined: with `oneOf`, a value that fits two is refused. `changed` has the new
 * alternatives that are not as before, with what they were.
 */
function compareCombined(
  here: Here,
  [from, to]: readonly [Choice, Choice],
  changed: ReadonlyMap<Spot, Spot | undefined>,
): void {
  const allowed = from.alternatives.map((one) => [one])
  const spots = { parent: to.holder, before: from.holder, after: to.holder, property: to.keyword }
  const say = (effect: Effect, what: string): void => {
    tell(here, { rule, level: levelOf(here.direction, effect), what }, spots)
  }
  if (from.keyword !== to.keyword) {
    const two = fitTwo(here, allowed, to.keyword === 'oneOf' ? to : from)
    const effect = to.keyword === 'oneOf' ? { narrows: two, widens: false } : { narrows: false, widens: two }
    if (![from, to].every(areApart)) say(effect, `${from.keyword} became ${to.keyword}`)
  } else if (here.direction === 'request' && changed.size > 0) {
    const isOld = (one: Spot, other: Spot): boolean => {
      const [old, oldOther] = [changed.get(one), changed.get(other)]
      if (!changed.has(one) && !changed.has(other)) return true
      return old !== undefined && oldOther !== undefined && haveCommon(here, [old, oldOther]) !== false
    }
    const two = fitTwo(here, allowed, to, isOld)
    if (two !== false) say({ narrows: two, widens: false }, 'a value that was valid may fit two alternatives now')
  }
}

/** Whether no two alternatives have a type in common. */
function areApart({ alternatives }: Choice): boolean {
  const types = alternatives.map((one) => impliedTypes(flat([one])))
  return types.every((one, index) =>
    types.slice(index + 1).every((other) => one && other && commonTypes(one, other).size === 0),
  )
}

function whatOf(alternative: Spot, what: string): string {
  const name = referenceIn(alternative)?.split('/').at(-1)
  return name === undefined ? what : `schema ${name} was ${what}`
}

/**
 * Whether a schema may take the place of another one; undefined if that is risky. To be exact, it must also have the same properties: an alternative
 * that only has more of them is not the same to clients.
 */
function fits(
  here: Here,
  [old, now]: readonly [readonly Spot[], readonly Spot[]],
  { isExact, compare }: { isExact: boolean; compare: CompareSchemas },
): Known {
  const found = trial({ ...here, ignoresNull: true }, compare, old, now)
  if (found.some((one) => isBreaking(one) || (isExact && one.rule.startsWith('property-')))) return false
  return found.some(({ level }) => level === 'risky') ? undefined : true
}

/**
 * Pairs alternatives: those with the same reference, equal ones, those where one may take the place of the other, and
 * others of one type that have a value in common.
 */
function matched(
  here: Here,
  before: readonly Spot[],
  after: readonly Spot[],
  isLike: (direction: Direction, old: Spot, now: Spot) => Known,
): { pairs: [Spot, Spot][]; lost: Spot[]; gained: Spot[] } {
  const { all, direction } = here
  const [lost, gained] = [[...before], [...after]]
  const pairs: [Spot, Spot][] = []
  const take = (isPair: (old: Spot, now: Spot) => boolean): void => {
    for (const old of [...lost]) {
      const now = gained.find((one) => isPair(old, one))
      if (!now) continue
      pairs.push([old, now])
      lost.splice(lost.indexOf(old), 1)
      gained.splice(gained.indexOf(now), 1)
    }
  }
  take((old, now) => referenceIn(old) !== undefined && referenceIn(old) === referenceIn(now))
  take((old, now) => exactText(old.value) === exactText(now.value))
  take((old, now) => {
    const [from, to] = [referenceIn(old), referenceIn(now)]
    return from !== undefined && to !== undefined && isSame(all, from, to)
  })
  take((old, now) => isLike(direction, old, now) !== false)
  take((old, now) => {
    const isInline = [old, now].every((one) => referenceIn(one) === undefined)
    return isInline && old.node.type === now.node.type && haveCommon(here, [old, now]) !== false
  })
  return { pairs, lost, gained }
}

/** Compares a schema with alternatives and one without. */
function compareWithWhole(
  here: Here,
  {
    old,
    now,
    from,
    to,
  }: { old: readonly Part[]; now: readonly Part[]; from?: Choice | undefined; to?: Choice | undefined },
  compare: CompareSchemas,
): void {
  const [before, after] = [withAlternatives(old, from), withAlternatives(now, to)]
  const isLike = (direction: Direction, old: readonly Spot[], now: readonly Spot[], choice?: Choice): Known =>
    fits({ ...here, direction }, [old, now], { isExact: choice !== undefined, compare })
  const isLess = not(
    every(piecesIn(before).map((one) => some(after.map((other) => isLike('request', one, other, from))))),
  )
  const two = here.direction === 'request' && to !== undefined && isLess !== true && fitTwo(here, before, to)
  const narrows = some([isLess, two])
  const widens = not(
    every(piecesIn(after).map((one) => some(before.map((other) => isLike('response', other, one, to))))),
  )
  if (narrows === false && widens === false) return
  const keyword = (to ?? from)?.keyword ?? 'oneOf'
  const names = (to ?? from)?.alternatives.map((one) => referenceIn(one)?.split('/').at(-1)) ?? []
  const list = names.includes(undefined) ? keyword : `${keyword} of ${names.join(', ')}`
  const how = two === false ? '' : '; a value that was valid may fit two of them'
  const what = `${list} was ${to ? 'added' : 'removed'}${how}`
  const parent = to?.holder ?? now[0]
  if (!parent) return
  const spots = { parent, before: from?.holder ?? old[0], after: to?.holder ?? now[0], property: keyword }
  tell(here, { rule, level: levelOf(here.direction, { narrows, widens }), what }, spots)
}

/** More values of an enum are not looked at one by one. */
const maxValues = 50

function piecesIn(all: readonly (readonly Spot[])[]): (readonly Spot[])[] {
  return all.flatMap((schemas) => piecesOf(flat(schemas)))
}

/** A schema once with each of its alternatives, of the values that it names, or of its types; else as it is. */
function piecesOf(parts: readonly Part[]): (readonly Spot[])[] {
  const [choice] = choicesOf(parts)
  if (choice) return withAlternatives(parts, choice)
  const [first] = parts
  const [values, types] = [[...(enumOf(parts)?.values() ?? [])], [...(typesOf(parts) ?? [])]]
  const pieces = values.length > 0 ? values.map((value) => ({ enum: [value] })) : types.map((type) => ({ type }))
  if (!first || pieces.length < 2 || pieces.length > maxValues) return [parts]
  // each has a place of its own, because comparisons are remembered by their places
  return pieces.map((piece, index) => [...parts, first.field('enum', String(index)).with(piece)])
}

/** A schema once with each of its alternatives, or as it is. */
function withAlternatives(parts: readonly Part[], choice: Choice | undefined): (readonly Spot[])[] {
  if (!choice) return [parts]
  const rest = parts.map((part) => {
    // what is in an allOf is a part of its own
    const { allOf: _, ...node } = part.node
    if (part !== choice.holder) return part.with(node)
    const { [choice.keyword]: __, discriminator: ___, ...others } = node
    return part.with(others)
  })
  return choice.alternatives.map((alternative) => [...rest, alternative])
}
