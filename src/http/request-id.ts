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

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

/** The trace id in a `traceparent` header (W3C Trace Context, section 3.2); undefined when it has none that is valid. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  const id = typeof header === 'string' ? traceparent.exec(header)?.[1] : undefined
  return id === noTrace ? undefined : id
}

const noTrace = '0'.repeat(32)
