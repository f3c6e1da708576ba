import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { placeIn } from '../finding.ts'
import type { DiffRule } from './rules.ts'
import { changeOf, type Change, type Judgement, type Level } from './change.ts'
import { nodeOf } from '../../../src/contract/model/node.ts'

/** The changes of the plans in `x-plans`. */
export function planChanges(base: ContractDocument, head: ContractDocument): Change[] {
  const [before, after] = [plansOf(base), plansOf(head)]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    judgements(before[name], after[name]).map((judgement) =>
      changeOf(judgement, {
        where: `plan ${name}`,
        operations: [],
        place: placeIn(head, ['x-plans', name]),
        pointer: `/x-plans/${name}`,
      }),
    ),
  )
}

function judgements(before: unknown, after: unknown): Judgement[] {
  if (before === undefined) return [judgement('plan-added', 'compatible', 'added')]
  if (after === undefined) return [judgement('plan-removed', 'breaking', 'removed')]
  if (isCustom(before) !== isCustom(after)) {
    return [judgement('plan-limit-changed', 'risky', `changed from ${shown(before)} to ${shown(after)}`)]
  }
  const [from, to] = [nodeOf(before), nodeOf(after)]
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

function plansOf({ root }: ContractDocument): Record<string, unknown> {
  return nodeOf(nodeOf(root)['x-plans'])
}

/** The value of a plan whose limits are set per key is the word `custom`. */
function isCustom(plan: unknown): boolean {
  return typeof plan !== 'object'
}

function shown(plan: unknown): string {
  return isCustom(plan)
    ? String(plan)
    : Object.entries(nodeOf(plan))
        .map(([limit, value]) => `${limit} ${String(value)}`)
        .join(', ')
}
