import type { Redis } from 'ioredis'
import { expect, test } from '@jest/globals'
import { figuresOf } from '../../../src/quota/outcome.ts'
import { burst, spend, tally } from '../../support/quota.ts'
import { describeRedis } from '../../support/servers/redis.ts'
import { redisQuotas } from '../../support/shared-quotas.ts'

const minute = 60_000
const start = 20_000 * 86_400_000
/** What the names of all counters begin with. */
const prefix = 'animal-store:test:'

const { redis, sharedQuota } = redisQuotas()

/** Adds up figures that Redis keeps of a command, such as `calls` or `rejected_calls`. */
async function statistic(client: Redis, command: string, ...figures: string[]): Promise<number> {
  const info = await client.info('commandstats')
  const line = new RegExp(`^cmdstat_${command}:(.*)$`, 'm').exec(info)?.[1] ?? ''
  return figures.reduce((sum, name) => sum + Number(new RegExp(`\\b${name}=(\\d+)`).exec(line)?.[1] ?? 0), 0)
}

describeRedis('quotas over Redis', () => {
  test('are exact across instances: of 200 requests at once, 60 are admitted and each remaining number is shown once', async () => {
    await redis().start()
    const [one, two] = [await sharedQuota(), await sharedQuota()]
    const key = one.key()
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => (index % 2 ? one : two).admit({ key }, start)),
    )
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 140 })
    const remaining = outcomes.filter(({ verdict }) => verdict === 'admitted').map((each) => figuresOf(each).remaining)
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
  })

  test('charge refused requests to neither window', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key('enterprise', { perMinute: 10, perDay: 15 }) }
    await burst(quota, caller, 50, start)
    await burst(quota, caller, 50, start + minute)
    const client = redis().client()
    const count = (name: string, window: number): Promise<string | null> =>
      client.get(`${prefix}${name}:${window}:${caller.key.id}`)
    expect(await count('minute', (start + minute) / minute)).toBe('5')
    expect(await count('minute', start / minute)).toBe('10')
    expect(await count('day', start / 86_400_000)).toBe('15')
  })

  test("cost one command for each request that comes alone, as the server's own statistics tell", async () => {
    await redis().start()
    const quota = await sharedQuota()
    const client = redis().client()
    const caller = { key: quota.key('pro') }
    await quota.admit(caller, start)
    const before = await statistics()
    await spend(quota, caller, 100, start)
    const after = await statistics()
    // a few more than 100 are this test's own questions
    expect(after.reads - before.reads).toBeLessThan(110)
    expect(after.increments - before.increments).toBe(100)

    async function statistics(): Promise<{ reads: number; increments: number }> {
      const info = `${await client.info('stats')}${await client.info('commandstats')}`
      const number = (pattern: RegExp): number => Number(pattern.exec(info)?.[1] ?? 0)
      return { reads: number(/total_reads_processed:(\d+)/), increments: number(/cmdstat_evalsha:calls=(\d+)/) }
    }
  })

  test('cost one command for all requests of a turn, whoever sends them', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const client = redis().client()
    const callers = Array.from({ length: 40 }, (_, index) =>
      index % 2 ? { key: quota.key('pro') } : { address: `192.0.2.${index}` },
    )
    await quota.admit({ key: quota.key() }, start)
    const before = await statistic(client, 'evalsha', 'calls')
    const outcomes = await Promise.all(callers.flatMap((caller) => burst(quota, caller, 5, start)))
    expect(tally(outcomes.flat())).toEqual({ admitted: 200 })
    expect((await statistic(client, 'evalsha', 'calls')) - before).toBe(1)
    const remaining = outcomes.map((each) => each.map((one) => figuresOf(one).remaining))
    for (const [index, each] of remaining.entries()) {
      expect(each).toEqual(index % 2 ? [299, 298, 297, 296, 295] : [59, 58, 57, 56, 55])
    }
  })

  test('cost a command for 500 callers at most, and leave none out', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const client = redis().client()
    await quota.admit({ key: quota.key() }, start)
    const before = await statistic(client, 'evalsha', 'calls')
    const outcomes = await Promise.all(
      Array.from({ length: 1200 }, async (_, index) => quota.admit({ address: `2001:db8:${index}` }, start)),
    )
    expect(tally(outcomes)).toEqual({ admitted: 1200 })
    expect(outcomes.every(({ minuteUsed, dayUsed }) => minuteUsed === 1 && dayUsed === 1)).toBe(true)
    expect((await statistic(client, 'evalsha', 'calls')) - before).toBe(3)
    expect(quota.degraded()).toBe(false)
  })

  test('tell a burst beyond the minute of the minute, while the day has room, in every process', async () => {
    await redis().start()
    const [one, two] = [await sharedQuota(), await sharedQuota()]
    const caller = { key: one.key('enterprise', { perMinute: 60, perDay: 1000 }) }
    for (let at = 0; at < 14; at += 1) await spend(one, caller, at < 13 ? 60 : 20, start + at * minute)
    const late = start + 14 * minute
    const outcomes = (await Promise.all([burst(one, caller, 300, late), burst(two, caller, 12, late)])).flat()
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 252 })
    for (const quota of [one, two]) expect(tally(await spend(quota, caller, 3, late))).toEqual({ minute: 3 })
    // 140 were left of the day
    const after = await Promise.all([burst(one, caller, 30, late + minute), burst(two, caller, 30, late + minute)])
    expect(tally(after.flat())).toEqual({ admitted: 60 })
    expect(tally(await burst(one, caller, 60, late + 2 * minute))).toEqual({ admitted: 60 })
    expect(tally(await burst(two, caller, 60, late + 3 * minute))).toEqual({ admitted: 20, day: 40 })
    expect(one.degraded() || two.degraded()).toBe(false)
  })

  test('judge each request of a turn by the limits that it came with', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const key = quota.key('enterprise', { perMinute: 5, perDay: 100 })
    const raised = { ...key, custom: { perMinute: 8, perDay: 100 } }
    const [first, second] = await Promise.all([
      burst(quota, { key }, 6, start),
      burst(quota, { key: raised }, 6, start),
    ])
    expect(tally(first)).toEqual({ admitted: 5, minute: 1 })
    expect(tally(second)).toEqual({ admitted: 3, minute: 3 })
    expect(second.map(({ minuteUsed }) => minuteUsed)).toEqual([6, 7, 8, 8, 8, 8])
  })

  test('of two installations on one Redis are kept apart, those of one in several processes are not', async () => {
    await redis().start()
    const quotas = await Promise.all(
      ['one', 'one', 'two'].map((installation) => sharedQuota(redis().url, { installation })),
    )
    const tallies = []
    for (const quota of quotas) tallies.push(tally(await burst(quota, { address: '192.0.2.1' }, 50, start)))
    expect(tallies).toEqual([{ admitted: 50 }, { admitted: 10, minute: 40 }, { admitted: 50 }])
  })

  test('need the rights of the guide, and no others', async () => {
    await redis().start()
    const rights = ['+@connection', '+info', '+evalsha', '+script|load', '+get', '+pttl', '+set', '+incrby']
    await redis()
      .client()
      .acl('SETUSER', 'lim', 'on', '>pw', '~animal-store:*', ...rights)
    const quota = await sharedQuota(redis().url.replace('//', '//lim:pw@'))
    const caller = { key: quota.key() }
    expect(tally(await spend(quota, caller, 61, start))).toEqual({ admitted: 60, minute: 1 })
    expect(quota.degraded()).toBe(false)
    expect(quota.logged).toEqual([])
  })

  test('ask nothing for a key that is known to have used up its window', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 61, start)
    const client = redis().client()
    const calls = async (): Promise<string | undefined> =>
      /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]
    const before = await calls()
    expect(tally(await spend(quota, caller, 500, start))).toEqual({ minute: 500 })
    expect(await calls()).toBe(before)
  })

  test('survive SCRIPT FLUSH, with every request counted once', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 10, start)
    await redis().client().script('FLUSH')
    const outcomes = await burst(quota, caller, 100, start)
    expect(tally(outcomes)).toEqual({ admitted: 50, minute: 50 })
    expect(quota.degraded()).toBe(false)
  })

  test('mend a counter that has no expiry, or no number', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    const client = redis().client()
    const name = `${prefix}minute:${start / minute}:${caller.key.id}`
    for (const set of [() => client.set(name, '5000'), () => client.set(name, 'x', 'PX', 60_000)]) {
      await set()
      expect((await quota.admit(caller, start)).verdict).toBe('admitted')
      expect(await client.get(name)).toBe('1')
      expect(await client.pttl(name)).toBeGreaterThan(0)
    }
  })

  test('give everything that they write an expiry', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const client = redis().client()
    await burst(quota, { key: quota.key('enterprise', { perMinute: 5, perDay: 100 }) }, 20, start)
    await client.flushall()
    await burst(quota, { key: quota.key() }, 20, start)
    const names = await client.keys('*')
    expect(names.length).toBeGreaterThan(2)
    for (const name of names) expect(await client.pttl(name)).toBeGreaterThan(0)
  })
})
