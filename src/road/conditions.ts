import type { IncomingMessage } from 'node:http'
import { preconditionFailed } from '../api-error.ts'
import { etag } from '../contract/etag.ts'

/** Whether what is stored, or undefined where nothing is, is as a request expects it. */
export type When = (stored: unknown) => boolean

/**
 * What the headers `If-Match` and `If-None-Match` of a request expect (RFC 9110 section 13.1); undefined when it has none.
 * A GET that `If-None-Match` does not let pass is a 304, which its handler answers; all else is a 412.
 */
export function whenOf({ method, headers }: IncomingMessage): When | undefined {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (match === undefined && noneMatch === undefined) return undefined
  const isRead = method === 'GET' || method === 'HEAD'
  return (stored) => {
    const tag = stored === undefined ? undefined : etag(stored)
    if (match !== undefined && !isNamed(match, tag, false)) {
      if (isRead) throw preconditionFailed('This is not as the request expects it.')
      return false
    }
    return noneMatch === undefined || !isNamed(noneMatch, tag, true)
  }
}

const one = String.raw`(?:W/)?"[!\x23-\x7e\x80-\xff]*"`
const list = new RegExp(`^[ \\t,]*${one}(?:[ \\t]*,(?:[ \\t]*${one})?)*[ \\t]*$`)
const each = new RegExp(one, 'g')

/** Whether a header names a tag. Tags that are marked as weak count for `If-None-Match` alone (section 8.8.3.2). */
function isNamed(header: string, tag: string | undefined, weak: boolean): boolean {
  if (tag === undefined) return false
  if (header.trim() === '*') return true
  // what is no list of tags names none
  if (!list.test(header)) return false
  return header.match(each)?.some((named) => named === tag || (weak && named === `W/${tag}`)) === true
}
