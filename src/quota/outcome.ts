import { keyBanned, rateLimited, type ApiError } from '../api-error.ts'
import type { Limits } from './plans.ts'

export const minuteMs = 60_000
export const dayMs = 86_400_000

/** The decision on a request, with all that its headers and its refusal are made from. Times are Unix time in ms. */
export interface Outcome {
  /** `minute` and `day` name the window that refused. */
  verdict: 'admitted' | 'minute' | 'day' | 'banned'
  limits: Limits
  /** Requests charged to the current windows, this one included when it was admitted. */
  minuteUsed: number
  dayUsed: number
  now: number
  /** The end of the ban, when the verdict is `banned`. */
  bannedUntil?: number
}

/** The values of the three `X-RateLimit-*` headers. */
interface Figures {
  limit: number
  remaining: number
  /** Unix time in seconds. */
  resetS: number
}

/** The end of the window that contains `now`. Windows begin at whole multiples of their length, in UTC. */
function windowEnd(now: number, lengthMs: number): number {
  return (Math.floor(now / lengthMs) + 1) * lengthMs
}

/** The figures of one window: the refusing one, else the one with fewer requests left; when equal, the day. */
export function figuresOf({ verdict, limits, minuteUsed, dayUsed, now, bannedUntil = now }: Outcome): Figures {
  const minute = window(limits.perMinute, minuteUsed, windowEnd(now, minuteMs))
  const day = window(limits.perDay, dayUsed, windowEnd(now, dayMs))
  switch (verdict) {
    case 'banned':
      return { limit: limits.perMinute, remaining: 0, resetS: Math.ceil(bannedUntil / 1000) }
    case 'minute':
      return { ...minute, remaining: 0 }
    case 'day':
      return { ...day, remaining: 0 }
    case 'admitted':
      return minute.remaining < day.remaining ? minute : day
  }
}

/** The quota headers of an answer, names and values in turn: three of the contract, two of the IETF draft. */
export function quotaHeaders(outcome: Outcome): string[] {
  const { verdict, limits, minuteUsed, dayUsed, now } = outcome
  const { limit, remaining, resetS } = figuresOf(outcome)
  const { perMinute, perDay } = limits
  // during a ban nothing is left until its end
  const banned = verdict === 'banned'
  const minuteLeft = banned ? 0 : Math.max(0, perMinute - minuteUsed)
  const minuteS = banned ? secondsUntil(resetS, now) : secondsLeft(now, minuteMs)
  const dayLeft = Math.max(0, perDay - dayUsed)
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(resetS),
    'RateLimit-Policy',
    `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
    'RateLimit',
    `"minute";r=${minuteLeft};t=${minuteS}, "day";r=${dayLeft};t=${secondsLeft(now, dayMs)}`,
  ]
}

/** How long to wait until a time in Unix seconds, in seconds. */
function secondsUntil(endS: number, now: number): number {
  return Math.max(1, Math.ceil((endS * 1000 - now) / 1000))
}

function secondsLeft(now: number, lengthMs: number): number {
  return Math.ceil((windowEnd(now, lengthMs) - now) / 1000)
}

/** The error that a refused request is answered with; undefined when it was admitted. */
export function refusalOf(outcome: Outcome): ApiError | undefined {
  const { verdict, now } = outcome
  if (verdict === 'admitted') return undefined
  const { limit, resetS } = figuresOf(outcome)
  const seconds = secondsUntil(resetS, now)
  const headers = ['Retry-After', String(seconds)]
  const wait = `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return verdict === 'banned'
    ? keyBanned(`This key is banned because it kept sending requests that were refused; ${wait}`, headers)
    : rateLimited(`The limit of ${limit} requests per ${verdict} is used up; ${wait}`, headers)
}

function window(limit: number, used: number, end: number): Figures {
  return { limit, remaining: Math.max(0, limit - used), resetS: end / 1000 }
}
