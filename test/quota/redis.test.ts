import type { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { figuresOf, type Outcome } from '../../src/quota/outcome.ts'
import { spend, tally, testQuota, type TestQuota } from '../support/quota.ts'
import { describeRedis, testRedis, type TestRedis } from '../support/servers/redis.ts'

const minute = 60_000
const start = 20_000 * 86_400_000
/** Whoever has no answer by then hangs: many times Redis' time-out, for a busy machine. */
const patienceMs = 5000

let redis: TestRedis
const quotas: TestQuota[] = []
beforeEach(async () => {
  redis = await testRedis()
})
afterEach(async () => {
  for (const quota of quotas.splice(0)) quota.close()
  await redis.stop()
})

async function sharedQuota(redisUrl = redis.url): Promise<TestQuota> {
  const quota = await testQuota({ redisUrl })
  quotas.push(quota)
  return quota
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It did not come about in time.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function timed(work: () => Promise<Outcome[]>): Promise<{ outcomes: Outcome[]; ms: number }> {
  const began = performance.now()
  const outcomes = await work()
  return { outcomes, ms: performance.now() - began }
}

function messages(quota: TestQuota): unknown[] {
  return quota.logged.map(({ msg }) => msg)
}

const lost = 'redis does not answer, quotas are counted in this process'
const refused = 'redis refuses to count, quotas are counted in this process'
const noDatabase = 'redis has no database 99, quotas are counted in this process'
const found = 'redis is back, quotas are shared'

/** Adds up figures that Redis keeps of a command, such as `calls` or `rejected_calls`. */
async function statistic(client: Redis, command: string, ...figures: string[]): Promise<number> {
  const info = await client.info('commandstats')
  const line = new RegExp(`^cmdstat_${command}:(.*)$`, 'm').exec(info)?.[1] ?? ''
  return figures.reduce((sum, name) => sum + Number(new RegExp(`\\b${name}=(\\d+)`).exec(line)?.[1] ?? 0), 0)
}

describeRedis('quotas over Redis', () => {
  test('are exact across instances: of 200 requests at once, 60 are admitted and each remaining number is shown once', async () => {
    await redis.start()
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
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key('enterprise', { perMinute: 10, perDay: 15 }) }
    await Promise.all(Array.from({ length: 50 }, async () => quota.admit(caller, start)))
    await Promise.all(Array.from({ length: 50 }, async () => quota.admit(caller, start + minute)))
    const client = redis.client()
    const count = (name: string, window: number): Promise<string | null> =>
      client.get(`animal-store:${name}:${window}:${caller.key.id}`)
    await until(async () => (await count('minute', (start + minute) / minute)) === '5')
    expect(await count('minute', start / minute)).toBe('10')
    expect(await count('day', start / 86_400_000)).toBe('15')
  })

  test("cost one round trip for each admitted request, as the server's own statistics tell", async () => {
    await redis.start()
    const quota = await sharedQuota()
    const client = redis.client()
    const caller = { key: quota.key('pro') }
    await quota.admit(caller, start)
    const before = await statistics()
    await spend(quota, caller, 100, start)
    const after = await statistics()
    // two round trips would be 200 reads; a few more than 100 are this test's own questions
    expect(after.reads - before.reads).toBeLessThan(110)
    expect(after.increments - before.increments).toBe(200)

    async function statistics(): Promise<{ reads: number; increments: number }> {
      const info = `${await client.info('stats')}${await client.info('commandstats')}`
      const number = (pattern: RegExp): number => Number(pattern.exec(info)?.[1] ?? 0)
      return { reads: number(/total_reads_processed:(\d+)/), increments: number(/cmdstat_evalsha:calls=(\d+)/) }
    }
  })

  test('ask nothing for a key that is known to have used up its window', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 61, start)
    const client = redis.client()
    const calls = async (): Promise<string | undefined> =>
      /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]
    const before = await calls()
    expect(tally(await spend(quota, caller, 500, start))).toEqual({ minute: 500 })
    expect(await calls()).toBe(before)
  })

  test('start with Redis down, and are shared once it is up', async () => {
    const quota = await sharedQuota()
    const { outcomes, ms } = await timed(() => spend(quota, { key: quota.key() }, 61, start))
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 1 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await redis.start()
    await until(() => !quota.degraded())
    const other = await sharedQuota()
    const caller = { key: quota.key('pro') }
    await spend(quota, caller, 100, start)
    expect(figuresOf((await spend(other, caller, 1, start))[0] as Outcome).remaining).toBe(199)
    expect(messages(quota)).toEqual([lost, found])
  })

  test('go on in this process, from the count last seen, while Redis is gone, and come back by themselves', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 40, start)
    await redis.kill()
    const { outcomes, ms } = await timed(() => spend(quota, caller, 40, start))
    expect(tally(outcomes)).toEqual({ admitted: 20, minute: 20 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await redis.start()
    await until(() => !quota.degraded())
    expect((await quota.admit({ key: quota.key() }, start)).verdict).toBe('admitted')
    expect(messages(quota)).toEqual([lost, found])
  })

  test('do not hang on a frozen Redis, neither one request nor many at once', async () => {
    await redis.start()
    const quota = await sharedQuota()
    redis.freeze()
    const { outcomes, ms } = await timed(() =>
      Promise.all(Array.from({ length: 100 }, async () => quota.admit({ key: quota.key() }, start))),
    )
    expect(tally(outcomes)).toEqual({ admitted: 100 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    // a hundred time-outs would take three times as long
    const next = await timed(() => spend(quota, { key: quota.key() }, 100, start))
    expect(next.ms).toBeLessThan(patienceMs)
    redis.thaw()
    await until(() => !quota.degraded())
    expect(messages(quota)).toEqual([lost, found])
  })

  test('survive SCRIPT FLUSH, with every request counted once', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 10, start)
    await redis.client().script('FLUSH')
    const outcomes = await Promise.all(Array.from({ length: 100 }, async () => quota.admit(caller, start)))
    expect(tally(outcomes)).toEqual({ admitted: 50, minute: 50 })
    expect(quota.degraded()).toBe(false)
  })

  test('survive a Redis that was restarted empty, and never admit more than the limit again', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 30, start)
    await redis.kill()
    await redis.start()
    await until(async () => {
      await quota.admit({ address: 'probe' }, start)
      return !quota.degraded()
    })
    const outcomes = await spend(quota, caller, 100, start)
    expect(tally(outcomes).admitted).toBeLessThanOrEqual(60)
    expect(tally(outcomes).admitted).toBeGreaterThanOrEqual(30)
  })

  test('mend a counter that has no expiry', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    const client = redis.client()
    const name = `animal-store:minute:${start / minute}:${caller.key.id}`
    await client.set(name, '5000')
    expect((await quota.admit(caller, start)).verdict).toBe('admitted')
    expect(await client.pttl(name)).toBeGreaterThan(0)
  })

  test('give every counter an expiry, also when a charge is taken back after it is gone', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const caller = { key: quota.key('enterprise', { perMinute: 5, perDay: 100 }) }
    const client = redis.client()
    await Promise.all(Array.from({ length: 20 }, async () => quota.admit(caller, start)))
    await client.flushall()
    await Promise.all(Array.from({ length: 20 }, async () => quota.admit({ key: quota.key() }, start)))
    for (const name of await client.keys('animal-store:*')) expect(await client.pttl(name)).toBeGreaterThan(0)
  })

  test('count in this process while Redis is a replica that takes no writes', async () => {
    await redis.start()
    const quota = await sharedQuota()
    const client = redis.client()
    await client.replicaof('127.0.0.1', 1)
    const { outcomes, ms } = await timed(() => spend(quota, { key: quota.key() }, 61, start))
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 1 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await client.replicaof('NO', 'ONE')
    await until(() => !quota.degraded())
    expect(messages(quota)).toEqual([refused, found])
  })

  test.each(['-@scripting', '-script', '-incr', '-eval'])(
    'are counted in this process while the user of Redis has no right to count (%s)',
    async (right) => {
      await redis.start()
      const client = redis.client()
      await client.acl('SETUSER', 'lim', 'on', '>pw', '~*', '+@all', right)
      const quota = await sharedQuota(redis.url.replace('//', '//lim:pw@'))
      const caller = { key: quota.key() }
      const outcomes = await Promise.all(Array.from({ length: 61 }, async () => quota.admit(caller, start)))
      expect(tally(outcomes)).toEqual({ admitted: 60, minute: 1 })
      await until(() => quota.degraded())
      const counted = (): Promise<number> => statistic(client, 'evalsha', 'calls', 'rejected_calls')
      const before = await counted()
      // at least two probes, with requests between them
      await until(async () => {
        await quota.admit({ key: quota.key() }, start)
        return (await counted()) >= before + 3
      })
      expect(quota.degraded()).toBe(true)
      expect(messages(quota)).toEqual([refused])
      await client.acl('SETUSER', 'lim', '+@all')
      await until(() => !quota.degraded())
      expect(messages(quota)).toEqual([refused, found])
    },
  )

  test('write nothing to database 0 when Redis does not have the database', async () => {
    await redis.start()
    const client = redis.client()
    const quota = await sharedQuota(`${redis.url}/99`)
    expect(quota.degraded()).toBe(true)
    expect(tally(await spend(quota, { key: quota.key() }, 61, start))).toEqual({ admitted: 60, minute: 1 })
    await until(async () => (await statistic(client, 'select', 'failed_calls')) >= 4)
    expect(quota.degraded()).toBe(true)
    expect(await client.dbsize()).toBe(0)
    expect(quota.logged).toEqual([expect.objectContaining({ level: 40, reason: 'ERR', msg: noDatabase })])
  })

  test('tell that Redis does not have the database also when it comes up later', async () => {
    const quota = await sharedQuota(`${redis.url}/99`)
    await redis.start()
    const client = redis.client()
    await until(async () => (await statistic(client, 'select', 'failed_calls')) >= 4)
    expect(quota.degraded()).toBe(true)
    expect(await client.dbsize()).toBe(0)
    expect(messages(quota)).toEqual([lost, noDatabase])
  })

  test('are shared in the database of the address, once it may be selected', async () => {
    await redis.start()
    const client = redis.client()
    await client.acl('SETUSER', 'lim', 'on', '>pw', '~*', '+@all', '-select')
    const quota = await sharedQuota(`${redis.url.replace('//', '//lim:pw@')}/1`)
    expect(quota.degraded()).toBe(true)
    await client.acl('SETUSER', 'lim', '+select')
    await until(() => !quota.degraded())
    await spend(quota, { key: quota.key() }, 1, start)
    expect(messages(quota)).toEqual([refused, found])
    expect(await client.dbsize()).toBe(0)
    await client.select(1)
    expect(await client.keys('animal-store:minute:*')).toHaveLength(1)
  })

  test('log no password', async () => {
    const quota = await testQuota({ redisUrl: `redis://user:secret-word@127.0.0.1:${redis.port}` })
    quotas.push(quota)
    await quota.admit({ address: 'probe' }, start)
    await until(() => quota.logged.length > 0)
    expect(JSON.stringify(quota.logged)).not.toContain('secret-word')
  })
})
