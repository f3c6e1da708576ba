import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { figuresOf } from '../../src/quota/outcome.ts'
import { spend, tally, testQuota } from '../support/quota.ts'

const minute = 60_000
const day = 86_400_000
/** The first moment of a day, and so of a minute. */
const midnight = 20_000 * day

describe('a window', () => {
  test('admits its limit and refuses the next request until it ends', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key() }
    expect(tally(await spend(quota, caller, 60, midnight + 59_999))).toEqual({ admitted: 60 })
    const refused = await quota.admit(caller, midnight + 59_999)
    expect(refused.verdict).toBe('minute')
    expect(figuresOf(refused)).toEqual({ limit: 60, remaining: 0, resetS: (midnight + minute) / 1000 })
    const next = await quota.admit(caller, midnight + minute)
    expect(next.verdict).toBe('admitted')
    expect(figuresOf(next).remaining).toBe(59)
  })

  test('of a day goes on refusing across minutes, until midnight UTC', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key('enterprise', { perMinute: 100, perDay: 150 }) }
    const start = midnight + 3 * minute
    expect(tally(await spend(quota, caller, 100, start))).toEqual({ admitted: 100 })
    expect(tally(await spend(quota, caller, 60, start + minute))).toEqual({ admitted: 50, day: 10 })
    expect(tally(await spend(quota, caller, 5, start + 2 * minute))).toEqual({ day: 5 })
    expect((await quota.admit(caller, midnight + day - 1)).verdict).toBe('day')
    expect((await quota.admit(caller, midnight + day)).verdict).toBe('admitted')
  })

  test('is charged nothing for requests that were refused by either window', async () => {
    const quota = await testQuota({ bans: { after: 1_000_000, stepsS: [60] } })
    const caller = { key: quota.key('enterprise', { perMinute: 10, perDay: 25 }) }
    await spend(quota, caller, 1000, midnight)
    expect(quota.peek(caller, midnight)).toMatchObject({ minuteUsed: 10, dayUsed: 10 })
    await spend(quota, caller, 1000, midnight + minute)
    await spend(quota, caller, 1000, midnight + 2 * minute)
    expect(quota.peek(caller, midnight + 2 * minute)).toMatchObject({ minuteUsed: 5, dayUsed: 25 })
  })

  test('is charged nothing for refused requests that were under way together', async () => {
    const quota = await testQuota({ bans: { after: 1_000_000, stepsS: [60] } })
    const caller = { key: quota.key('enterprise', { perMinute: 10, perDay: 15 }) }
    for (const [at, minuteUsed, dayUsed] of [
      [midnight, 10, 10],
      [midnight + minute, 5, 15],
    ] as const) {
      await Promise.all(Array.from({ length: 200 }, async () => quota.admit(caller, at)))
      expect(quota.peek(caller, at)).toMatchObject({ minuteUsed, dayUsed })
    }
  })

  test('admits exactly its limit of many requests at once, and shows each remaining number once', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key() }
    const outcomes = await Promise.all(Array.from({ length: 600 }, async () => quota.admit(caller, midnight)))
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 540 })
    const remaining = outcomes.filter(({ verdict }) => verdict === 'admitted').map((one) => figuresOf(one).remaining)
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
    expect(new Set(outcomes.map((one) => figuresOf(one).resetS)).size).toBe(1)
  })

  test('never admits more than its limit, nor twice the limit in two neighbouring windows, whatever arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 20_000 }), burst: fc.integer({ min: 1, max: 8 }) }), {
          maxLength: 60,
        }),
        async (arrivals) => {
          const quota = await testQuota({ bans: { after: 1_000_000, stepsS: [60] } })
          const caller = { key: quota.key('enterprise', { perMinute: 10, perDay: 60 }) }
          const minutes = new Map<number, number>()
          const days = new Map<number, number>()
          let now = midnight + day - 5 * minute
          for (const { waitMs, burst } of arrivals) {
            now += waitMs
            const outcomes = await Promise.all(Array.from({ length: burst }, async () => quota.admit(caller, now)))
            const admitted = tally(outcomes).admitted ?? 0
            for (const [windows, length] of [
              [minutes, minute],
              [days, day],
            ] as const) {
              windows.set(Math.floor(now / length), (windows.get(Math.floor(now / length)) ?? 0) + admitted)
            }
            const room = Math.min(
              10 - (minutes.get(Math.floor(now / minute)) ?? 0),
              60 - (days.get(Math.floor(now / day)) ?? 0),
            )
            // whoever was refused was refused with reason
            if (admitted < burst) expect(room).toBe(0)
          }
          for (const count of minutes.values()) expect(count).toBeLessThanOrEqual(10)
          for (const count of days.values()) expect(count).toBeLessThanOrEqual(60)
        },
      ),
      { seed: 7, numRuns: 60 },
    )
  })
})

