/** The requests that a caller may send in a minute and in a day of UTC. */
export interface Limits {
  perMinute: number
  perDay: number
}

/** The plans by name. The limits of a `custom` plan stand in each key. */
export type Plans = ReadonlyMap<string, Limits | 'custom'>

/** The highest limit that can be set. */
export const maxLimit = 1_000_000_000

/** The plans of a contract without `x-plans`: one, whose limits nobody reaches. */
const unlimited: Plans = new Map([['unlimited', { perMinute: maxLimit, perDay: maxLimit }]])

/** Reads the contract's `x-plans`. Throws a sentence when a plan is neither a pair of positive integers nor `custom`. */
export function readPlans(contract: unknown): Plans {
  const declared = (contract as { 'x-plans'?: unknown })['x-plans']
  if (declared === undefined) return unlimited
  if (typeof declared !== 'object' || declared === null) throw new Error('x-plans must be a mapping of plans by name.')
  return new Map(
    Object.entries(declared as Record<string, unknown>).map(([name, plan]): [string, Limits | 'custom'] => {
      if (plan === 'custom') return [name, 'custom']
      const { perMinute, perDay } = (plan ?? {}) as Record<string, unknown>
      if (isLimit(perMinute) && isLimit(perDay)) return [name, { perMinute, perDay }]
      throw new Error(`The plan ${name} in x-plans must have perMinute and perDay as positive integers, or be custom.`)
    }),
  )
}

/** The name of the first plan that is not `custom`. */
export function firstPlan(plans: Plans): string | undefined {
  return [...plans].find(([, limits]) => limits !== 'custom')?.[0]
}

/** A plan's name as people read it, such as Free. */
export function planTitle(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

/** Whether a value is a valid limit: a positive integer up to `maxLimit`. */
export function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxLimit
}
