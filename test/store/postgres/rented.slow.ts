import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { describePgbouncer, startPgbouncer } from '../../support/servers/pgbouncer.ts'
import { describePostgres, testPostgres } from '../../support/servers/postgres.ts'
import { startService, type TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

interface Load {
  acknowledged: string[]
  /** How many requests were answered by each status. */
  statuses: Record<string, number>
}

/** Creates and reads over so many clients of each service at once, until it is over. */
async function load(services: readonly TestService[], clients: number, until: () => Promise<unknown>): Promise<Load> {
  const acknowledged: string[] = []
  const statuses: Record<string, number> = {}
  let isOver = false
  const count = (status: number): number => (statuses[status] = (statuses[status] ?? 0) + 1)
  const client = async ({ call }: TestService, number: string): Promise<void> => {
    for (let index = 0; !isOver; index += 1) {
      const name = `N${number}-${index}`
      const { status } = await call('post', '/pets').send({ name, categoryId: 1 })
      if (status === 201) acknowledged.push(name)
      count(status)
      count((await call('get', '/pets?limit=1')).status)
    }
  }
  const running = services.flatMap((service, place) =>
    Array.from({ length: clients }, (_, number) => client(service, `${place}-${number}`)),
  )
  try {
    await until()
  } finally {
    isOver = true
  }
  await Promise.all(running)
  return { acknowledged, statuses }
}

describePostgres('a failover of PostgreSQL', () => {
  test('is followed by a URL of both servers, and loses nothing that was acknowledged', async () => {
    const first = await testPostgres()
    await first.start()
    const second = await testPostgres(first)
    await second.start()
    const url = await first.newDatabase()
    await first.sql(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await first.sql(url, 'SELECT pg_reload_conf()')
    const database = new URL(url).pathname.slice(1)
    const both = url.replace(/127.0.0.1:\d+/, `127.0.0.1:${first.port},127.0.0.1:${second.port}`)
    const service = await startService({ DATABASE_URL: `${both}?target_session_attrs=read-write` })
    let unavailableMs = 0
    const { acknowledged, statuses } = await load([service], 8, async () => {
      await sleep(1000)
      const beganMs = performance.now()
      await first.kill()
      await second.promote()
      await eventually(
        async () => (await service.call('post', '/pets').send({ name: 'x', categoryId: 1 })).status === 201,
      )
      unavailableMs = performance.now() - beganMs
      await sleep(1000)
    })
    const stored = (await second.sql(second.urlOf(database), 'SELECT name FROM pets')).map(({ name }) => name)
    expect(acknowledged.filter((name) => !stored.includes(name))).toEqual([])
    expect(stored.filter((name, at) => name !== 'x' && stored.indexOf(name) !== at)).toEqual([])
    expect(Object.keys(statuses).filter((status) => !/^(20[01]|503)$/.test(status))).toEqual([])
    // whoever runs this sees the figures
    process.stdout.write(`${JSON.stringify({ acknowledged: acknowledged.length, statuses, unavailableMs })}\n`)
    await service.stop()
    await second.stop()
    await first.stop()
  })
})

describePostgres('a limit of connections that is less than the pools of all processes', () => {
  test('fails no request: it waits for a connection that is there', async () => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    await server.sql(
      url,
      `CREATE ROLE animals LOGIN PASSWORD 'animals' CONNECTION LIMIT 12; ALTER SCHEMA public OWNER TO animals`,
    )
    const own = Object.assign(new URL(url), { username: 'animals', password: 'animals' }).href
    const services: TestService[] = []
    for (let place = 0; place < 3; place += 1) services.push(await startService({ DATABASE_URL: own }))
    const { statuses } = await load(services, 12, () => sleep(8000))
    expect(Object.keys(statuses).sort()).toEqual(['200', '201'])
    const inUse = services.map(({ stores }) => stores.readings().pool)
    expect(inUse.reduce((sum, one) => sum + (one?.inUse ?? 0) + (one?.idle ?? 0), 0)).toBeLessThanOrEqual(12)
    for (const service of services) await service.stop()
    await server.stop()
  })

  test.each([1, 2, 5])('is kept by DATABASE_POOL_SIZE=%i', async (size) => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    const service = await startService({ DATABASE_URL: url, DATABASE_POOL_SIZE: String(size) })
    const { statuses } = await load([service], 20, () => sleep(1000))
    expect(Object.keys(statuses).sort()).toEqual(['200', '201'])
    const [row] = await server.sql(
      url,
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'animal-store-service'",
    )
    expect(row?.count).toBeGreaterThanOrEqual(1)
    expect(row?.count).toBeLessThanOrEqual(size)
    await service.stop()
    await server.stop()
  })
})

describePgbouncer('PgBouncer with fewer connections than the pools of all processes', () => {
  test.each(['session', 'transaction'] as const)('fails no request in %s mode', async (mode) => {
    const server = await testPostgres()
    await server.start()
    const bouncer = await startPgbouncer(server, { mode, size: 8 })
    const url = bouncer.urlOf(await server.newDatabase())
    const services: TestService[] = []
    for (let place = 0; place < 3; place += 1) services.push(await startService({ DATABASE_URL: url }))
    const { statuses } = await load(services, 12, () => sleep(8000))
    expect(Object.keys(statuses).sort()).toEqual(['200', '201'])
    for (const service of services) await service.stop()
    await bouncer.stop()
    await server.stop()
  })
})