describe('a plan', () => {
  test('that changes within a window counts at once, and the count is kept', async () => {
    const quota = await testQuota()
    const key = quota.key('free')
    await spend(quota, { key }, 60, midnight)
    expect((await quota.admit({ key }, midnight)).verdict).toBe('minute')
    const pro = { ...key, plan: 'pro' }
    const admitted = await quota.admit({ key: pro }, midnight)
    expect(figuresOf(admitted)).toMatchObject({ limit: 300, remaining: 239 })
    expect((await quota.admit({ key }, midnight)).verdict).toBe('minute')
  })

  test('of its own has the limits that stand with the key', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key('enterprise', { perMinute: 3, perDay: 4 }) }
    expect(tally(await spend(quota, caller, 4, midnight))).toEqual({ admitted: 3, minute: 1 })
  })

  test('that the contract no longer has gives the limits of a caller without a key', async () => {
    const quota = await testQuota({ anonymous: { perMinute: 2, perDay: 9 } })
    expect(tally(await spend(quota, { key: quota.key('gold') }, 3, midnight))).toEqual({ admitted: 2, minute: 1 })
  })
})

describe('callers', () => {
  test('have counts of their own, keys and addresses alike', async () => {
    const quota = await testQuota()
    const [one, two] = [{ key: quota.key() }, { key: quota.key() }]
    await spend(quota, one, 61, midnight)
    await spend(quota, { address: '10.0.0.1' }, 61, midnight)
    expect((await quota.admit(two, midnight)).verdict).toBe('admitted')
    expect((await quota.admit({ address: '10.0.0.2' }, midnight)).verdict).toBe('admitted')
  })

  test('do not grow memory without bound: a crowd of addresses leaves keys their counts', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 60, midnight)
    await quota.admit({ address: 'first' }, midnight)
    let filled = 0
    for (let index = 0; index < 300_000; index += 1) {
      await quota.admit({ address: `2001:db8:${index}` }, midnight)
      if (index === 110_000) filled = heapUsed()
    }
    // 110 thousand fill both generations, and the rest adds nothing
    expect(heapUsed() - filled).toBeLessThan(5e6)
    expect(quota.peek(caller, midnight).minuteUsed).toBe(60)
    expect(quota.peek({ address: 'first' }, midnight).minuteUsed).toBe(0)
    expect(quota.peek({ address: '2001:db8:299999' }, midnight).minuteUsed).toBe(1)
  })
})

test('a key whose plan the contract does not have is counted by the limits of strangers, and told of once', async () => {
  const quota = await testQuota({ anonymous: { perMinute: 2, perDay: 9 } })
  const first = quota.key('retired')
  expect(tally(await spend(quota, { key: first }, 3, midnight))).toEqual({ admitted: 2, minute: 1 })
  await quota.admit({ key: quota.key('retired') }, midnight)
  expect(quota.logged).toMatchObject([{ level: 50, keyId: first.id, plan: 'retired' }])
})

/** Bytes in use after a collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

describe('a clock', () => {
  test('that steps back an hour makes nobody wait longer than a window', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 61, midnight + 2 * 3_600_000)
    expect((await quota.admit(caller, midnight + 3_600_000)).verdict).toBe('admitted')
  })

  test('that steps over the edge of a minute and back keeps both counts', async () => {
    const quota = await testQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 40, midnight - 1)
    await spend(quota, caller, 30, midnight + 1)
    expect(quota.peek(caller, midnight - 1).minuteUsed).toBe(40)
    expect(tally(await spend(quota, caller, 30, midnight - 2))).toEqual({ admitted: 20, minute: 10 })
    expect(quota.peek(caller, midnight + 2).minuteUsed).toBe(30)
  })
})
