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
