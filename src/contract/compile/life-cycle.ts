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
export function sunsetOf({ 'x-sunset': sunset }: Lifecycle): number | undefined {
  return sunset === undefined ? undefined : Date.parse(sunset)
}

/**
 * The life-cycle headers of an operation, names and values in turn: `Deprecation` (RFC 9745), `Sunset` (RFC 8594),
 * `Link` to the successor and to the docs, and `X-Stability`. A day stands for midnight UTC.
 */
export function lifecycleHeaders(
  operation: Lifecycle,
  { addressOf, docs }: { addressOf: (operationId: string) => string; docs: string },
): string[] {
  const { deprecated, 'x-deprecated-since': since, 'x-successor': successor, 'x-stability': stability } = operation
  const headers: string[] = []
  const sunset = sunsetOf(operation)
  if (deprecated && since !== undefined) {
    headers.push('Deprecation', `@${Date.parse(since) / 1000}`)
    headers.push('Link', `${link('deprecation', docs)}; type="text/html"`)
  }
  if (sunset !== undefined) headers.push('Sunset', new Date(sunset).toUTCString())
  if (successor !== undefined) headers.push('Link', link('successor-version', addressOf(successor)))
  if (stability !== undefined && stability !== 'stable') headers.push('X-Stability', stability)
  return headers
}
