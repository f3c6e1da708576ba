import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { client } from '../support/client.ts'
import { endAll, run, serve, testFolder } from '../support/process.ts'
import { describeBalancers, startBalancer, type BalancerName } from '../support/servers/balancers.ts'
import { testPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { freePort, testRedis, type TestRedis } from '../support/servers/redis.ts'
import { eventually } from '../support/wait.ts'

jest.setTimeout(600_000)

testFolder()
afterEach(endAll)

/** The fewest requests of a rolling restart. */
const fewest = 20_000

describeBalancers('a rolling restart of three processes', () => {
  let postgres: TestPostgres
  let redis: TestRedis
  beforeAll(async () => {
    postgres = await testPostgres()
    redis = await testRedis()
    await Promise.all([postgres.start(), redis.start()])
  })
  afterAll(async () => {
    await Promise.all([postgres.stop(), redis.stop()])
  })

  test.each<BalancerName>(['nginx', 'haproxy'])(
    'behind %s, at the documented settings and under load, fails no request',
    async (name) => {
      const url = await postgres.newDatabase()
      const env = { DATABASE_URL: url, REDIS_URL: redis.url, NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '' }
      const limits = ['--per-minute', '1000000', '--per-day', '1000000']
      const made = await run(['scripts/keys.ts', 'create', '--plan', 'enterprise', ...limits, '--json'], env)
      const { key } = JSON.parse(made.stdout) as { key: string }
      const ports = await Promise.all([freePort(), freePort(), freePort()])
      const start = (port: number): ReturnType<typeof serve> => serve({ ...env, PORT: String(port) })
      const running = await Promise.all(ports.map(start))
      const balancer = await startBalancer(name, ports)
      await eventually(async () => (await fetch(`http://127.0.0.1:${balancer.port}/readyz`)).ok)

      const failed: unknown[] = []
      const created = new Set<string>()
      let sent = 0
      let stop = false
      const work = Array.from({ length: 12 }, async (_, worker) => {
        const { send, end } = client(balancer.port, key)
        const ask = async (path: string, body?: string): Promise<string> => {
          sent += 1
          const answer = await send(path, body).catch((error: unknown) => ({ status: 0, body: String(error) }))
          if (answer.status !== (body === undefined ? 200 : 201)) failed.push(answer)
          return answer.body
        }
        for (let round = 0; !stop; round += 1) {
          const id = /"id":(\d+)/.exec(await ask('/v1/pets', `${worker}-${round}`))?.[1]
          if (id === undefined) continue
          created.add(id)
          await ask(`/v1/pets/${id}`)
        }
        end()
      })
      for (const [index, old] of running.entries()) {
        old.child.kill('SIGTERM')
        expect(await old.ended).toBe(0)
        const next = await start(ports[index] ?? 0)
        running[index] = next
        await eventually(async () => (await fetch(`http://127.0.0.1:${next.port}/readyz`)).ok)
      }
      await eventually(() => sent >= fewest)
      stop = true
      await Promise.all(work)

      expect({ failed, errors: failed.length > 0 ? balancer.errors() : '' }).toEqual({ failed: [], errors: '' })
      const stored = await postgres.sql(url, 'SELECT id FROM pets')
      expect(new Set(stored.map(({ id }) => String(id)))).toEqual(created)
      expect(stored).toHaveLength(created.size)
      process.stdout.write(`rolling restart behind ${name}: ${sent} requests, ${created.size} animals, 0 failed\n`)
      await balancer.stop()
      await Promise.all(running.map(({ stop }) => stop()))
    },
  )
})
