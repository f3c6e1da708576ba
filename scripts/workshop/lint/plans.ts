import { rule } from '../../../src/contract/rules/rule.ts'
import { messageOf } from '../../../src/failure.ts'
import { readPlans } from '../../../src/quota/plans.ts'

/** Requests can be counted by the plans. */
export const plans = rule({
  id: 'engine',
  on: 'document',
  level: 'refused',
  check: ({ root }, report) => {
    const fix = { fix: 'Correct the plans, or take x-plans away.' }
    try {
      if (readPlans(root).size === 0) report(['x-plans'], 'x-plans has no plan.', fix)
    } catch (error) {
      report(['x-plans'], messageOf(error), fix)
    }
  },
})
