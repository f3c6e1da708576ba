import { randomBytes } from 'node:crypto'

const sane = /^[A-Za-z0-9._-]{1,64}$/

/** Names a request: with the caller's own `X-Request-Id` when that is safe to log and send back, else with a new one. */
export function requestIds(prefix = randomBytes(4).toString('hex')): (own: string | string[] | undefined) => string {
  let count = 0
  return (own) => {
    if (typeof own === 'string' && sane.test(own)) return own
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
