import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { endAll, startCommand, testFolder, works, type Running } from '../support/process.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { freePort } from '../support/servers/redis.ts'
import { expectError, startService, type TestService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const folder = testFolder()
afterEach(endAll)

// Debian keeps it off the PATH of users
const program = ['haproxy', '/usr/sbin/haproxy'].find((one) => works(one, ['-v']))
const describeHaproxy =
  program !== undefined || process.env.REQUIRE_SERVERS === '1'
    ? describePostgres
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs haproxy, as from apt-get install haproxy)`, body)
      }

describeHaproxy('the configuration of HAProxy, when all processes lose their database', () => {
  let postgres: TestPostgres
  let services: TestService[]
  beforeAll(async () => {
    postgres = await testPostgres()
  })
  afterAll(() => postgres.stop())
  beforeEach(async () => {
    await postgres.start()
    const url = await postgres.newDatabase()
    services = await Promise.all([1, 2, 3].map(() => startService({ DATABASE_URL: url })))
  })
  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()))
    await postgres.kill()
  })

  async function balancer(change: (text: string) => string = (text) => text): Promise<{ port: number; run: Running }> {
    const port = await freePort()
    const text = readFileSync(new URL('../../examples/deploy/haproxy.cfg', import.meta.url), 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(/10\.0\.0\.(\d):8080/g, (_, number) => `127.0.0.1:${services[Number(number) - 1]?.port}`)
    writeFileSync(`${folder}/${port}.cfg`, change(text))
    const run = startCommand(program ?? 'haproxy', ['-db', '-f', `${folder}/${port}.cfg`])
    await eventually(() =>
      fetch(`http://127.0.0.1:${port}/livez`)
        .then(({ ok }) => ok)
        .catch(() => false),
    )
    return { port, run }
  }
  const get = (port: number): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { Authorization: `Bearer ${services[0]?.key}` } })

  test('passes on the 503 of the API, and serves again when the database is back', async () => {
    const { port, run } = await balancer()
    await eventually(async () => (await get(port)).status === 200)
    await postgres.kill()
    await eventually(() => run.stderr().includes("backend 'ready' has no server available"))
    for (let sent = 0; sent < 6; sent += 1) {
      const response = await get(port)
      expect(response.status).toBe(503)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(response.headers.get('x-request-id')).not.toBeNull()
      expectError(await response.text(), 503, 'unavailable')
    }
    await postgres.start()
    await eventually(async () => (await get(port)).status === 200)
    await run.stop()
  })

  test('would answer with a page of its own without the line for that', async () => {
    const { port, run } = await balancer((text) => text.replace(/^ *use_backend unready.*$/m, ''))
    await postgres.kill()
    await eventually(() => run.stderr().includes("backend 'ready' has no server available"))
    const response = await get(port)
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('text/html')
    await run.stop()
  })
})
