/** The values of `x-stability`, the least stable first. */
export const stabilities = ['experimental', 'beta', 'stable'] as const

export function isStability(value: unknown): value is (typeof stabilities)[number] {
  return (stabilities as readonly unknown[]).includes(value)
}

/** Whether a value is a day of the calendar, such as `2028-02-29`. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string') return false
  const date = new Date(`${value}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
