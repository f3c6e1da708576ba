import type { PlaceText } from '../model/files/document.ts'
import { isDay, isStability, stabilities } from '../model/life-cycle.ts'
import { link } from '../link.ts'

/** The life cycle of an operation, as the keywords and extensions of these names state it. */
export interface Lifecycle {
  deprecated?: boolean
  'x-deprecated-since'?: string
  'x-sunset'?: string
  'x-successor'?: string
  'x-stability'?: string
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

/** A date in the contract is a day such as `2030-12-05`; it stands for midnight UTC. */
function dateOf(text: string, name: string, place: PlaceText): Date {
  if (!isDay(text)) throw new Error(`${place()} ${name} must be a date such as "2030-12-05".`)
  return new Date(text)
}
