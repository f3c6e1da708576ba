import { inside } from './error-messages.ts'
import { decodeSegment } from './query.ts'

/** The cookies of these names (RFC 6265 section 4.2.1). Of several the first counts. */
export function readCookies(header: unknown, names: ReadonlySet<string>): Record<string, unknown> {
  const cookies: Record<string, unknown> = {}
  for (const pair of typeof header === 'string' ? header.split(';') : []) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals).trim()
    if (equals < 0 || !names.has(name) || Object.hasOwn(cookies, name)) continue
    const value = pair.slice(equals + 1).trim()
    cookies[name] = decodeSegment(value.replace(/^"(.*)"$/, '$1'), inside('cookie', name))
  }
  return cookies
}
