/** How many requests a caller has, in whole minutes and whole days of UTC. */
export interface Limits {
  perMinute: number
  perDay: number
}

/** The plans by name; `custom` ones have their limits in the key. */
export type Plans = ReadonlyMap<string, Limits | 'custom'>

/** The greatest limit that can be given. */
export const maxLimit = 1_000_000_000

/** Reads the contract's `x-plans`. A plan that is no pair of positive integers throws a sentence. */
export function readPlans(contract: unknown): Plans {
  const declared = (contract as { 'x-plans'?: unknown })['x-plans']
  if (typeof declared !== 'object' || declared === null) throw new Error('The contract needs x-plans.')
  return new Map(
    Object.entries(declared as Record<string, unknown>).map(([name, plan]): [string, Limits | 'custom'] => {
      if (plan === 'custom') return [name, 'custom']
      const { perMinute, perDay } = (plan ?? {}) as Record<string, unknown>
      if (isLimit(perMinute) && isLimit(perDay)) return [name, { perMinute, perDay }]
      throw new Error(`The plan ${name} in x-plans must have perMinute and perDay as positive integers, or be custom.`)
    }),
  )
}

/** The first plan that has limits of its own, so that a key of it needs none. */
export function firstPlan(plans: Plans): string | undefined {
  return [...plans].find(([, limits]) => limits !== 'custom')?.[0]
}

/** A plan's name as people read it, such as Free. */
export function planTitle(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

/** Whether a value can be a limit: a positive integer. */
export function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxLimit
}
