import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../api-error.ts'

/**
 * The path and query of a request's target. Scheme and authority of an absolute target are dropped (RFC 9112 section
 * 3.2.2), and `*` stands for itself. A target that is no path, and a request without exactly one Host, are refused.
 */
export function targetOf({ method, url = '', httpVersion, rawHeaders }: IncomingMessage): string {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw invalidRequest('The request must have one Host header.')
  }
  if (url === '*' && method === 'OPTIONS') return url
  const target = url.startsWith('/') ? url : /^https?:\/\/[^/?#]+(.*)$/i.exec(url)?.[1]
  if (target === undefined || target.includes('#')) throw invalidRequest('The address of the request is not valid.')
  return target.startsWith('/') ? target : `/${target}`
}
