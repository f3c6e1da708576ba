import { isNull } from '../../../../src/contract/model/files/dialect.ts'
import { exactText } from '../../../../src/contract/integers.ts'
import { pathOf, pointerOf } from '../../../../src/contract/model/node.ts'
import { isReference, pathOfReference } from '../../../../src/contract/model/reference.ts'
import type { Level } from '../change.ts'
import { changeWording } from '../wording.ts'
import { typesOf } from './keywords.ts'
import { isBreaking, levelOf, narrower, tell, trial, wider, type CompareSchemas, type Here } from './comparison.ts'
import type { Direction } from './sides.ts'
import { flat, isSame, type Part, type Spot } from './spot.ts'

interface Choice {
  keyword: 'oneOf' | 'anyOf'
  holder: Part
  /** The alternatives but one that allows only null. */
  alternatives: Spot[]
  takesNull: boolean
}

/**
 * Compares the alternatives of two schemas. Returns whether one has more lists of them than the other: then they were
 * compared as wholes, and nothing of them is left to compare.
 */
export function compareChoices(
  here: Here,
  { old, now, site }: { old: readonly Part[]; now: readonly Part[]; site: Spot | undefined },
  compare: CompareSchemas,
): boolean {
  const [before, after] = [choicesOf(old), choicesOf(now)]
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const [from, to] = [before[index], after[index]]
    if (from && to) {
      compareNull(here, [from, to], old[0] === from.holder && now[0] === to.holder ? to.holder : (site ?? to.holder))
      compareAlternatives(here, from, to, compare)
    }
  }
  const [from, to] = [before[after.length], after[before.length]]
  if (from || to) compareWithWhole(here, { old, now, from, to }, compare)
  return before.length !== after.length
}

/** Compares whether alternatives take null. If `nullable` beside a reference to them says it, the change is reported there. */
function compareNull(here: Here, [from, to]: readonly [Choice, Choice], after: Spot): void {
  if (from.takesNull === to.takesNull) return
  const level = levelOf(here.direction, to.takesNull ? wider : narrower)
  const what = to.takesNull ? 'null was added' : 'null was removed'
  const spots = { parent: after, before: after === to.holder ? from.holder : after, after, property: 'nullable' }
  tell(here, { rule: 'schema-type-changed', level, what }, spots)
}

function choicesOf(parts: readonly Part[]): Choice[] {
  return parts.flatMap((holder) =>
    (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const all = holder.field(keyword).items
      const others = all.filter(({ value }) => !isNull(value))
      const alternatives = others.length > 0 ? others : all
      const takesNull = holder.node.nullable === true || alternatives.length < all.length
      return all.length === 0 ? [] : [{ keyword, holder, alternatives, takesNull }]
    }),
  )
}

/** The types of a schema, also of one that says them only by its alternatives or its enum; undefined for any. */
export function impliedTypes(parts: readonly Part[], open: readonly string[] = []): TypeSet {
  const nodes = parts.map(({ node }) => node)
  const pointers = parts.map(({ at }) => pointerOf(at))
  if (pointers.some((pointer) => open.includes(pointer))) return undefined
  const ofChoices = choicesOf(parts).map(({ alternatives, takesNull }) => {
    const all = alternatives.map((one) => impliedTypes(flat([one]), [...open, ...pointers]))
    return all.includes(undefined)
      ? undefined
      : new Set([...all.flatMap((one) => [...(one ?? [])]), ...nulls(takesNull)])
  })
  const ofEnums = nodes.map(({ enum: values }) => (Array.isArray(values) ? new Set(values.map(typeName)) : undefined))
  return [typesOf(parts), ...ofChoices, ...ofEnums].reduce(
    (some, more) => (some && more ? new Set([...some].filter((type) => hasType(more, type))) : (some ?? more)),
    undefined,
  )
}

type TypeSet = Set<string> | undefined

function nulls(takesNull: boolean): string[] {
  return takesNull ? ['null'] : []
}

