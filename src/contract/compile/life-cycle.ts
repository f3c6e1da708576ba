import { messageOf } from '../../failure.ts'
import type { PlaceText } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { link } from '../link.ts'

/** The life cycle of an operation, as the keywords and extensions of these names state it. */
export interface Lifecycle {
  deprecated?: boolean
  'x-deprecated-since'?: string
  'x-sunset'?: string
  'x-successor'?: string
  'x-stability'?: string
}

/** The values of `x-stability`, the least stable first. */
export const stabilities = ['experimental', 'beta', 'stable'] as const

export function isStability(value: unknown): value is (typeof stabilities)[number] {
  return (stabilities as readonly unknown[]).includes(value)
}

/** When the operation will be removed, in Unix time in ms; undefined when the contract does not say so. */
export function sunsetOf({ 'x-sunset': sunset }: Lifecycle, place: PlaceText): number | undefined {
  return sunset === undefined ? undefined : dateOf(sunset, 'x-sunset', place).getTime()
}

/**
 * The life-cycle headers of an operation, names and values in turn: `Deprecation` (RFC 9745), `Sunset` (RFC 8594),
 * `Link` to the successor and to the docs, and `X-Stability`. An invalid value throws an error that begins with
 * `place`.
 */
export function lifecycleHeaders(
  operation: Lifecycle,
  {
    place,
    addressOf,
    docs,
  }: { place: PlaceText; addressOf: (operationId: string) => string | undefined; docs: string },
): string[] {
  const headers: string[] = []
  const since = operation['x-deprecated-since']
  const sunset = sunsetOf(operation, place)
  const successor = operation['x-successor']
  const stability = operation['x-stability']
  if (operation.deprecated && since !== undefined) {
    headers.push('Deprecation', `@${dateOf(since, 'x-deprecated-since', place).getTime() / 1000}`)
    headers.push('Link', `${link('deprecation', docs)}; type="text/html"`)
  }
  if (sunset !== undefined) headers.push('Sunset', new Date(sunset).toUTCString())
  if (successor !== undefined) {
    const address = addressOf(successor)
    if (address === undefined) throw new Error(`${place()} x-successor names ${successor}, which is no operation.`)
    headers.push('Link', link('successor-version', address))
  }
  if (stability !== undefined && !isStability(stability)) {
    throw new Error(`${place()} x-stability must be ${stabilities.join(', ')}.`)
  }
  if (stability !== undefined && stability !== 'stable') headers.push('X-Stability', stability)
  return headers
}

/** The fault in an operation's life cycle, if there is one. `isOperation` tells whether an operationId exists. */
export function lifecycleFindings(
  operation: Lifecycle,
  at: readonly string[],
  isOperation: (operationId: string) => boolean,
): Finding[] {
  try {
    const addressOf = (operationId: string): string | undefined => (isOperation(operationId) ? '/' : undefined)
    lifecycleHeaders(operation, { place: () => '', addressOf, docs: '/' })
    return []
  } catch (error) {
    return [{ severity: 'error', kind: 'life cycle', at, message: messageOf(error).trim() }]
  }
}

/** A date in the contract is a day such as `2030-12-05`; it stands for midnight UTC. */
function dateOf(text: string, name: string, place: PlaceText): Date {
  if (!isDay(text)) throw new Error(`${place()} ${name} must be a date such as "2030-12-05".`)
  return new Date(text)
}

/** Whether a text is a day of the calendar, such as 2028-02-29. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
