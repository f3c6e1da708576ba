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
