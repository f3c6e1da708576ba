import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../api-error.ts'

/**
 * The path and query of a request's target. Scheme and authority of an absolute target are dropped (RFC 9112 section
 * 3.2.2), and `*` stands for itself. Letters, digits and `-._~` that are percent-encoded are decoded, since they mean
 * the same (RFC 3986 section 6.2.2.2). A target that is no path is refused.
 */
export function requestTarget({ method, url = '' }: IncomingMessage): string {
  if (url === '*' && method === 'OPTIONS') return url
  const target = url.startsWith('/') ? url : /^https?:\/\/[^/?#]+(.*)$/i.exec(url)?.[1]
  if (target === undefined || target.includes('#')) throw invalidRequest('The address of the request is not valid.')
  const path = target.startsWith('/') ? target : `/${target}`
  return path.includes('%') ? withUnreserved(path) : path
}

/** The target of a request for a log that people read: of its query the names alone, since a value may be a key. */
export function loggedTarget(request: IncomingMessage): string | undefined {
  let target: string
  try {
    target = requestTarget(request)
  } catch {
    return undefined
  }
  const mark = target.indexOf('?')
  if (mark < 0) return target
  const names = [...new URLSearchParams(target.slice(mark)).keys()]
  return `${target.slice(0, mark)}?${names.join('&')}`
}

/** The path of a request for its span, with `ak_…` in place of a key that a client has put there. */
export function loggedPath(request: IncomingMessage): string | undefined {
  return loggedTarget(request)
    ?.split('?', 1)[0]
    ?.replace(/ak_[0-9A-Za-z]+/g, 'ak_…')
}

function withUnreserved(target: string): string {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const decoded = path.replace(/%[2-7][\dA-Fa-f]/g, (escape) => {
    const letter = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(letter) ? letter : escape
  })
  return mark < 0 ? decoded : decoded + target.slice(mark)
}
