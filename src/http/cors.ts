import type { IncomingMessage } from 'node:http'

/** How long a browser may keep the answer to a preflight, in seconds. */
const maxAgeS = 600

/**
 * Headers that let pages of the allowed origins read an answer (Fetch standard, CORS protocol), names and values in
 * turn; none when no origin is allowed. `*` allows all origins.
 */
export function corsHeaders(origins: readonly string[], request: IncomingMessage): string[] {
  if (origins.length === 0) return []
  const { origin } = request.headers
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return ['Vary', 'Origin']
  const allowed = ['Vary', 'Origin', 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', '*']
  if (!isPreflight(request)) return allowed
  return [
    ...allowed,
    'Access-Control-Allow-Methods',
    '*',
    // any header, since tracing adds its own; the wildcard does not include Authorization
    'Access-Control-Allow-Headers',
    '*, Authorization',
    'Access-Control-Max-Age',
    String(maxAgeS),
  ]
}

/** Whether a browser asks if it may send a request. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
