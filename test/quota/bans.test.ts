import { describe, expect, test } from '@jest/globals'
import { figuresOf, type Outcome } from '../../src/quota/outcome.ts'
import type { Key } from '../../src/store/store.ts'
import { spend, tally, testQuota, until, type TestQuota } from '../support/quota.ts'

const minute = 60_000
const start = 20_000 * 86_400_000

/** Uses a Free key up, and gives the first moment at which a refusal is a strike. */
async function exhaust(quota: TestQuota, key: Key, at: number): Promise<number> {
  expect(tally(await spend(quota, { key }, 61, at))).toEqual({ admitted: 60, minute: 1 })
  return at + 1001
}

/** Bans a Free key; gives the last answer. */
async function ban(quota: TestQuota, key: Key, at: number): Promise<Outcome> {
  const late = await exhaust(quota, key, at)
  const last = (await spend(quota, { key }, 30, late)).at(-1)
  if (!last) throw new Error('nothing was sent')
  return last
}

describe('a ban', () => {
  test('comes with the 30th strike of a Free key, and not before', async () => {
    const quota = await testQuota()
    const key = quota.key()
    const late = await exhaust(quota, key, start)
    expect(tally(await spend(quota, { key }, 29, late))).toEqual({ minute: 29 })
    const banned = await quota.admit({ key }, late)
    expect(banned).toMatchObject({ verdict: 'banned', bannedUntil: late + minute })
    expect(figuresOf(banned)).toEqual({ limit: 60, remaining: 0, resetS: Math.ceil((late + minute) / 1000) })
    expect(quota.logged.filter(({ msg }) => msg === 'key banned')).toMatchObject([{ keyId: key.id }])
  })

  test('does not come from a burst that was under way when the first refusal came', async () => {
    const quota = await testQuota()
    const key = quota.key()
    await exhaust(quota, key, start)
    expect(tally(await spend(quota, { key }, 200, start + 1000))).toEqual({ minute: 200 })
  })

  test('does not come from a few refusals a minute, all day', async () => {
    const quota = await testQuota()
    const key = quota.key('enterprise', { perMinute: 60, perDay: 1 })
    await quota.admit({ key }, start)
    for (let at = start; at < start + 86_400_000; at += minute) {
      expect(tally(await spend(quota, { key }, 3, at + 5000))).toEqual({ day: 3 })
    }
  })

  test('needs half the requests of a minute as strikes, but at least 20', async () => {
    for (const [perMinute, strikes] of [
      [10, 20],
      [300, 150],
      [1000, 500],
    ] as const) {
      const quota = await testQuota()
      const key = quota.key('enterprise', { perMinute, perDay: 1 })
      await spend(quota, { key }, 2, start)
      expect(tally(await spend(quota, { key }, strikes, start + 2000))).toEqual({ day: strikes - 1, banned: 1 })
    }
  })

  test('is not made longer by requests during it, charges nothing, and ends on time', async () => {
    const quota = await testQuota()
    const key = quota.key()
    const { bannedUntil = 0, now } = await ban(quota, key, start)
    expect(tally(await spend(quota, { key }, 500, now + 30_000))).toEqual({ banned: 500 })
    expect(await quota.admit({ key }, bannedUntil - 1)).toMatchObject({ verdict: 'banned', bannedUntil })
    expect(quota.peek({ key }, bannedUntil)).toMatchObject({ minuteUsed: 0, dayUsed: 60 })
    expect((await quota.admit({ key }, bannedUntil)).verdict).toBe('admitted')
  })

  test('takes 1, 5, 15 and then 60 minutes, and begins anew after a day without', async () => {
    const quota = await testQuota()
    const key = quota.key('enterprise', { perMinute: 60, perDay: 100_000 })
    let at = start
    for (const minutes of [1, 5, 15, 60, 60]) {
      const { bannedUntil = 0, now } = await ban(quota, key, at)
      expect(bannedUntil - now).toBe(minutes * minute)
      at = Math.ceil(bannedUntil / minute) * minute
    }
    const { bannedUntil = 0, now } = await ban(quota, key, at + 86_400_000)
    expect(bannedUntil - now).toBe(minute)
  })

  test("holds on another instance by the key's record alone", async () => {
    const quota = await testQuota()
    const key = quota.key()
    const { bannedUntil = 0 } = await ban(quota, key, start)
    const other = await testQuota()
    expect(await other.admit({ key }, bannedUntil - 1)).toMatchObject({ verdict: 'banned', bannedUntil })
  })

  test('is lifted within 2 seconds after the record has none any more', async () => {
    const quota = await testQuota()
    const key = quota.key()
    const { now } = await ban(quota, key, start)
    key.ban = undefined
    // the minute is still used up, which is another matter than the ban
    expect((await quota.admit({ key }, now + 2000)).verdict).toBe('minute')
    expect((await quota.admit({ key }, start + minute)).verdict).toBe('admitted')
  })

  test('holds here until its end when it cannot be stored, and that is logged', async () => {
    const quota = await testQuota({ keys: { ban: () => Promise.reject(new Error('disk')) } })
    const key = quota.key()
    const { bannedUntil = 0 } = await ban(quota, key, start)
    expect((await quota.admit({ key }, bannedUntil - 1)).verdict).toBe('banned')
    expect((await quota.admit({ key }, bannedUntil)).verdict).toBe('admitted')
    expect(quota.logged.map(({ msg }) => msg)).toEqual(['ban not stored, this is tried again'])
  })

  test('that could not be stored is stored a second later, and can be lifted then', async () => {
    let now = start
    let attempts = 0
    const stored: unknown[] = []
    const ban = async (_: string, made: unknown): Promise<void> => {
      attempts += 1
      if (attempts < 3) throw new Error('locked')
      stored.push(made)
    }
    const quota = await testQuota({ keys: { ban }, now: () => now, bans: { after: 3, stepsS: [3600] } })
    const key = quota.key()
    const late = await exhaust(quota, key, start)
    const banned = (await spend(quota, { key }, 3, late)).at(-1)
    expect(banned).toMatchObject({ verdict: 'banned', bannedUntil: late + 3_600_000 })
    now = late + 10_000
    await until(() => stored.length > 0)
    expect({ attempts, stored }).toEqual({ attempts: 3, stored: [{ until: late + 3_600_000, level: 0 }] })
    expect(quota.logged.map(({ msg }) => msg)).toEqual(['ban not stored, this is tried again', 'key banned'])
    // the record, which has no ban any more, counts from now on
    expect((await quota.admit({ key }, now + 1999)).verdict).toBe('banned')
    expect((await quota.admit({ key }, start + minute)).verdict).toBe('admitted')
    quota.close()
  })

  test('that could not be stored until its end is not stored', async () => {
    let now = start
    const attempts: number[] = []
    const ban = async (): Promise<void> => {
      attempts.push(now)
      throw new Error('locked')
    }
    const quota = await testQuota({ keys: { ban }, now: () => now, bans: { after: 3, stepsS: [60] } })
    const key = quota.key()
    await spend(quota, { key }, 3, await exhaust(quota, key, start))
    await until(() => attempts.length > 1)
    now += 2 * minute
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(attempts.filter((at) => at > start)).toEqual([])
    quota.close()
  })

  test('comes from requests by when they came, and not by when they are begun', async () => {
    const quota = await testQuota({ bans: { after: 3, stepsS: [60] } })
    const key = quota.key()
    const late = await exhaust(quota, key, start)
    const outcomes = Array.from({ length: 50 }, async (_, index) =>
      quota.admit({ key }, late + 100 * index, start + index),
    )
    expect(tally(await Promise.all(outcomes))).toEqual({ minute: 50 })
    for (const came of [start + 1001, start + 1002]) {
      expect((await quota.admit({ key }, late + 6000, came)).verdict).toBe('minute')
    }
    expect((await quota.admit({ key }, late + 6000, start + 1003)).verdict).toBe('banned')
  })

  test('does not touch other keys, nor addresses', async () => {
    const quota = await testQuota()
    await ban(quota, quota.key(), start)
    expect((await quota.admit({ key: quota.key() }, start)).verdict).toBe('admitted')
    await spend(quota, { address: '10.0.0.1' }, 60, start)
    expect(tally(await spend(quota, { address: '10.0.0.1' }, 500, start + 5000))).toEqual({ minute: 500 })
  })

  test('that a stepped clock put far ahead is not believed', async () => {
    const quota = await testQuota()
    const key = quota.key()
    key.ban = { until: start + 10 * 3_600_000, level: 0 }
    expect((await quota.admit({ key }, start)).verdict).toBe('admitted')
  })

  test('comes when the operator says so', async () => {
    const quota = await testQuota({ bans: { after: 3, stepsS: [7] } })
    const key = quota.key()
    const late = await exhaust(quota, key, start)
    expect((await spend(quota, { key }, 3, late)).at(-1)).toMatchObject({ verdict: 'banned', bannedUntil: late + 7000 })
  })
})
