import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { open } from '../../support/servers/engines.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { serve, testFolder } from '../../support/process.ts'
import { expectError, startService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

testFolder()

const rex = { name: 'Rex', categoryId: 7 }

async function readiness({ port }: { port: number }): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

const isReady = async (service: { port: number }): Promise<boolean> => (await readiness(service)).status === 200

/** The message with which a start is refused. */
async function refusal(url: string): Promise<string> {
  const stores = await open(url).catch((error: unknown) => error as Error)
  if (!(stores instanceof Error)) throw new Error('It was opened.')
  return stores.message
}

describePostgres('a database of several servers', () => {
  let first: TestPostgres
  let second: TestPostgres
  let names = 0
  let database: string
  beforeAll(async () => {
    first = await testPostgres()
    await first.start()
    second = await testPostgres(first)
    await second.start()
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
  })

  /** The URL of a database on these servers, in this order. */
  function urlOf(servers: readonly { port: number }[], parameters = ''): string {
    return first
      .urlOf(database)
      .replace(/127.0.0.1:\d+/, servers.map(({ port }) => `127.0.0.1:${port}`).join(','))
      .concat(parameters)
  }

  /** Makes a store that both servers have. */
  async function newStore(): Promise<void> {
    const url = await first.newDatabase()
    database = new URL(url).pathname.slice(1)
    await (await open(url)).close()
    names += 1
    await first.sql(url, `CREATE TABLE seen_${names} ()`)
    await eventually(() =>
      second.sql(second.urlOf(database), `SELECT FROM seen_${names}`).then(
        () => true,
        () => false,
      ),
    )
  }

  test.each(['', '?target_session_attrs=any', '?target_session_attrs=read-write', '?target_session_attrs=primary'])(
    'is used by the server that takes writes, wherever it stands in the URL, with %j',
    async (parameters) => {
      await newStore()
      for (const servers of [
        [first, second],
        [second, first],
        [{ port: 1 }, second, first],
      ]) {
        const service = await startService({ DATABASE_URL: urlOf(servers, parameters) })
        await service.call('post', '/pets').send(rex).expect(201)
        expect(await readiness(service)).toEqual({ status: 200, text: '{"status":"ready"}' })
        await service.stop()
      }
    },
  )

  test('is refused while no server will do, with what is wrong with each', async () => {
    await newStore()
    expect(await refusal(urlOf([{ port: 1 }, second], '?target_session_attrs=read-write'))).toBe(
      `The database ${database} on 127.0.0.1:1, 127.0.0.1:${second.port} cannot be opened: 127.0.0.1:1: nothing listens ` +
        `there; 127.0.0.1:${second.port}: it takes no writes: it is a standby. Check DATABASE_URL.`,
    )
  })

  test('may be a standby alone: /readyz and creates are 503 with the reason, reads are answered, until it is promoted', async () => {
    await newStore()
    const before = await startService({ DATABASE_URL: urlOf([first]) })
    await before.call('post', '/pets').send(rex).expect(201)
    const { key } = before
    await before.stop()
    await eventually(async () => (await second.sql(second.urlOf(database), 'SELECT FROM pets, keys')).length > 0)

    const { address, port, stop, stdout } = await serve({ DATABASE_URL: urlOf([second]) })
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(address + path, {
        ...init,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      })
    const create = (): Promise<Response> => ask('/pets', { method: 'POST', body: JSON.stringify(rex) })
    expect(stdout()).toContain(
      '"why":"it is a standby","msg":"the server of DATABASE_URL takes no writes, creates are refused"',
    )
    expect(stdout()).toMatch(/"engine":"PostgreSQL \d+\.\d+[^"]*","msg":"the store is a database of PostgreSQL"/)
    const unready = await readiness({ port })
    expect(unready.status).toBe(503)
    expectError(unready.text, 503, 'unavailable')
    expect(unready.text).toContain('DATABASE_URL leads to a store that takes no writes now.')
    expect((await create()).status).toBe(503)
    expect((await ask('/pets/1')).status).toBe(200)

    await second.promote()
    await eventually(() => isReady({ port }))
    expect((await create()).status).toBe(201)
    expect(stdout()).toContain('"msg":"the server of DATABASE_URL takes writes again"')
    await stop()
  })
})

describePostgres('a role whose transactions are read-only', () => {
  test('is told at the start and at /readyz, and heals when it may write again', async () => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    const allow = (value: string): Promise<unknown> =>
      server.sql(url, `ALTER ROLE animals SET default_transaction_read_only = ${value}`)
    await server.sql(url, `CREATE ROLE animals LOGIN PASSWORD 'animals'; ALTER SCHEMA public OWNER TO animals`)
    const own = Object.assign(new URL(url), { username: 'animals', password: 'animals' }).href
    await allow('on')
    expect(await refusal(own)).toContain(
      ': it takes no writes, since default_transaction_read_only is on, and its tables have yet to be made or updated. ',
    )
    await allow('off')
    const service = await startService({ DATABASE_URL: own })
    await service.call('post', '/pets').send(rex).expect(201)
    await allow('on')
    await server.sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'animals'")
    await eventually(async () =>
      (await readiness(service)).text.includes('DATABASE_URL leads to a store that takes no'),
    )
    await service.call('post', '/pets').send(rex).expect(503)
    await service.call('get', '/pets').expect(200)
    await allow('off')
    // connections that are there keep what was set when they were made
    await eventually(() => isReady(service))
    await service.call('post', '/pets').send(rex).expect(201)
    await service.stop()
    await server.stop()
  })
})

describePostgres('an engine that only speaks the protocol of PostgreSQL', () => {
  /** Functions in front of those of the server. */
  const standIns = (isGiven: boolean): string => `CREATE SCHEMA engine;
    CREATE FUNCTION engine.version() RETURNS text LANGUAGE sql AS $$ SELECT 'RoachDB CCL v23.2' $$;
    CREATE FUNCTION engine.pg_advisory_xact_lock(int, int) RETURNS void LANGUAGE sql AS '';
    CREATE FUNCTION engine.pg_try_advisory_xact_lock(int, int) RETURNS bool LANGUAGE sql AS 'SELECT ${isGiven}'`

  test('is refused by its name when its advisory locks keep nobody out', async () => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    await server.sql(url, standIns(true))
    const own = `${url}?options=-c%20search_path%3Dengine,pg_catalog,public`
    const reason = ': its engine, "RoachDB CCL v23.2", has no advisory locks that work: '
    expect(await refusal(own)).toContain(`${reason}another connection got a lock that was held. `)
    await server.sql(
      url,
      `CREATE OR REPLACE FUNCTION engine.pg_advisory_xact_lock(int, int) RETURNS void LANGUAGE plpgsql AS
         $$ BEGIN RAISE feature_not_supported USING MESSAGE = 'advisory locks are not yet implemented'; END $$`,
    )
    expect(await refusal(own)).toContain(`${reason}advisory locks are not yet implemented. `)
    // nothing was made in it
    expect(await server.sql(url, `SELECT FROM pg_class WHERE relname = 'pets'`)).toEqual([])
    await server.stop()
  })
})
