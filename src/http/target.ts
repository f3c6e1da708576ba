import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../api-error.ts'

/**
 * The path and query of a request's target. Scheme and authority of an absolute target are dropped (RFC 9112 section
 * 3.2.2), and `*` stands for itself. A target that is no path is refused.
 */
export function targetOf({ method, url = '' }: IncomingMessage): string {
  if (url === '*' && method === 'OPTIONS') return url
  const target = url.startsWith('/') ? url : /^https?:\/\/[^/?#]+(.*)$/i.exec(url)?.[1]
  if (target === undefined || target.includes('#')) throw invalidRequest('The address of the request is not valid.')
  return target.startsWith('/') ? target : `/${target}`
}
