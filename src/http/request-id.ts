import { randomBytes } from 'node:crypto'

const safe = /^[A-Za-z0-9._-]{1,64}$/

/** Returns the id of a request: the client's `X-Request-Id` when it is safe to log and to send back, else a new one. */
export function requestIds(prefix = randomBytes(4).toString('hex')): (own: string | string[] | undefined) => string {
  let count = 0
  return (own) => {
    if (typeof own === 'string' && safe.test(own)) return own
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