function hasType(types: ReadonlySet<string>, type: string): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

function typeName(value: unknown): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Whether no value fits two alternatives, which can be known of different types. */
function areApart({ alternatives }: Choice): boolean {
  const types = alternatives.map((one) => impliedTypes(flat([one])))
  return types.every((one, index) =>
    types.slice(index + 1).every((other) => one && other && ![...one].some((type) => hasType(other, type))),
  )
}

function compareAlternatives(here: Here, from: Choice, to: Choice, compare: CompareSchemas): void {
  const spots = { parent: to.holder, before: from.holder, after: to.holder }
  const isOther = from.keyword !== to.keyword
  if (isOther && !(areApart(from) && areApart(to))) {
    const level = levelOf(here.direction, to.keyword === 'anyOf' ? wider : narrower)
    const what = `${from.keyword} became ${to.keyword}`
    tell(here, { rule: 'schema-combinator-changed', level, what }, { ...spots, property: to.keyword })
  }
  const isLike = (direction: Direction, old: Spot, now: Spot): boolean =>
    fits({ ...here, direction }, [[old], [now]], { isExact: true, compare })
  const { pairs, lost, gained } = matched(here, from.alternatives, to.alternatives, isLike)
  for (const [before, after] of pairs) compare(here, [before], [after])
  for (const before of lost) {
    const narrows = !to.alternatives.some((one) => isLike('request', before, one))
    const judgement = {
      rule: 'schema-combinator-changed',
      level: levelOf(here.direction, { narrows, widens: false }),
    } as const
    tell(here, { ...judgement, what: whatOf(before, 'removed') }, { parent: to.holder.field(to.keyword), before })
  }
  for (const after of gained) {
    const widens = !from.alternatives.some((one) => isLike('response', one, after))
    const judgement = {
      rule: 'schema-combinator-changed',
      level: levelOf(here.direction, { narrows: false, widens }),
    } as const
    tell(here, { ...judgement, what: whatOf(after, 'added') }, { parent: to.holder, after })
  }
  compareDiscriminators(here, from, to, pairs)
}

function whatOf(alternative: Spot, what: string): string {
  const name = referenceIn(alternative)?.split('/').at(-1)
  return name === undefined ? what : `schema ${name} was ${what}`
}

/**
 * Whether a schema may take the place of another one. To be exact, it must also have the same properties: an alternative
 * that only has more of them is not the same to clients.
 */
function fits(
  here: Here,
  [old, now]: readonly [readonly Spot[], readonly Spot[]],
  { isExact, compare }: { isExact: boolean; compare: CompareSchemas },
): boolean {
  const found = trial(here, (inner) => {
    compare(inner, old, now)
  })
  return !found.some((one) => isBreaking(one) || (isExact && one.rule.startsWith('property-')))
}

/** Pairs alternatives: those with the same reference, equal ones, others of one type, and those where one may take the place of the other. */
function matched(
  { all, direction }: Here,
  before: readonly Spot[],
  after: readonly Spot[],
  isLike: (direction: Direction, old: Spot, now: Spot) => boolean,
): { pairs: [Spot, Spot][]; lost: Spot[]; gained: Spot[] } {
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
    if (from !== undefined && to !== undefined) return isSame(all, from, to)
    return from === to && old.node.type === now.node.type
  })
  take((old, now) => isLike(direction, old, now))
  return { pairs, lost, gained }
}

