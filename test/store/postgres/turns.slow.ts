import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { applicationId } from '../../../src/store/schema.ts'
import { pets } from '../../../src/store/tables/pets.ts'
import { testFolder } from '../../support/process.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

testFolder()

interface Answer {
  status: number
  text: string
  retryAfterS: number
}

describePostgres('creates among many other writers', () => {
  let server: TestPostgres
  let url: string
  let services: TestService[]
  beforeAll(async () => {
    server = await testPostgres()
    await server.start({ max_connections: '200' })
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.newDatabase()
    services = [await startService({ DATABASE_URL: url }), await startService({ DATABASE_URL: url })]
  })
  afterEach(() => Promise.all(services.map((service) => service.stop())))

  /** Writers of other processes, each of which takes its turn again and again, and keeps it for so long. */
  async function amongOthers<T>(count: number, holdMs: number, run: () => Promise<T>): Promise<T> {
    let isOver = false
    const clients = await Promise.all(Array.from({ length: count }, () => server.client(url)))
    const turn = `BEGIN; SELECT pg_advisory_xact_lock(${applicationId}, ${pets.lock});
                  SELECT pg_sleep(${holdMs / 1000}); COMMIT`
    const others = clients.map(async (client) => {
      while (!isOver) await client.query(turn)
    })
    try {
      const waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      while ((await server.sql(url, waiting)).length < count - 1) await sleep(10)
      return await run()
    } finally {
      isOver = true
      await Promise.all(others)
      await Promise.all(clients.map((client) => client.end()))
    }
  }

  async function create(index: number): Promise<Answer> {
    const [one, other] = services
    const service = (index % 2 ? one : other) as TestService
    const { status, text, headers } = await service.call('post', '/pets').send({ name: `N${index}`, categoryId: 1 })
    return { status, text, retryAfterS: Number((headers as Record<string, string>)['retry-after'] ?? 0) }
  }
  const names = async (): Promise<unknown[]> =>
    (await server.sql(url, 'SELECT name FROM pets ORDER BY id')).map(({ name }) => name)

  test('are all stored when their turn comes after more than the time of a statement, and tell how long it took', async () => {
    const answers = await amongOthers(90, 30, () =>
      Promise.all(Array.from({ length: 48 }, (_, index) => create(index))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await names()).toHaveLength(48)
    for (const service of services) {
      const metrics = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
      const read = (name: string): number => Number(new RegExp(`^store_${name} (\\S+)$`, 'm').exec(metrics)?.[1])
      expect(read('turn_wait_seconds_count')).toBeGreaterThan(0)
      expect(read('turn_wait_seconds_sum') / read('turn_wait_seconds_count')).toBeGreaterThan(1)
      expect(read('refused_creates_total')).toBe(0)
    }
  })

  test('are stored as far as their turn comes, and refused at once with Retry-After beyond that', async () => {
    const stored: string[] = []
    const refused: Answer[] = []
    await amongOthers(60, 100, async () => {
      // more and more arrive, while a turn takes 6 s
      const all: Promise<void>[] = []
      while (refused.length < 5 || stored.length < 5) {
        const index = all.length
        all.push(
          create(index).then((answer) => {
            if (answer.status === 201) stored.push(`N${index}`)
            else refused.push(answer)
          }),
        )
        await sleep(100)
      }
      await Promise.all(all)
    })
    for (const { text, retryAfterS } of refused) {
      expectError(text, 503, 'unavailable')
      expect(retryAfterS).toBeGreaterThanOrEqual(10)
    }
    expect((await names()).toSorted()).toEqual(stored.toSorted())
    const warned = services.flatMap(({ logged }) => logged.filter(({ code }) => code === 'unavailable'))
    expect(warned).toHaveLength(refused.length)
    // and are all stored again once the others are gone
    const after = await Promise.all(Array.from({ length: 48 }, (_, index) => create(index)))
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([201]))
  })

  test('are answered within seconds when the server freezes while they wait', async () => {
    const holder = await server.client(url)
    await holder.query(`SELECT pg_advisory_lock(${applicationId}, ${pets.lock})`)
    const waiting = [create(0), create(1)]
    await sleep(500)
    server.freeze()
    const at = performance.now()
    try {
      for (const { text } of await Promise.all(waiting)) expectError(text, 503, 'unavailable')
      // the time of a statement, and of a question whether the server answers
      expect(performance.now() - at).toBeLessThan(9000)
    } finally {
      server.thaw()
    }
    await holder.end()
    while ((await create(2)).status !== 201) await sleep(100)
  })
})
