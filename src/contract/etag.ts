import { createHash } from 'node:crypto'
import { valueText } from '../integers.ts'

/** The strong entity tag of a value (RFC 9110 section 8.8.3): equal values have the same one on every process. */
export function etag(value: unknown): string {
  return `"${createHash('sha256').update(valueText(value)).digest('base64url').slice(0, 22)}"`
}
