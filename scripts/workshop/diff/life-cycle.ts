import { placeIn } from '../finding.ts'
import type { DiffRule } from './rules.ts'
import { changeOf, type Change, type Judgement, type Level } from './change.ts'
import { shapeOf, type PairedOperation, type Side } from './compare/sides.ts'
import { isDay, isStability, stabilities } from '../../../src/contract/model/life-cycle.ts'
import type { Node } from '../../../src/contract/model/node.ts'

/** Judges an edit of `deprecated`, `x-sunset` and `x-stability` of a thing. `today` is a day such as 2026-11-28. */
export function lifeChanges(before: Node, after: Node, today: string): Judgement[] {
  return [...deprecation(before, after, today), ...stability(before, after)]
}

/** Judges a removal, which is allowed only for a deprecated thing whose sunset has come. */
export function removal(before: Node, today: string): { level: Level; what: string } {
  const sunset = sunsetOf(before)
  if (before.deprecated !== true) return { level: 'breaking', what: 'removed, though it was never deprecated' }
  if (sunset === undefined) return { level: 'breaking', what: 'removed, though its deprecation names no x-sunset' }
  if (today < sunset) return { level: 'breaking', what: `removed before its sunset ${sunset}` }
  return { level: 'compatible', what: `removed after its sunset ${sunset}` }
}

/** Operations that were added and removed, and paths whose parameters have other names. */
export function operationChanges(base: Side, head: Side, today: string): Change[] {
  const added = missing(head, base).map((operation) =>
    told(operation, { rule: 'operation-added', level: 'compatible', bump: 'minor', what: 'added' }),
  )
  const removed = missing(base, head).map((operation) => {
    const { level, what } = removal(operation.operation, today)
    return told(operation, { rule: 'operation-removed', level, bump: level === 'breaking' ? 'major' : 'minor', what })
  })
  const renamed = [...base.operations.values()].flatMap((before) => {
    const after = head.operations.get(before.key)
    if (!after || after.path === before.path || shapeOf(after.path) !== shapeOf(before.path)) return []
    const what = `the path was written ${before.path}; only names of its parameters changed`
    return told(after, { rule: 'path-parameter-renamed', level: 'compatible', bump: 'patch', what })
  })
  return [...added, ...removed, ...renamed]

  function told({ name, at }: PairedOperation, judgement: Judgement): Change {
    const place = placeIn(head.document, at)
    return changeOf(judgement, { where: name, operations: [name], place, pointer: name })
  }
}

function missing(here: Side, there: Side): PairedOperation[] {
  return [...here.operations.values()].filter(({ key }) => !there.operations.has(key))
}

function deprecation(before: Node, after: Node, today: string): Judgement[] {
  const sunset = sunsetOf(after)
  const earlier = sunsetOf(before)
  const past = sunset !== undefined && sunset <= today
  if (after.deprecated !== true) {
    return before.deprecated === true ? [compatible('undeprecated', 'the deprecation was taken back')] : []
  }
  if (before.deprecated !== true) {
    if (past) return [breaking('deprecated', `deprecated with the sunset ${sunset}, which has come already`)]
    return [compatible('deprecated', sunset === undefined ? 'deprecated' : `deprecated, with the sunset ${sunset}`)]
  }
  if (sunset === earlier) return []
  if (sunset === undefined) return [breaking('sunset-removed', `deprecated still, but without its sunset ${earlier}`)]
  if (earlier === undefined) {
    const what = `deprecated already, and given the sunset ${sunset}`
    return [past ? breaking('sunset-added', `${what}, which has come already`) : compatible('sunset-added', what)]
  }
  const what = `the sunset moved from ${earlier} to ${sunset}`
  return [sunset < earlier ? breaking('sunset-earlier', what) : compatible('sunset-later', what)]
}

function stability(before: Node, after: Node): Judgement[] {
  const [from, to] = [stabilityOf(before), stabilityOf(after)]
  const what = `the stability changed from ${from} to ${to}`
  if (from === to) return []
  return stabilities.indexOf(to) < stabilities.indexOf(from)
    ? [breaking('stability-lowered', what)]
    : [compatible('stability-raised', what)]
}

/** The stability of an operation; stable if the contract states none, or an unknown one. */
export function stabilityOf(operation: Node): (typeof stabilities)[number] {
  const stability = operation['x-stability']
  return isStability(stability) ? stability : 'stable'
}

/** The day of `x-sunset`, which may have a time of day; undefined if it is not a date. */
function sunsetOf({ 'x-sunset': sunset }: Node): string | undefined {
  const day = typeof sunset === 'string' ? /^\d{4}-\d\d-\d\d(?=$|T)/.exec(sunset)?.[0] : undefined
  return day !== undefined && isDay(day) ? day : undefined
}

function breaking(rule: DiffRule, what: string): Judgement {
  return { rule, level: 'breaking', bump: 'major', what }
}

/** A deprecation needs a minor version (semver.org, rule 7). */
function compatible(rule: DiffRule, what: string): Judgement {
  return { rule, level: 'compatible', bump: 'minor', what }
}
