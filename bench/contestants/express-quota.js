import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { anonymous, failures } from './store.js'

/**
 * What stands before the routes in both Express contestants: the key, two limits of express-rate-limit (its headers
 * off, since it shows one window only), and the contract's three headers of the window with fewer requests left.
 */
export function quota(findKey) {
  return [
    (request, _response, next) => {
      request.key = findKey(request.headers.authorization)
      next()
    },
    limiter('minute', 60_000, 'perMinute'),
    limiter('day', 86_400_000, 'perDay'),
    (request, response, next) => {
      const { minute, day } = request
      showWindow(response, minute.remaining < day.remaining ? minute : day)
      next()
    },
  ]
}

/** Answers 401 to a request without a valid key. */
export function requireKey(request, response, next) {
  if (request.key) return next()
  unauthorized(response)
}

export function unauthorized(response) {
  response.set('WWW-Authenticate', 'Bearer').status(401).json(failures.unauthorized)
}

function limiter(name, windowMs, limit) {
  return rateLimit({
    windowMs,
    limit: (request) => (request.key ?? anonymous)[limit],
    keyGenerator: (request) => request.key?.id ?? ipKeyGenerator(request.ip),
    requestPropertyName: name,
    standardHeaders: false,
    legacyHeaders: false,
    handler: (request, response) => {
      const window = request[name]
      showWindow(response, window)
      response.set('Retry-After', String(Math.max(1, Math.ceil((window.resetTime.getTime() - Date.now()) / 1000))))
      response.status(429).json(failures.limited(window.limit, name))
    },
  })
}

function showWindow(response, { limit, remaining, resetTime }) {
  response.set('X-RateLimit-Limit', String(limit))
  response.set('X-RateLimit-Remaining', String(remaining))
  response.set('X-RateLimit-Reset', String(Math.ceil(resetTime.getTime() / 1000)))
}
