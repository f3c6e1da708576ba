/** Headers that the road sets, so that handlers do not have to. */
export const roadHeaders = [
  'Allow',
  'Deprecation',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Stability',
] as const

/** Headers that every message has from its server, and `Content-Type`, whose declaration OpenAPI ignores. */
const ofMessages = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']

export function isRoadHeader(name: string): boolean {
  return (roadHeaders as readonly string[]).includes(name) || ofMessages.includes(name.toLowerCase())
}
