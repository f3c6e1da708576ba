import { pointerOf } from '../../../../src/contract/model/node.ts'
import { Value } from '../../../../src/contract/model/value.ts'
import { placeIn } from '../../finding.ts'
import { changeOf, levels, type Bump, type Change, type Judgement, type Level } from '../change.ts'
import { whereOf } from '../wording.ts'
import type { Direction, Sides } from './sides.ts'
import type { Spot } from './spot.ts'

/** Two contracts, and what is known about the parts that operations share. */
export interface Comparison extends Sides {
  /** Such as 2026-11-28. */
  today: string
  /** The differences of two shared parts, by the pointers to both. */
  known: Map<string, Differences>
  /** Comparisons of shared parts that are still to be made, one after another: nested ones could overflow the stack. */
  due: (() => void)[]
}

/** Makes the comparisons that are due, and those that become due meanwhile. */
export function settle({ due }: Comparison): void {
  for (let next = due.pop(); next; next = due.pop()) next()
}

/** The differences between two parts of contracts, and between the shared parts that they use. */
export interface Differences {
  found: Difference[]
  uses: Set<Differences>
  /** The texts for readers that were edited. */
  editorial: string[]
}

interface Difference extends Judgement {
  direction: Direction
  before: Spot | undefined
  after: Spot | undefined
  /** The value of the new contract that is nearest to something removed. */
  parent: Spot
  /** The property that has changed; empty for the value itself. */
  property: string
  /** Distinguishes differences of the same property; those with the same aspect are reported once. */
  aspect: string
}

/** Where a comparison stands. */
export interface Here {
  all: Comparison
  into: Differences
  direction: Direction
  /** Whether the values are sent as text, as those of parameters are. */
  isText: boolean
  /** Whether the values are written as XML. */
  isXml?: boolean
  /** Whether the value is a form, which is an object though its schema may not say so. */
  isForm?: boolean
  /** Whether null is compared elsewhere: for the alternatives of a schema, it is by the whole. */
  ignoresNull?: boolean
}

/** Compares two schemas, each of which may consist of several that all must hold. */
export type CompareSchemas = (here: Here, before: readonly Spot[], after: readonly Spot[]) => void

/** The differences that a comparison of schemas finds, without reporting them. */
export function trial(...comparison: Parameters<typeof within>): Judgement[] {
  return foundIn(within(...comparison))
}

/** The differences that a comparison of schemas finds, apart from all others. */
export function within(
  here: Here,
  compare: CompareSchemas,
  before: readonly Spot[],
  after: readonly Spot[],
): Differences {
  const into = noDifferences()
  compare({ ...here, into }, before, after)
  settle(here.all)
  return into
}

export function foundIn(differences: Differences): Judgement[] {
  return [...closure(differences)].flatMap(({ found }) => found)
}

export function isBreaking({ level }: Judgement): boolean {
  return level === 'breaking'
}

/** What a change does to the set of valid values; undefined where that cannot be known. */
export interface Effect {
  narrows: boolean | undefined
  widens: boolean | undefined
}

export const narrower: Effect = { narrows: true, widens: false }
export const noEffect: Effect = { narrows: false, widens: false }
export const unknownEffect: Effect = { narrows: undefined, widens: undefined }
export const wider: Effect = { narrows: false, widens: true }

/** A request must not accept less, and a response not contain more. */
export function levelOf(direction: Direction, { narrows, widens }: Effect): Level {
  const breaks = direction === 'request' ? narrows : widens
  return breaks === undefined ? 'risky' : breaks ? 'breaking' : 'compatible'
}

/** Adds a difference. `after` is absent for what was removed, `before` for what was added. */
export function tell(
  { into, direction }: Here,
  { rule, level, what, bump }: Omit<Judgement, 'bump'> & { bump?: Bump },
  { parent, before, after, property = '', aspect = '' }: Pick<Difference, 'parent'> & Partial<Difference>,
): void {
  const isFeature = level === 'risky' || /-(added|removed)$/.test(rule)
  const needed = bump ?? (level === 'breaking' ? 'major' : isFeature ? 'minor' : 'patch')
  into.found.push({ rule, level, what, bump: needed, direction, before, after, parent, property, aspect })
}

export function noDifferences(): Differences {
  return { found: [], uses: new Set(), editorial: [] }
}

/**
 * The changes for the report. A difference of a shared part is told once, with all the operations for which it has the
 * worst level.
 */
export function changesOf(
  all: Comparison,
  byOperation: ReadonlyMap<string, Differences>,
): { changes: Change[]; editorial: number } {
  settle(all)
  const { base, head } = all
  const groups = new Map<string, { worst: Difference; operations: Set<string>; directions: Set<Direction> }>()
  const editorial = new Set<string>()
  for (const [operation, differences] of byOperation) {
    for (const { found, editorial: texts } of closure(differences)) {
      for (const text of texts) editorial.add(text)
      for (const one of found) {
        const key = JSON.stringify([one.before?.shown, one.after?.shown, one.property, one.aspect])
        let group = groups.get(key)
        if (!group) groups.set(key, (group = { worst: one, operations: new Set(), directions: new Set() }))
        group.directions.add(one.direction)
        const order = levels.indexOf(one.level) - levels.indexOf(group.worst.level)
        if (order < 0) Object.assign(group, { worst: one, operations: new Set() })
        if (order <= 0) group.operations.add(operation)
      }
    }
  }
  const changes = Array.from(groups.values(), ({ worst, operations, directions }) => {
    const { before, after, parent, property } = worst
    const side = after ? head : base
    const shown = (after ?? before ?? parent).shown
    const place = after ? [...after.at, ...(property === '' ? [] : [property])] : parent.at
    return changeOf(worst, {
      where: whereOf(Value.of(side.document.root), shown, directions),
      operations: [...head.operations.values()].flatMap(({ key, name }) => (operations.has(key) ? [name] : [])),
      place: placeIn(head.document, (after ?? parent).reference ?? place),
      pointer: pointerOf(shown),
    })
  })
  return { changes, editorial: editorial.size }
}

function closure(start: Differences): Set<Differences> {
  const all = new Set([start])
  // a set visits also what is added on the way
  for (const { uses } of all) for (const used of uses) all.add(used)
  return all
}
