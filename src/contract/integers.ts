/** The limits of the format int64. */
export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

/** A JSON integer without fraction or exponent, as a `number` when that is exact. */
export function exactInteger(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

/** A value as JSON in which integers beyond 2^53 - 1 keep their digits: for telling values apart, not for reading. */
export function exactText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
}
