import type { Redis } from 'ioredis'
import { afterEach, expect, test } from '@jest/globals'
import { figuresOf, type Outcome } from '../../../src/quota/outcome.ts'
import { burst, spend, tally, until, type TestQuota } from '../../support/quota.ts'
import { describeRedis } from '../../support/servers/redis.ts'
import { redisQuotas } from '../../support/shared-quotas.ts'
import { weather, type Weather } from '../../support/servers/weather.ts'

const minute = 60_000
const start = 20_000 * 86_400_000
/** What the names of all counters begin with. */
const prefix = 'animal-store:test:'
/** Whoever has no answer by then hangs: many times Redis' time-out, for a busy machine. */
const patienceMs = 5000

const { redis, sharedQuota } = redisQuotas()
const networks: Weather[] = []
afterEach(async () => {
  for (const network of networks.splice(0)) await network.close()
})

async function badNetwork(): Promise<Weather> {
  const network = await weather(redis().port)
  networks.push(network)
  return network
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

/** What Redis has counted of a key's windows at the start. */
async function used(client: Redis, id: string): Promise<{ minute: number; day: number }> {
  const names = [`${prefix}minute:${start / minute}:${id}`, `${prefix}day:${start / 86_400_000}:${id}`]
  const [ofMinute, ofDay] = await client.mget(...names)
  return { minute: Number(ofMinute), day: Number(ofDay) }
}

describeRedis('quotas over a Redis that fails', () => {
  test('start with Redis down, and are shared once it is up', async () => {
    const quota = await sharedQuota()
    const { outcomes, ms } = await timed(() => spend(quota, { key: quota.key() }, 61, start))
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 1 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await redis().start()
    await until(() => !quota.degraded())
    const other = await sharedQuota()
    const caller = { key: quota.key('pro') }
    await spend(quota, caller, 100, start)
    expect(figuresOf((await spend(other, caller, 1, start))[0] as Outcome).remaining).toBe(199)
    expect(messages(quota)).toEqual([lost, found])
  })

  test('go on in this process, from the count last seen, while Redis is gone, and come back by themselves', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 40, start)
    await redis().kill()
    const { outcomes, ms } = await timed(() => spend(quota, caller, 40, start))
    expect(tally(outcomes)).toEqual({ admitted: 20, minute: 20 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await redis().start()
    await until(() => !quota.degraded())
    expect((await quota.admit({ key: quota.key() }, start)).verdict).toBe('admitted')
    expect(messages(quota)).toEqual([lost, found])
  })

  test('do not hang on a frozen Redis, neither one request nor many at once', async () => {
    await redis().start()
    const quota = await sharedQuota()
    redis().freeze()
    const { outcomes, ms } = await timed(() =>
      Promise.all(Array.from({ length: 100 }, async () => quota.admit({ key: quota.key() }, start))),
    )
    expect(tally(outcomes)).toEqual({ admitted: 100 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    // a hundred time-outs would take three times as long
    const next = await timed(() => spend(quota, { key: quota.key() }, 100, start))
    expect(next.ms).toBeLessThan(patienceMs)
    redis().thaw()
    await until(() => !quota.degraded())
    expect(messages(quota)).toEqual([lost, found])
  })

  test('are right after a stall: what was admitted is charged, and no more', async () => {
    await redis().start()
    const client = redis().client()
    const network = await badNetwork()
    const [one, two] = [await sharedQuota(`redis://127.0.0.1:${network.port}`), await sharedQuota()]
    const caller = { key: one.key('enterprise', { perMinute: 500, perDay: 1000 }) }
    await burst(one, caller, 200, start)
    for (const direction of ['there', 'back'] as const) {
      network.stall(direction)
      // the first are sent and get no reply in time, the others come while this process counts alone
      const admitted = tally([...(await burst(one, caller, 50, start)), ...(await burst(one, caller, 10, start))])
      expect(admitted).toEqual({ admitted: 60 })
      await new Promise((resolve) => setTimeout(resolve, 400))
      network.clear()
      await until(() => !one.degraded())
    }
    await until(async () => (await used(client, caller.key.id)).day === 320)
    expect(await used(client, caller.key.id)).toEqual({ minute: 320, day: 320 })
    expect(tally(await burst(two, caller, 1000, start))).toEqual({ admitted: 180, minute: 820 })
  })

  test('are charged once when the connection is lost with the reply, or before the command', async () => {
    await redis().start()
    const client = redis().client()
    const network = await badNetwork()
    const quota = await sharedQuota(`redis://127.0.0.1:${network.port}`)
    const caller = { key: quota.key('enterprise', { perMinute: 500, perDay: 1000 }) }
    let admitted = 0
    for (const direction of ['back', 'there'] as const) {
      await burst(quota, caller, 10, start)
      network.stall(direction)
      const late = burst(quota, caller, 30, start)
      await new Promise((resolve) => setTimeout(resolve, 50))
      network.cut()
      network.clear()
      expect(tally(await late)).toEqual({ admitted: 30 })
      await until(() => !quota.degraded())
      admitted += 40
      await until(async () => (await used(client, caller.key.id)).day === admitted)
      expect(await used(client, caller.key.id)).toEqual({ minute: admitted, day: admitted })
    }
  })

  test('bring the requests of an outage to Redis, those of more callers than one command takes too', async () => {
    await redis().start()
    const client = redis().client()
    const quota = await sharedQuota()
    redis().freeze()
    await quota.admit({ key: quota.key() }, start)
    expect(quota.degraded()).toBe(true)
    const keys = Array.from({ length: 700 }, () => quota.key())
    for (const key of keys) await spend(quota, { key }, 2, start)
    redis().thaw()
    await until(() => !quota.degraded())
    await until(async () => (await client.dbsize()) >= 1400)
    for (const key of keys) expect(await used(client, key.id)).toEqual({ minute: 2, day: 2 })
  })

  test('take a reply in time that came while the process was busy', async () => {
    await redis().start()
    const quota = await sharedQuota()
    await quota.admit({ key: quota.key() }, start)
    const late = burst(quota, { key: quota.key() }, 10, start)
    // the command leaves before, and its time-out passes meanwhile
    setImmediate(() => {
      const end = performance.now() + 400
      while (performance.now() < end);
    })
    expect(tally(await late)).toEqual({ admitted: 10 })
    expect(quota.degraded()).toBe(false)
  })

  test('do not wait for a Redis that loads its data, and are shared once it has', async () => {
    await redis().startLoading(6000)
    const began = performance.now()
    const quota = await sharedQuota()
    expect(performance.now() - began).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    expect(tally(await spend(quota, { key: quota.key() }, 61, start))).toEqual({ admitted: 60, minute: 1 })
    await until(() => !quota.degraded())
    expect(messages(quota)).toEqual([lost, found])
  })

  test('survive a Redis that was restarted empty, and never admit more than the limit again', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const caller = { key: quota.key() }
    await spend(quota, caller, 30, start)
    await redis().kill()
    await redis().start()
    await until(async () => {
      await quota.admit({ address: 'probe' }, start)
      return !quota.degraded()
    })
    const outcomes = await spend(quota, caller, 100, start)
    expect(tally(outcomes).admitted).toBeLessThanOrEqual(60)
    expect(tally(outcomes).admitted).toBeGreaterThanOrEqual(30)
  })

  test('count in this process while Redis is a replica that takes no writes', async () => {
    await redis().start()
    const quota = await sharedQuota()
    const client = redis().client()
    await client.replicaof('127.0.0.1', 1)
    const { outcomes, ms } = await timed(() => spend(quota, { key: quota.key() }, 61, start))
    expect(tally(outcomes)).toEqual({ admitted: 60, minute: 1 })
    expect(ms).toBeLessThan(patienceMs)
    expect(quota.degraded()).toBe(true)
    await client.replicaof('NO', 'ONE')
    await until(() => !quota.degraded())
    expect(messages(quota)).toEqual([refused, found])
  })

  test.each(['-@scripting', '-script', '-evalsha', '-incrby', '-set'])(
    'are counted in this process while the user of Redis has no right to count (%s)',
    async (right) => {
      await redis().start()
      const client = redis().client()
      await client.acl('SETUSER', 'lim', 'on', '>pw', '~*', '+@all', right)
      const quota = await sharedQuota(redis().url.replace('//', '//lim:pw@'))
      const caller = { key: quota.key() }
      // the first makes the counters, the others add to them
      expect(tally(await spend(quota, caller, 61, start))).toEqual({ admitted: 60, minute: 1 })
      expect(quota.degraded()).toBe(true)
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
    await redis().start()
    const client = redis().client()
    const quota = await sharedQuota(`${redis().url}/99`)
    expect(quota.degraded()).toBe(true)
    expect(tally(await spend(quota, { key: quota.key() }, 61, start))).toEqual({ admitted: 60, minute: 1 })
    await until(async () => (await statistic(client, 'select', 'failed_calls')) >= 4)
    expect(quota.degraded()).toBe(true)
    expect(await client.dbsize()).toBe(0)
    expect(quota.logged).toEqual([expect.objectContaining({ level: 40, reason: 'ERR', msg: noDatabase })])
  })

  test('tell that Redis does not have the database also when it comes up later', async () => {
    const quota = await sharedQuota(`${redis().url}/99`)
    await redis().start()
    const client = redis().client()
    await until(async () => (await statistic(client, 'select', 'failed_calls')) >= 4)
    expect(quota.degraded()).toBe(true)
    expect(await client.dbsize()).toBe(0)
    expect(messages(quota)).toEqual([lost, noDatabase])
  })

  test('are shared in the database of the address, once it may be selected', async () => {
    await redis().start()
    const client = redis().client()
    await client.acl('SETUSER', 'lim', 'on', '>pw', '~*', '+@all', '-select')
    const quota = await sharedQuota(`${redis().url.replace('//', '//lim:pw@')}/1`)
    expect(quota.degraded()).toBe(true)
    await client.acl('SETUSER', 'lim', '+select')
    await until(() => !quota.degraded())
    await spend(quota, { key: quota.key() }, 1, start)
    expect(messages(quota)).toEqual([refused, found])
    expect(await client.dbsize()).toBe(0)
    await client.select(1)
    expect(await client.keys(`${prefix}minute:*`)).toHaveLength(1)
  })

  test('log no password', async () => {
    const quota = await sharedQuota(`redis://user:secret-word@127.0.0.1:${redis().port}`)
    await quota.admit({ address: 'probe' }, start)
    await until(() => quota.logged.length > 0)
    expect(JSON.stringify(quota.logged)).not.toContain('secret-word')
  })
})
