import { describe, expect, test } from '@jest/globals'
import { figuresOf, quotaHeaders, refusalOf, type Outcome } from '../../src/quota/outcome.ts'

const free = { perMinute: 60, perDay: 1000 }
/** 2026-11-27 22:00:18.250 UTC. */
const now = Date.UTC(2026, 10, 27, 22, 0, 18, 250)
const minuteEnd = Date.UTC(2026, 10, 27, 22, 1) / 1000
const midnight = Date.UTC(2026, 10, 28) / 1000

function outcome(known: Partial<Outcome>): Outcome {
  return { verdict: 'admitted', limits: free, minuteUsed: 1, dayUsed: 1, now, ...known }
}

describe('the three headers', () => {
  test.each<[string, Partial<Outcome>, [limit: number, remaining: number, resetS: number]]>([
    ['the minute of a fresh key', {}, [60, 59, minuteEnd]],
    ['the day when it has fewer requests left', { dayUsed: 961 }, [1000, 39, midnight]],
    ['the day at a tie', { minuteUsed: 10, dayUsed: 950 }, [1000, 50, midnight]],
    [
      'the day when both are used up by the last admitted request',
      { minuteUsed: 60, dayUsed: 1000 },
      [1000, 0, midnight],
    ],
    ['the minute that refused', { verdict: 'minute', minuteUsed: 61, dayUsed: 999 }, [60, 0, minuteEnd]],
    ['the day that refused', { verdict: 'day', minuteUsed: 3, dayUsed: 1001 }, [1000, 0, midnight]],
    ['the end of a ban, rounded up', { verdict: 'banned', bannedUntil: now + 60_000 }, [60, 0, now / 1000 + 60.75]],
    ['nothing below zero when a plan was lowered', { minuteUsed: 200, dayUsed: 200 }, [60, 0, minuteEnd]],
  ])('show %s', (_, known, [limit, remaining, resetS]) => {
    expect(figuresOf(outcome(known))).toEqual({ limit, remaining, resetS })
  })

  test('come with both windows in the form of the IETF draft', () => {
    expect(quotaHeaders(outcome({ minuteUsed: 2, dayUsed: 5 }))).toEqual([
      ...['X-RateLimit-Limit', '60', 'X-RateLimit-Remaining', '58', 'X-RateLimit-Reset', String(minuteEnd)],
      ...['RateLimit-Policy', '"minute";q=60;w=60, "day";q=1000;w=86400'],
      ...['RateLimit', `"minute";r=58;t=42, "day";r=995;t=${midnight - Math.floor(now / 1000)}`],
    ])
  })

  test('tell during a ban that nothing is left until its end, as Retry-After does', () => {
    const banned = outcome({ verdict: 'banned', minuteUsed: 3, dayUsed: 5, bannedUntil: now + 300_000 })
    expect(quotaHeaders(banned).at(-1)).toBe(`"minute";r=0;t=301, "day";r=995;t=${midnight - Math.floor(now / 1000)}`)
    expect(refusalOf(banned)?.headers).toEqual(['Retry-After', '301'])
  })
})

describe('a refusal', () => {
  test.each<[Partial<Outcome>, number, string, string]>([
    [
      { verdict: 'minute' },
      42,
      'rate_limited',
      'The limit of 60 requests per minute is used up; try again in 42 seconds.',
    ],
    [
      { verdict: 'minute', now: now + 41_740 },
      1,
      'rate_limited',
      'The limit of 60 requests per minute is used up; try again in 1 second.',
    ],
    [
      { verdict: 'day' },
      7182,
      'rate_limited',
      'The limit of 1000 requests per day is used up; try again in 7182 seconds.',
    ],
    [
      { verdict: 'banned', bannedUntil: now + 300_000 },
      301,
      'key_banned',
      'This key is banned because it kept sending requests that were refused; try again in 301 seconds.',
    ],
  ])('tells to wait for whole seconds, to the end of what refused: %j', (known, waitS, code, message) => {
    const refusal = refusalOf(outcome(known))
    expect(refusal).toMatchObject({ status: 429, code, message })
    expect(refusal?.headers).toEqual(['Retry-After', String(waitS)])
  })

  test('is none for an admitted request', () => {
    expect(refusalOf(outcome({}))).toBeUndefined()
  })

  test('never asks to wait for less than lies between now and Reset, at any millisecond of a minute', () => {
    for (let ms = 0; ms < 60_000; ms += 7) {
      const at = outcome({ verdict: 'minute', now: now + ms })
      const waitS = Number(refusalOf(at)?.headers[1])
      expect(Number.isInteger(waitS) && waitS >= 1).toBe(true)
      expect(at.now + waitS * 1000).toBeGreaterThanOrEqual(figuresOf(at).resetS * 1000)
    }
  })
})
