import type { IncomingMessage } from 'node:http'
import rateLimit, { type RateLimitRequestHandler, type Store } from 'express-rate-limit'
import { addressMark } from '../../quota/window-counts.ts'
import { minuteMs, refusalOf } from '../../quota/outcome.ts'

/** Requests for pages that an address may send in a minute; the documentation with all its files takes sixteen. */
const perMinute = 600

/** Limits the requests for pages of each address in a minute of UTC. The store counts them. */
export function pageLimit(
  store: Store,
  addressOf: (request: IncomingMessage) => string,
  now: () => number,
): RateLimitRequestHandler {
  return rateLimit({
    windowMs: minuteMs,
    limit: perMinute,
    store,
    keyGenerator: (request) => `${Math.floor(now() / minuteMs)}:${addressMark}${addressOf(request)}`,
    handler: (_request, _response, next) => {
      const limits = { perMinute, perDay: Infinity }
      next(refusalOf({ verdict: 'minute', limits, minuteUsed: perMinute, dayUsed: 0, now: now() }))
    },
    // the refusal brings its own headers
    legacyHeaders: false,
    validate: false,
  })
}
