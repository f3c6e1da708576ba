/** The limits of the format int64. */
export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

/** Whether a value is a number, of which integers beyond 2^53 - 1 are a `bigint`. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Parses an integer without fraction or exponent: a `number` if that is exact, else a `bigint`. */
export function exactInteger(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

/** Writes a value as JSON with every digit of a `bigint`, as `1n`. For comparing values; it cannot be parsed. */
export function exactText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // it has a bigint; asking for each part takes several times as long
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
  }
}
