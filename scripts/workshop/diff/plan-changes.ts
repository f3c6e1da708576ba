import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { placeIn } from '../finding.ts'
import type { DiffRule } from './rules.ts'
import { changeOf, type Change, type Judgement, type Level } from './change.ts'
import { Value } from '../../../src/contract/model/value.ts'

/** The changes of the plans in `x-plans`. */
export function planChanges(base: ContractDocument, head: ContractDocument): Change[] {
  const [before, after] = [plansOf(base), plansOf(head)]
  return [...new Set([...before.keys, ...after.keys])].flatMap((name) =>
    judgements(before.field(name), after.field(name)).map((judgement) =>
      changeOf(judgement, {
        where: `plan ${name}`,
        operations: [],
        place: placeIn(head, ['x-plans', name]),
        pointer: `/x-plans/${name}`,
      }),
    ),
  )
}

function judgements(before: Value, after: Value): Judgement[] {
  if (!before.isThere) return [judgement('plan-added', 'compatible', 'added')]
  if (!after.isThere) return [judgement('plan-removed', 'breaking', 'removed')]
  if (isCustom(before) !== isCustom(after)) {
    return [judgement('plan-limit-changed', 'risky', `changed from ${shown(before)} to ${shown(after)}`)]
  }
  const [from, to] = [before.node, after.node]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((limit) => {
    const [old, fresh] = [from[limit], to[limit]]
    if (old === fresh) return []
    const what = `${limit} changed from ${String(old)} to ${String(fresh)}`
    if (typeof old !== 'number' || typeof fresh !== 'number') return [judgement('plan-limit-changed', 'risky', what)]
    return fresh < old
      ? [judgement('plan-limit-lowered', 'breaking', what)]
      : [judgement('plan-limit-raised', 'compatible', what)]
  })
}

function judgement(rule: DiffRule, level: Level, what: string): Judgement {
  return { rule, level, bump: level === 'breaking' ? 'major' : 'minor', what }
}

function plansOf({ root }: ContractDocument): Value {
  return Value.of(root).field('x-plans')
}

/** The value of a plan whose limits are set per key is the word `custom`. */
function isCustom({ value }: Value): boolean {
  return typeof value !== 'object'
}

function shown(plan: Value): string {
  return isCustom(plan)
    ? String(plan.value)
    : Object.entries(plan.node)
        .map(([limit, value]) => `${limit} ${String(value)}`)
        .join(', ')
}
