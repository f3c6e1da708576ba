import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Outcome } from '../../../src/quota/outcome.ts'
import type { Key } from '../../../src/store/store.ts'
import { burst, testQuota, until, type TestQuota } from '../../support/quota.ts'
import { describeRedis, testRedis, type TestRedis } from '../../support/servers/redis.ts'
import { weather, type Weather } from '../../support/servers/weather.ts'

const minute = 60_000
const day = 86_400_000
const start = 20_000 * day
const limits = { perMinute: 60, perDay: 100 }
/** Every change is on disk before its reply is sent. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'always']
const { SEED = '7', RUNS = '40' } = process.env

/** One process of the service, and the network between it and Redis. */
interface Side {
  quota: TestQuota
  network: Weather
}

type Step =
  | { does: 'send'; side: 0 | 1; caller: number; count: number }
  | { does: 'delay'; side: 0 | 1; way: 'there' | 'back'; ms: number }
  | { does: 'stall'; side: 0 | 1; way: 'there' | 'back' }
  | { does: 'clear' | 'cut'; side: 0 | 1 }
  | { does: 'wait'; ms: number }
  | { does: 'freeze' | 'thaw' | 'restart' | 'flush scripts' | 'next minute' }

const side = fc.constantFrom(0 as const, 1 as const)
const way = fc.constantFrom('there' as const, 'back' as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('send' as const),
      side,
      caller: fc.nat(2),
      count: fc.integer({ min: 1, max: 25 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(5, 50, 170, 400) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('stall' as const), side, way }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('clear' as const, 'cut' as const), side }) },
  fc.record({ does: fc.constant('delay' as const), side, way, ms: fc.constantFrom(0, 20, 100, 200) }),
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'freeze' as const,
        'thaw' as const,
        'restart' as const,
        'flush scripts' as const,
        'next minute' as const,
      ),
    }),
  },
)

/** Two processes on one Redis, with three callers and what was decided for each of them. */
interface World {
  redis: TestRedis
  sides: readonly [Side, Side]
  callers: readonly { key: Key; decided: Promise<Outcome[]>[] }[]
  now: number
}

async function open(): Promise<World> {
  const redis = await testRedis()
  await redis.start(...durable)
  const openSide = async (): Promise<Side> => {
    const network = await weather(redis.port)
    const quota = await testQuota({ redisUrl: `redis://127.0.0.1:${network.port}`, now: () => world.now })
    return { quota, network }
  }
  const world: World = { redis, sides: [], callers: [], now: start } as never
  const sides = [await openSide(), await openSide()] as const
  const callers = [0, 1, 2].map(() => ({ key: sides[0].quota.key('enterprise', limits), decided: [] }))
  return Object.assign(world, { sides, callers })
}

async function take(step: Step, world: World): Promise<void> {
  const { redis, sides, callers } = world
  switch (step.does) {
    case 'send': {
      const caller = callers[step.caller]
      if (caller) caller.decided.push(burst(sides[step.side].quota, { key: caller.key }, step.count, world.now))
      return
    }
    case 'delay':
      sides[step.side].network.delayMs[step.way] = step.ms
      return
    case 'stall':
      sides[step.side].network.stall(step.way)
      return
    case 'clear':
    case 'cut':
      sides[step.side].network[step.does]()
      return
    case 'wait':
      return sleep(step.ms)
    case 'freeze':
    case 'thaw':
      redis[step.does]()
      return
    case 'restart':
      await redis.kill()
      await redis.start(...durable)
      return
    case 'flush scripts':
      redis.thaw()
      await redis.client().script('FLUSH')
      return
    case 'next minute':
      world.now += minute
  }
}

async function check({ redis, sides, callers, now }: World): Promise<void> {
  redis.thaw()
  for (const { network } of sides) {
    network.delayMs.there = network.delayMs.back = 0
    network.clear()
  }
  await until(() => sides.every(({ quota }) => !quota.degraded()))
  const client = redis.client()
  for (const { key, decided } of callers) {
    const outcomes = (await Promise.all(decided)).flat()
    const admitted = outcomes.filter(({ verdict }) => verdict === 'admitted')
    const expected = { day: admitted.length, minute: admitted.filter((outcome) => outcome.now === now).length }
    const charged = async (): Promise<typeof expected> => {
      const names = [`day:${start / day}`, `minute:${now / minute}`]
      const [ofDay, ofMinute] = await client.mget(names.map((name) => `animal-store:test:${name}:${key.id}`))
      return { day: Number(ofDay), minute: Number(ofMinute) }
    }
    await until(async () => JSON.stringify(await charged()) === JSON.stringify(expected)).catch(() => undefined)
    expect(await charged()).toEqual(expected)
    if (outcomes.some(({ verdict }) => verdict === 'day')) {
      expect(admitted.length).toBeGreaterThanOrEqual(limits.perDay)
    }
    if (sides.every(({ quota }) => quota.logged.length === 0)) {
      expect(expected.day).toBeLessThanOrEqual(limits.perDay)
      expect(expected.minute).toBeLessThanOrEqual(limits.perMinute)
    }
  }
}

describeRedis('quotas in bad weather', () => {
  test('charge what was admitted, and send nobody away until midnight while the day has room', async () => {
    let degraded = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const world = await open()
        try {
          for (const one of steps) await take(one, world)
          await check(world)
          if (world.sides.some(({ quota }) => quota.logged.length > 0)) degraded += 1
        } finally {
          for (const { quota, network } of world.sides) {
            quota.close()
            await network.close()
          }
          await world.redis.stop()
        }
      }),
      { seed: Number(SEED), numRuns: Number(RUNS), endOnFailure: true },
    )
    // the weather was bad indeed
    expect(degraded).toBeGreaterThan(Number(RUNS) / 4)
  }, 900_000)
})