/** The pointer of the reference that an alternative is, also alone in an `allOf`. */
function referenceIn(alternative: Spot): string | undefined {
  const [only, ...more] = alternative.field('allOf').items
  const { value } = only && more.length === 0 ? only : alternative
  return isReference(value) ? pointerOf(pathOfReference(value.$ref)) : undefined
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
  const isLike = (direction: Direction, old: readonly Spot[], now: readonly Spot[], choice?: Choice): boolean =>
    fits({ ...here, direction }, [old, now], { isExact: choice !== undefined, compare })
  const narrows = !before.every((one) => after.some((other) => isLike('request', one, other, from)))
  const widens = !after.every((one) => before.some((other) => isLike('response', other, one, to)))
  if (!narrows && !widens) return
  const keyword = (to ?? from)?.keyword ?? 'oneOf'
  const names = (to ?? from)?.alternatives.map((one) => referenceIn(one)?.split('/').at(-1)) ?? []
  const list = names.includes(undefined) ? keyword : `${keyword} of ${names.join(', ')}`
  const what = `${list} was ${to ? 'added' : 'removed'}`
  const parent = to?.holder ?? now[0]
  if (!parent) return
  const spots = { parent, before: from?.holder ?? old[0], after: to?.holder ?? now[0], property: keyword }
  tell(here, { rule: 'schema-combinator-changed', level: levelOf(here.direction, { narrows, widens }), what }, spots)
}

/** A schema once with each of its alternatives, or as it is. */
function withAlternatives(parts: readonly Part[], choice: Choice | undefined): (readonly Spot[])[] {
  if (!choice) return [[...parts]]
  const rest = parts.map((part) => {
    // what is in an allOf is a part of its own
    const { allOf: _, ...node } = part.node
    if (part !== choice.holder) return part.with(node)
    const { [choice.keyword]: __, discriminator: ___, ...others } = node
    return part.with(choice.takesNull ? { ...others, nullable: true } : others)
  })
  return choice.alternatives.map((alternative) => [...rest, alternative])
}

/** Compares the values by which clients and the service tell alternatives apart. */
function compareDiscriminators(here: Here, from: Choice, to: Choice, pairs: readonly (readonly [Spot, Spot])[]): void {
  const [old, now] = [from, to].map(({ holder }) => holder.field('discriminator'))
  if (!old || !now) return
  const say = (level: Level, what: string, aspect = ''): void => {
    const spots = { parent: to.holder, before: from.holder, after: to.holder, property: 'discriminator', aspect }
    tell(here, { rule: 'discriminator-changed', level, what }, spots)
  }
  const [name, nameNow] = [old.get('propertyName'), now.get('propertyName')]
  const isInBoth = name !== undefined && nameNow !== undefined
  if (name !== nameNow) {
    say(isInBoth ? 'breaking' : 'compatible', changeWording('discriminator', name, nameNow))
    return
  }
  for (const [before, after] of isInBoth ? pairs : []) {
    const [values, valuesNow] = [valuesOf(old.field('mapping'), before), valuesOf(now.field('mapping'), after)]
    const lost = values.filter((value) => !valuesNow.includes(value))
    const gained = valuesNow.filter((value) => !values.includes(value))
    const name = referenceIn(after)?.split('/').at(-1) ?? ''
    if (lost.length > 0 && gained.length > 0) {
      say(
        'breaking',
        `the discriminator value of ${name} changed from ${lost.join(', ')} to ${gained.join(', ')}`,
        name,
      )
    } else if (lost.length > 0) {
      say(levelOf(here.direction, narrower), `${name} lost the discriminator value ${lost.join(', ')}`, name)
    } else if (gained.length > 0) {
      // as for a value that an enum gains
      const level = here.direction === 'request' ? 'compatible' : 'risky'
      say(level, `${name} gained the discriminator value ${gained.join(', ')}`, name)
    }
  }
}

/** The values that stand for an alternative: those of the mapping, else its name. */
function valuesOf(mapping: Spot, alternative: Spot): string[] {
  const reference = referenceIn(alternative)
  if (reference === undefined) return []
  const name = pathOf(reference).at(-1) ?? ''
  const values = mapping.entries.flatMap(([value, { text }]) => {
    const isIt = text !== '' && (text === name || pointerOf(pathOfReference(text)) === reference)
    return isIt ? [value] : []
  })
  return values.length > 0 ? values : [name]
}
