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

/** Parses a number of JSON, of which every digit of an integer is kept. */
export function exactNumber(digits: string): number | bigint {
  return /^-?\d+$/.test(digits) ? exactInteger(digits) : Number(digits)
}

const integerForm = /^(?:0|-?[1-9][0-9]*)$/
const numberForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/

/** The number that a text of a request stands for; undefined for none, and for another one where only integers are meant. */
export function numberFrom(text: string, { onlyIntegers }: { onlyIntegers: boolean }): number | bigint | undefined {
  if (integerForm.test(text)) return exactInteger(text)
  return !onlyIntegers && numberForm.test(text) ? Number(text) : undefined
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

/** A text that is the same for equal values alone, however they were written. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(BigInt(value)) : String(value)
  if (value instanceof Uint8Array) return `<${Buffer.from(value).toString('base64')}>`
  if (Array.isArray(value)) return `[${value.map(valueText).join()}]`
  if (value === undefined) return '-'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const inOrder = fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${inOrder.map(([name, field]) => `${JSON.stringify(name)}:${valueText(field)}`).join()}}`
}
