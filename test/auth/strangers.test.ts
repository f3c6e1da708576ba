import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newKey } from '../../src/auth/key.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { startService, type TestService } from '../support/service.ts'
import { talk, type Talk } from '../support/talk.ts'

const limit = 60

describePostgres('a stranger over the limit, on PostgreSQL,', () => {
  let server: TestPostgres
  let url: string
  let service: TestService
  const now = Date.now()
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
    url = await server.newDatabase()
    // the minute does not end during the test
    service = await startService({ DATABASE_URL: url, ANONYMOUS_PER_MINUTE: String(limit) }, { now: () => now })
    await server.sql(url, 'CREATE EXTENSION pg_stat_statements')
    for (let count = 0; count < limit; count += 1) expect(await statusOf()).toBe(401)
    expect(await statusOf()).toBe(429)
  })
  afterAll(async () => {
    await service.stop()
    await server.stop()
  })

  async function statusOf(key?: string): Promise<number> {
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
    return (await fetch(`http://127.0.0.1:${service.port}/v1/pets/404`, { headers })).status
  }

  async function statements(): Promise<number> {
    const [row] = await server.sql(
      url,
      `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE '%FROM keys%'`,
    )
    return row?.calls as number
  }

  /** Sends keys over this many connections, each after the answer to the one before, and resolves with the connections. */
  async function send(keys: readonly string[], connections: number): Promise<Talk[]> {
    const left = [...keys]
    return Promise.all(
      Array.from({ length: connections }, async () => {
        const one = talk(service.port)
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
          const before = one.text().length
          one.socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
          await one.until(new RegExp(`^[^]{${before}}HTTP/1\\.1 [^]*}$`))
        }
        one.socket.destroy()
        return one
      }),
    )
  }

  test('costs the database ten statements a second at most, however many keys it makes up', async () => {
    const before = await statements()
    const beganMs = performance.now()
    const flood = send(Array.from({ length: 3000 }, newKey), 300)
    // a key of the same address, such as that of another person behind one router
    expect(await statusOf(service.key)).toBe(404)
    expect(await statusOf((await service.addKey()).key)).toBe(404)
    const answers = (await flood).map(({ text }) => text()).join('')
    const tookMs = performance.now() - beganMs
    expect(answers.match(/HTTP\/1\.1 429 /g)).toHaveLength(3000)
    const asked = (await statements()) - before
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(Math.floor(tookMs / 100) + 1)
  })

  test('costs it none with texts that cannot be keys, or without one', async () => {
    const before = await statements()
    const key = newKey()
    const wrong = Array.from(key, (letter, at) => key.slice(0, at) + (letter === 'A' ? 'B' : 'A') + key.slice(at + 1))
    await send([...wrong, 'x', `ak_${'A'.repeat(49)}`, newKey().slice(0, -1), `${newKey()}A`], 10)
    expect(await statusOf()).toBe(429)
    expect(await statements()).toBe(before)
  })
})
