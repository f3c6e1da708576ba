import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fetchFrom, fetchPage } from '../../support/page.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'
import { talk } from '../../support/talk.ts'
import { eventually } from '../../support/wait.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('probes', () => {
  test.each([
    ['/livez', '{"status":"live"}'],
    ['/readyz', '{"status":"ready"}'],
  ])('%s answers 200 without a key', async (path, text) => {
    const answer = await fetchPage(service, path)
    expect(answer).toMatchObject({ status: 200, text, headers: { 'content-type': 'application/json' } })
    expect(await fetchPage(service, `${path}?probe=1`)).toMatchObject({ status: 200, text })
  })

  test('/readyz answers 503 when the store cannot answer, while /livez stays 200', async () => {
    const broken = await startService()
    await broken.stores.close()
    const { status, text, headers } = await fetchPage(broken, '/readyz')
    expect(status).toBe(503)
    expectError(text, 503, 'unavailable')
    // HAProxy asks by OPTIONS
    expect((await fetchPage(broken, '/readyz', { method: 'OPTIONS' })).status).toBe(503)
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(text).not.toMatch(/database|sqlite/i)
    expect((await fetchPage(broken, '/livez')).status).toBe(200)
    await broken.stop()
  })

  test('/readyz answers 503 as soon as the service begins to close, /livez stays 200, and neither is logged', async () => {
    const closing = await startService()
    closing.logged.length = 0
    expect((await fetchPage(closing, '/readyz')).status).toBe(200)
    const closed = closing.close(1500)
    const { status, text, headers } = await fetchPage(closing, '/readyz')
    expect({ status, connection: headers.connection }).toEqual({ status: 503, connection: 'close' })
    expectError(text, 503, 'unavailable')
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect((await fetchPage(closing, '/livez')).status).toBe(200)
    expect(closing.logged).toEqual([])
    await closed
    rmSync(closing.folder, { recursive: true })
  })
})

describePostgres('/readyz on PostgreSQL', () => {
  let server: TestPostgres
  let url: string
  let onPostgres: TestService
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
    url = await server.newDatabase()
    onPostgres = await startService({ DATABASE_URL: url })
    await server.sql(url, 'CREATE EXTENSION pg_stat_statements')
  })
  afterAll(async () => {
    await onPostgres.stop()
    await server.stop()
  })

  /** Runs something, and gives how often it had the database asked whether it answers, and how long it took. */
  async function asksOf(run: () => Promise<void>): Promise<{ asks: number; tookMs: number }> {
    // a value from before is too old by then
    await sleep(150)
    await server.sql(url, 'SELECT pg_stat_statements_reset()')
    const beganMs = performance.now()
    await run()
    const tookMs = performance.now() - beganMs
    const asked = `SELECT coalesce(sum(calls), 0)::int AS asks FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE 'SELECT EXISTS%'`
    const [row] = await server.sql(url, asked)
    return { asks: row?.asks as number, tookMs }
  }

  test('asks the database ten times a second at most, whatever the method, and the home page no more', async () => {
    const { asks, tookMs } = await asksOf(async () => {
      for (let round = 0; round < 50; round += 1) {
        const answers = await Promise.all([
          ...['GET', 'HEAD', 'OPTIONS'].map((method) => fetchPage(onPostgres, '/readyz', { method })),
          fetchPage(onPostgres, '/readyz?again=1'),
          fetchPage(onPostgres, '/'),
        ])
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 200, 200])
        expect(answers[4]?.text).toContain('Up: requests are answered.')
      }
    })
    expect(asks).toBeGreaterThan(0)
    expect(asks).toBeLessThanOrEqual(Math.floor(tookMs / 100) + 1)
  })

  test('asks once for all who wait for the same answer', async () => {
    const live = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
    const { asks } = await asksOf(async () => {
      const locker = await server.client(url)
      const waiting = Array.from({ length: 50 }, () => talk(onPostgres.port, live))
      for (const { until } of waiting) await until(/"live"/)
      await locker.query('BEGIN; LOCK TABLE pets')
      for (const { socket } of waiting) socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n')
      // all of them have been read when one that was sent later is answered
      for (let later = 0; later < 3; later += 1) await fetchFrom(onPostgres.port, '/livez')
      await locker.query('ROLLBACK')
      for (const { until, socket } of waiting) {
        await until(/"ready"/)
        socket.destroy()
      }
    })
    expect(asks).toBe(1)
  })

  test('tells that the database is gone, and that it is back', async () => {
    const status = async (): Promise<number> => (await fetchPage(onPostgres, '/readyz')).status
    expect(await status()).toBe(200)
    await server.kill()
    await eventually(async () => (await status()) === 503)
    await server.start()
    await eventually(async () => (await status()) === 200)
  })
})
