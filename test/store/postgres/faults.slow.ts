import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type pg from 'pg'
import { open } from '../../support/servers/engines.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { run, testFolder } from '../../support/process.ts'
import { freePort } from '../../support/servers/redis.ts'
import { newRecord } from '../../../src/auth/key.ts'
import { StoreUnavailable } from '../../../src/store/unavailable.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

testFolder()

/** The longest that an answer may take: a connection is waited for 2 s, and then an answer 3 s. */
const boundMs = 8000

interface Answer {
  status: number
  text: string
  ms: number
}

describePostgres('a service whose PostgreSQL fails', () => {
  let server: TestPostgres
  let service: TestService
  let url: string
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.newDatabase()
    service = await startService({ DATABASE_URL: url })
  })
  afterEach(() => service.stop())

  async function ask(method: 'get' | 'post', path: string, body?: object, headers: object = {}): Promise<Answer> {
    const at = performance.now()
    const request = service.call(method, path).set(headers as Record<string, string>)
    const { status, text } = body ? await request.send(body) : await request
    return { status, text, ms: performance.now() - at }
  }
  const create = (name: string): Promise<Answer> => ask('post', '/pets', { name, categoryId: 1 })

  function expectUnavailable({ status, text, ms }: Answer): void {
    expectError(text, 503, 'unavailable')
    expect(status).toBe(503)
    expect(text).not.toMatch(/postgres|connect|127\.0|timeout/i)
    expect(ms).toBeLessThan(boundMs)
  }

  /** Waits until an animal can be added and read again, without a restart of the service. */
  async function heal(): Promise<void> {
    const deadline = performance.now() + 20_000
    for (;;) {
      const [created, listed] = [await create('Healed'), await ask('get', '/pets')]
      if (created.status === 201 && listed.status === 200) return
      if (performance.now() > deadline) throw new Error(`It does not heal: ${created.text} ${listed.text}`)
      await sleep(100)
    }
  }

  /** Writes and reads without a pause while `fault` happens. Tells what was acknowledged; all answers must be right. */
  async function underLoad(fault: () => Promise<void>): Promise<string[]> {
    const acknowledged: string[] = []
    let isOver = false
    const client = async (number: number): Promise<void> => {
      for (let index = 0; !isOver; index += 1) {
        const name = `N${number}-${index}`
        const created = await create(name)
        if (created.status !== 201) expectUnavailable(created)
        else acknowledged.push(name)
        const read = await ask('get', '/pets/1')
        if (read.status !== 200) expectUnavailable(read)
      }
    }
    const clients = Array.from({ length: 8 }, (_, number) => client(number))
    try {
      // every client is at work, however slow the machine is
      while (acknowledged.length <= clients.length) await sleep(20)
      await fault()
      await heal()
    } finally {
      isOver = true
    }
    await Promise.all(clients)
    return acknowledged
  }

  /** Ends the connections that wait for a lock, once there are some. */
  async function terminateWaiting(client: pg.Client): Promise<void> {
    const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    while ((await client.query(ended)).rowCount === 0) await sleep(10)
  }

  async function names(): Promise<unknown[]> {
    return (await server.sql(url, 'SELECT name FROM pets')).map(({ name }) => name)
  }

  test.each([
    [
      'all its connections are terminated, again and again',
      async () => {
        for (let round = 0; round < 10; round += 1) {
          await server.sql(
            url,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          )
          await sleep(50)
        }
      },
    ],
    [
      'it crashes and is started again',
      async () => {
        await server.kill()
        await sleep(500)
        await server.start()
      },
    ],
    [
      'it is frozen',
      async () => {
        server.freeze()
        await sleep(4000)
        server.thaw()
      },
    ],
  ])('loses nothing that it has acknowledged, stores nothing twice, and heals, when %s', async (_, fault) => {
    await create('First')
    const acknowledged = await underLoad(fault)
    const stored = await names()
    expect(new Set(stored.filter((name) => name !== 'Healed')).size).toBe(
      stored.filter((name) => name !== 'Healed').length,
    )
    expect(acknowledged.filter((name) => !stored.includes(name))).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(8)
    expect(JSON.stringify(service.logged)).not.toMatch(/hunter2|postgres:\/\//)
  })

  test('says when idle connections are lost, and goes on', async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask('get', '/pets')))
    await server.sql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    const lost = (): boolean => service.logged.some(({ msg }) => msg === 'a connection to the database was lost')
    while (!lost()) await sleep(10)
    // the driver's own error carries the connection
    const { err } = service.logged.find(({ msg }) => msg === 'a connection to the database was lost') ?? {}
    expect(Object.keys(err as object).toSorted()).toEqual(['code', 'message', 'stack', 'type'])
    expect((await ask('get', '/pets')).status).toBe(200)
    expect(JSON.stringify(service.logged)).not.toMatch(/hunter2|postgres:\/\//)
  })

  test('answers reads whose connection is lost while they run', async () => {
    await create('First')
    const locker = await server.client(url)
    await locker.query('BEGIN; LOCK TABLE pets')
    const reads = Promise.all(Array.from({ length: 4 }, (_, index) => ask('get', index % 2 ? '/pets/1' : '/pets')))
    await terminateWaiting(locker)
    await locker.query('ROLLBACK')
    expect((await reads).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  test('runs a transaction again whose connection is lost before its commit', async () => {
    const stores = await open(url)
    const locker = await server.client(url)
    await locker.query('BEGIN; LOCK TABLE keys')
    const key = newRecord({ plan: 'free', createdAt: 1 })
    const added = stores.keys.add(key, Buffer.alloc(32))
    await terminateWaiting(locker)
    await locker.query('ROLLBACK')
    await added
    expect((await stores.keys.list()).filter(({ id }) => id === key.id)).toHaveLength(1)
    await stores.close()
  })

  test('answers 503 while a table is locked, whatever the number of requests, and then goes on', async () => {
    await create('First')
    const locker = await server.client(url)
    await locker.query('BEGIN; LOCK TABLE pets')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? create('Refused') : ask('get', '/pets'))),
    )
    for (const answer of answers) expectUnavailable(answer)
    expect((await fetch(`http://127.0.0.1:${service.port}/livez`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status).toBe(503)
    await locker.query('ROLLBACK')
    await heal()
    expect((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status).toBe(200)
    // the server itself gave up, so nothing waits in it and is stored later
    expect((await names()).filter((name) => name === 'Refused')).toEqual([])
  })

  test('answers 503 to creates while a synchronous standby is gone, says so once, and is ready for reads', async () => {
    await create('First')
    await server.sql(url, `ALTER SYSTEM SET synchronous_standby_names = 'gone'`)
    await server.sql(url, 'SELECT pg_reload_conf()')
    const told = (): unknown[] =>
      service.logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('creates wait for'))
    try {
      expectUnavailable(await create('Unknown'))
      while (told().length === 0) await sleep(20)
      expectUnavailable(await create('Unknown'))
      expect((await ask('get', '/pets/1')).status).toBe(200)
      expect((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status).toBe(200)
      expect(told()).toEqual([
        'creates wait for a synchronous standby of the database that does not answer; reads go on',
      ])
    } finally {
      await server.sql(url, 'ALTER SYSTEM RESET synchronous_standby_names')
      await server.sql(url, 'SELECT pg_reload_conf()')
    }
    await heal()
  })

  test('answers 503 when the server takes no more connections, and when it is read-only', async () => {
    await create('First')
    const name = new URL(url).pathname.slice(1)
    await server.sql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
    const other = await server.newDatabase()
    await server.sql(other, ended)
    expect((await ask('get', '/pets')).status).toBe(200)
    expectUnavailable(await create('Refused'))
    await server.sql(other, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await server.sql(other, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await server.sql(other, ended)
    await sleep(100)
    expectUnavailable(await ask('get', '/pets'))
    expectUnavailable(await create('Refused'))
    await server.sql(other, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await heal()
    expect(await names()).not.toContain('Refused')
  })
})

describePostgres('a store whose PostgreSQL is frozen', () => {
  test('closes in bounded time, and tells those who wait', async () => {
    const server = await testPostgres()
    await server.start()
    try {
      const stores = await open(await server.newDatabase())
      server.freeze()
      const waiting = stores.pets
        .add({ name: 'Unknown', categoryId: 1n, status: 'sold' })
        .catch((error: unknown) => error)
      const at = performance.now()
      await stores.close()
      expect(performance.now() - at).toBeLessThan(boundMs)
      const refused = await waiting
      expect(refused).toBeInstanceOf(StoreUnavailable)
      expect(refused).toHaveProperty('message', expect.stringMatching(/^PostgreSQL does not answer: .+\.$/))
    } finally {
      await server.stop()
    }
  })
})

describe('a start without PostgreSQL', () => {
  test('waits some seconds, then ends with 1 and a sentence that tells where', async () => {
    const port = await freePort()
    const env = { PORT: '0', DATABASE_URL: `postgres://store:hunter2@127.0.0.1:${port}/animals` }
    expect(await run(['src/main.ts'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `The database animals on 127.0.0.1:${port} cannot be opened: nothing listens there. Check DATABASE_URL.\n`,
    })
  })

  test('of an unknown host says so', async () => {
    await expect(open('postgres://store:hunter2@no-such-host.invalid/animals')).rejects.toThrow(
      'The database animals on no-such-host.invalid:5432 cannot be opened: its host is not known. Check DATABASE_URL.',
    )
  })
})

describePostgres('a start before PostgreSQL', () => {
  test('waits for it', async () => {
    const server = await testPostgres()
    try {
      await server.start()
      const url = await server.newDatabase()
      await server.kill()
      const opening = open(url)
      await server.start()
      const stores = await opening
      expect(await stores.pets.list({ limit: 1 })).toEqual([])
      await stores.close()
    } finally {
      await server.stop()
    }
  })
})
