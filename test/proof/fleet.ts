import { setTimeout as sleep } from 'node:timers/promises'
import { endAll, makeKey, startService, type Backing, type Service } from '../faults/service.ts'
import { testPostgres, type TestPostgres } from '../support/servers/postgres-server.ts'
import { testRedis, type TestRedis } from '../support/servers/redis-server.ts'
import { roundRobin } from '../support/round-robin.ts'

/** Two processes of the service on one PostgreSQL and one Redis, all of our own. */
export interface Fleet {
  backing: Backing
  /** A key with limits that no run reaches. */
  key: string
  postgres: TestPostgres
  redis: TestRedis
  services: readonly [Service, Service]
  /** Puts a load balancer in front, and gives its address. */
  balance: () => Promise<string>
  /** Waits until both processes say that they are ready, with all that they need. */
  untilReady: () => Promise<void>
  stop: () => Promise<void>
}

/** How long a process may take to be ready again, in ms. */
const patienceMs = 30_000
const degraded = 'quotas are counted in this process'
const tries = 5

export async function startFleet(): Promise<Fleet> {
  const endings: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end()
  }
  try {
    const postgres = await testPostgres()
    endings.push(postgres.stop)
    const redis = await testRedis()
    endings.push(redis.stop)
    await Promise.all([postgres.start(), redis.start()])
    const url = await postgres.newDatabase()
    await postgres.sql(url, 'CREATE EXTENSION pg_stat_statements')
    const backing = { DATABASE_URL: url, REDIS_URL: redis.url }
    endings.push(endAll)
    const key = await makeKey(backing)
    const services = await Promise.all([startService(backing), startService(backing)])
    return {
      backing,
      key,
      postgres,
      redis,
      services,
      balance: async () => {
        const balancer = await roundRobin()
        endings.push(balancer.close)
        for (const { address } of services) await balancer.add(Number(new URL(address).port))
        return `http://127.0.0.1:${balancer.port}`
      },
      untilReady: async () => {
        await Promise.all(services.map(untilReady))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * What `count` resolves with. It is done again when Redis was too slow meanwhile, so that a process counted by itself as
 * it says in its log. Rejects after five such tries.
 */
export async function undisturbed<Counted>(fleet: Fleet, count: () => Promise<Counted>): Promise<Counted> {
  for (let tried = 1; tried <= tries; tried += 1) {
    const before = timesAlone(fleet)
    const counted = await count()
    if (timesAlone(fleet) === before) return counted
    await fleet.untilReady()
  }
  throw new Error(`Redis was too slow in ${tries} tries.`)
}

function timesAlone({ services }: Fleet): number {
  return services.flatMap(({ warnings }) => warnings.filter((text) => text.endsWith(degraded))).length
}

async function untilReady({ address }: Service): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const answer = await fetch(new URL('/readyz', address))
    const text = await answer.text()
    if (text === '{"status":"ready"}') return
    if (performance.now() > deadline) throw new Error(`A process is not ready again: ${answer.status} ${text}`)
    await sleep(10)
  }
}
