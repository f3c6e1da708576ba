import type { IncomingMessage } from 'node:http'

/** How long a browser may keep the answer to a preflight, in seconds. */
const maxAgeS = 600

export interface CorsParts {
  /** The allowed origins; `*` allows all. */
  origins: readonly string[]
  /** The request headers that the contract declares. */
  requestHeaders: readonly string[]
}

/**
 * Headers that let pages of the allowed origins read an answer (Fetch standard, CORS protocol), names and values in
 * turn; none when no origin is allowed.
 */
export function corsHeaders({ origins, requestHeaders }: CorsParts, { method, headers }: IncomingMessage): string[] {
  if (origins.length === 0) return []
  const { origin } = headers
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return ['Vary', 'Origin']
  const allowed = ['Vary', 'Origin', 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', '*']
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return allowed
  return [
    ...allowed,
    'Access-Control-Allow-Methods',
    '*',
    // the wildcard would not include Authorization
    'Access-Control-Allow-Headers',
    ['Authorization', 'Content-Type', 'X-Request-Id', ...requestHeaders].join(', '),
    'Access-Control-Max-Age',
    String(maxAgeS),
  ]
}
