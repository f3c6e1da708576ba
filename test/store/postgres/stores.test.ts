import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { schema } from '../../../src/store/schema.ts'
import { open } from '../../support/servers/engines.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { run, testFolder } from '../../support/process.ts'
import { startService } from '../../support/service.ts'

testFolder()

const rex = { name: 'Rex', categoryId: 7n, status: 'available' } as const
const newest = schema.postgresSteps.length

describePostgres('a PostgreSQL database', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
  })
  afterAll(() => server.stop())

  /** The message with which opening is refused. */
  async function refusal(url: string): Promise<string> {
    const stores = await open(url).catch((error: unknown) => error as Error)
    if (!(stores instanceof Error)) throw new Error('It was opened.')
    expect(JSON.stringify([stores.message, stores.stack, stores.cause])).not.toContain('hunter2')
    return stores.message
  }

  async function tablesOf(url: string): Promise<unknown[]> {
    const rows = await server.sql(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    return rows.map(({ relname }) => relname)
  }

  describe('is refused, with a sentence and no password,', () => {
    const change = (url: string, part: Partial<Pick<URL, 'hostname' | 'password' | 'pathname' | 'username'>>): string =>
      Object.assign(new URL(url), part).href

    test('when it is not there', async () => {
      const url = change(await server.newDatabase(), { pathname: '/nowhere' })
      expect(await refusal(url)).toBe(
        `The database nowhere on 127.0.0.1:${server.port} cannot be opened: there is no such database. Check DATABASE_URL.`,
      )
    })

    test('when the password is wrong, or missing', async () => {
      const url = await server.newDatabase()
      expect(await refusal(change(url, { password: 'hunter2' }))).toContain(': user or password are wrong. ')
      expect(await refusal(change(url, { username: 'nobody' }))).toContain(': user or password are wrong. ')
      expect(await refusal(change(url, { password: '' }))).toContain(': it asks for a password. ')
    })

    test('when the server has no TLS and the URL asks for it', async () => {
      expect(await refusal(`${await server.newDatabase()}?sslmode=verify-full`)).toContain(
        ': The server does not support SSL connections. ',
      )
    })

    test('when the role may not make tables', async () => {
      const url = await server.newDatabase()
      await server.sql(url, `CREATE ROLE guest LOGIN PASSWORD 'hunter2'`)
      expect(await refusal(change(url, { username: 'guest', password: 'hunter2' }))).toContain(
        ': permission denied for schema public. ',
      )
      // somebody else has made them, and the role may use them
      await (await open(url)).close()
      await server.sql(
        url,
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO guest; GRANT ALL ON SEQUENCE pets_id_seq TO guest',
      )
      const stores = await open(change(url, { username: 'guest', password: 'hunter2' }))
      expect(await stores.pets.add(rex)).toEqual({ id: 1n, ...rex })
      await stores.close()
    })

    test('when it cannot hold all names', async () => {
      const url = await server.newDatabase(`ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
      expect(await refusal(url)).toContain(': its encoding is SQL_ASCII, which cannot hold all names; ')
    })

    test('when it does not keep what it has acknowledged', async () => {
      const url = await server.newDatabase()
      await server.sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
      expect(await refusal(url)).toContain(': its synchronous_commit is off, ')
    })

    test('when its server does not wait for the disk', async () => {
      const unsafe = await testPostgres()
      try {
        await unsafe.start({ fsync: 'off' })
        expect(await refusal(await unsafe.newDatabase())).toContain(
          ': its fsync is off, so that a power cut could destroy the database; set it to on. ',
        )
      } finally {
        await unsafe.stop()
      }
    })

    test.each(schema.all.map(({ name }) => name))('when another program has a table %s there', async (name) => {
      const url = await server.newDatabase()
      await server.sql(url, `CREATE TABLE ${name} (x int)`)
      expect(await refusal(url)).toContain(`: it has tables of another program: ${name}. `)
      expect(await tablesOf(url)).toEqual([name])
    })

    test('when a newer program has made its schema', async () => {
      const url = await server.newDatabase()
      await (await open(url)).close()
      await server.sql(url, 'UPDATE animal_store_schema SET version = 99')
      expect(await refusal(url)).toContain(
        `: its schema has version 99 and this program knows ${newest}; use a newer program. `,
      )
      expect(await server.sql(url, 'SELECT version FROM animal_store_schema')).toEqual([{ version: 99 }])
    })
  })

  describe('is opened by a URL in the forms of libpq', () => {
    test.each<[what: string, change: (url: URL) => string]>([
      [
        'with the folder of its socket, and user and password before the @',
        ({ username, password, port, pathname }) =>
          `postgresql://${username}:${password}@${pathname}?host=${server.folder}&port=${port}`,
      ],
      [
        'with the folder of its socket as its host',
        ({ username, password, port, pathname }) =>
          `postgresql://${username}:${password}@${encodeURIComponent(server.folder)}:${port}${pathname}`,
      ],
      [
        'with everything as a parameter',
        ({ username, password, port, pathname }) =>
          `postgresql://?host=127.0.0.1&port=${port}&user=${username}&password=${password}&dbname=${pathname.slice(1)}`,
      ],
      ['without TLS', ({ href }) => `${href}?sslmode=disable`],
    ])('%s', async (_, change) => {
      const stores = await open(change(new URL(await server.newDatabase())))
      expect(await stores.pets.add(rex)).toEqual({ id: 1n, ...rex })
      await stores.close()
    })

    test('with options of the server, which say where its tables are', async () => {
      const url = await server.newDatabase()
      await server.sql(url, 'CREATE SCHEMA app')
      const stores = await open(`${url}?options=-c%20search_path%3Dapp&application_name=a%26b`)
      await stores.pets.add(rex)
      // one that reads and one that creates
      expect(await server.sql(url, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'a&b'`)).toEqual([
        { count: '2' },
      ])
      await stores.close()
      expect(await tablesOf(url)).toEqual([])
      expect(await server.sql(url, 'SELECT version FROM app.animal_store_schema')).toEqual([{ version: newest }])
    })

    test('but not with options that let it lose what it has acknowledged', async () => {
      const url = `${await server.newDatabase()}?options=-c%20synchronous_commit%3Doff`
      expect(await refusal(url)).toContain(': its synchronous_commit is off, ')
    })
  })

  test('may be opened for the first time by four processes at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const url = await server.newDatabase()
      const all = await Promise.all(Array.from({ length: 4 }, () => open(url)))
      expect(await Promise.all(all.map(async ({ pets }) => (await pets.add(rex)).id))).toHaveLength(4)
      expect(await server.sql(url, 'SELECT version FROM animal_store_schema')).toEqual([{ version: newest }])
      await Promise.all(all.map(({ close }) => close()))
    }
  })

  test('keeps nothing of a step that was interrupted, so that the next start makes it', async () => {
    const url = await server.newDatabase()
    // the step fails after it has made a table
    await server.sql(url, 'CREATE TABLE idempotency_keys_by_age ()')
    expect(await refusal(url)).toContain(': relation "idempotency_keys_by_age" already exists. ')
    expect(await tablesOf(url)).toEqual(['idempotency_keys_by_age'])
    await server.sql(url, 'DROP TABLE idempotency_keys_by_age')
    await (await open(url)).close()
    expect(await tablesOf(url)).toContain('idempotency_keys_by_age')
  })

  test('is brought up to date by npm run migrate, which tells so', async () => {
    const env = { DATABASE_URL: await server.newDatabase() }
    const lines = [
      new RegExp(`^The schema went from version 0 to ${newest} in \\d+(\\.\\d+)? s\\.\n$`),
      new RegExp(`^The schema has version ${newest}, the newest\\.\n$`),
    ]
    for (const line of lines) {
      const stdout: unknown = expect.stringMatching(line)
      expect(await run(['scripts/migrate.ts'], env)).toEqual({ code: 0, stdout, stderr: '' })
    }
    await server.sql(env.DATABASE_URL, 'UPDATE animal_store_schema SET version = 99')
    const refused = await run(['scripts/migrate.ts'], env)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^The database animals\d+ on \S+ cannot be opened: .+\.\n$/)
  })

  test('shows no animal before those with lower ids, however long their commit takes', async () => {
    const url = await server.newDatabase()
    const [slow, fast] = [await open(url), await open(url)]
    await server.sql(
      url,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END';
       CREATE TRIGGER slow AFTER INSERT ON pets FOR EACH ROW WHEN (NEW.name = 'Slow') EXECUTE FUNCTION wait()`,
    )
    const holder = await server.client(url)
    await holder.query('SELECT pg_advisory_lock(42)')
    const waiting = async (count: number): Promise<void> => {
      const locks = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      while ((await server.sql(url, locks)).length < count) await sleep(5)
    }
    const first = slow.pets.add({ ...rex, name: 'Slow' })
    await waiting(1)
    const second = fast.pets.add(rex)
    await Promise.race([second, waiting(2)])
    expect(await fast.pets.list({ limit: 10 })).toEqual([])
    await holder.query('SELECT pg_advisory_unlock(42)')
    expect([(await first).id, (await second).id]).toEqual([1n, 2n])
    await Promise.all([slow.close(), fast.close()])
  })

  test('has one statement for each operation', async () => {
    const url = await server.newDatabase()
    const stores = await open(url)
    const once = { caller: 'c', key: 'k', digest: Buffer.alloc(32), now: 1 }
    await stores.pets.add(rex)
    await server.sql(url, `CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()`)
    await stores.pets.add(rex)
    await stores.pets.addOnce(rex, once)
    await stores.pets.addOnce(rex, once)
    await stores.pets.find(1n)
    await stores.pets.list({ limit: 3, status: 'sold' })
    await stores.keys.find(Buffer.alloc(32))
    const [row] = await server.sql(
      url,
      `SELECT sum(calls)::int AS calls FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query !~ 'pg_stat'`,
    )
    expect(row).toEqual({ calls: 6 })
    await stores.close()
  })

  test('answers the same calls with the same bytes as SQLite', async () => {
    const log = async (env: Record<string, string>): Promise<unknown[]> => {
      const service = await startService(env)
      const answers: unknown[] = []
      const call = async (
        method: 'get' | 'post' | 'head',
        path: string,
        body?: string,
        name?: string,
      ): Promise<void> => {
        const request = service.call(method, path)
        if (name !== undefined) void request.set('Idempotency-Key', name)
        const { status, text, headers } = body === undefined ? await request : await request.type('json').send(body)
        const { link, 'idempotency-replayed': replayed } = headers as Record<string, string>
        answers.push({ method, path, body, status, text, link, replayed, length: headers['content-length'] as unknown })
      }
      for (const categoryId of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '1.0', '1e2']) {
        await call(
          'post',
          '/pets',
          `{"name":"Ünï 😀 \\"\\\\ ${categoryId}","categoryId":${categoryId},"status":"sold"}`,
        )
      }
      for (const body of [
        '{"name":"Rex","categoryId":7}',
        '{"name":"Rex","categoryId":7}',
        '{"name":"R","categoryId":7}',
      ]) {
        await call('post', '/pets', body, 'a-name')
      }
      await call('post', '/pets', '{"name":"a\\u0000b","categoryId":1}')
      await call('post', '/pets', '{"name":"After","categoryId":9223372036854775808}')
      await call('post', '/pets', '{"name":"After","categoryId":1,"status":"pending"}')
      for (const path of ['', '?limit=2', '?status=sold&limit=3', '?status=available', '?status=%00', '?limit=0']) {
        await call('get', `/pets${path}`)
      }
      await call('get', '/pets?limit=2&cursor=AAAAAAAAAAI')
      for (const id of ['1', '8', '9', '9223372036854775807', '-1', '9223372036854775808'])
        await call('get', `/pets/${id}`)
      await call('head', '/pets')
      await service.stop()
      return answers
    }
    const answers = await log({ DATABASE_URL: await server.newDatabase() })
    expect(answers).toEqual(await log({}))
    expect(answers[0]).toMatchObject({
      status: 201,
      text: '{"id":1,"name":"Ünï 😀 \\"\\\\ 9223372036854775807","categoryId":9223372036854775807,"status":"sold"}',
    })
  })

  test('keeps its connections and its commits safe, whatever is set for it later', async () => {
    const url = await server.newDatabase()
    const name = new URL(url).pathname.slice(1)
    const service = await startService({ DATABASE_URL: url })
    await service.call('post', '/pets').send({ name: 'Before', categoryId: 1 }).expect(201)
    await server.sql(
      url,
      `CREATE TABLE seen (value text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO seen VALUES (current_setting('synchronous_commit')), (current_setting('idle_session_timeout'));
         RETURN new;
       END $$;
       CREATE TRIGGER see BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION see();
       ALTER DATABASE ${name} SET synchronous_commit = off;
       ALTER DATABASE ${name} SET idle_session_timeout = '100ms';
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    const lost = (): number =>
      service.logged.filter(({ msg }) => msg === 'a connection to the database was lost').length
    while (lost() === 0) await sleep(20)
    const before = lost()
    await service.call('post', '/pets').send({ name: 'After', categoryId: 1 }).expect(201)
    await sleep(500)
    await service.call('get', '/pets/1').expect(200)
    expect(lost()).toBe(before)
    expect((await server.sql(url, 'SELECT value FROM seen')).map(({ value }) => value)).toEqual(['on', '0'])
    await service.stop()
  })

  test('is waited for as strictly as it is set to, and takes the options of its URL', async () => {
    const url = await server.newDatabase()
    await server.sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = remote_apply`)
    const stores = await open(`${url}?options=${encodeURIComponent('-c work_mem=5MB')}`)
    await server.sql(
      url,
      `CREATE TABLE seen (value text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO seen VALUES (current_setting('synchronous_commit')), (current_setting('work_mem'));
         RETURN new;
       END $$;
       CREATE TRIGGER see BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION see()`,
    )
    await stores.pets.add(rex)
    await stores.close()
    const seen = await server.sql(url, 'SELECT value FROM seen')
    expect(seen.map(({ value }) => value)).toEqual(['remote_apply', '5MB'])
  })

  test('whose sequence is behind its table is repaired, and tells so', async () => {
    const url = await server.newDatabase()
    const service = await startService({ DATABASE_URL: url })
    const create = async (name: string, once?: string): Promise<unknown> => {
      const request = service.call('post', '/pets')
      if (once !== undefined) void request.set('Idempotency-Key', once)
      const answer = await request.send({ name, categoryId: 1 }).expect(201)
      return (answer.body as { id: unknown }).id
    }
    expect(await create('First')).toBe(1)
    await server.sql(
      url,
      `INSERT INTO pets OVERRIDING SYSTEM VALUE SELECT id, 'Loaded', 1, 'sold' FROM generate_series(2, 100) AS id`,
    )
    const ids = await Promise.all(['a', 'b', 'c', undefined].map((once, index) => create(`Next ${index}`, once)))
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual([101, 102, 103, 104])
    expect(await create('Other body', 'a').catch((error: unknown) => (error as Error).message)).toContain('409')
    const told = service.logged.filter(({ level }) => level === 40).map(({ msg }) => msg)
    expect(told).toContain('the sequence of ids was behind its table, and is set to the last id')
    await service.stop()
  })

  test('lists by status from the index of that', async () => {
    const url = await server.newDatabase()
    const service = await startService({ DATABASE_URL: url })
    await server.sql(
      url,
      `INSERT INTO pets (name, category_id, status)
       SELECT 'Rex', 1, CASE WHEN id % 1000 = 0 THEN 'sold' ELSE 'available' END FROM generate_series(1, 50000) AS id;
       ANALYZE pets`,
    )
    const scans = async (): Promise<{ index: number; table: number }> => {
      const [row] = await server.sql(
        url,
        `SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot(),
                (SELECT idx_scan::int FROM pg_stat_user_indexes WHERE indexrelname = 'pets_by_status') AS index,
                (SELECT seq_tup_read::int FROM pg_stat_user_tables WHERE relname = 'pets') AS table`,
      )
      return { index: Number(row?.index), table: Number(row?.table) }
    }
    const before = await scans()
    // often enough for the plan that does not know the values
    for (let count = 0; count < 12; count += 1) {
      const answer = await service.call('get', '/pets?status=sold&limit=20').expect(200)
      expect((answer.body as { id: number }[]).map(({ id }) => id)).toEqual(
        Array.from({ length: 20 }, (_, index) => 1000 * (index + 1)),
      )
    }
    // a connection tells its counts when it ends, at the latest
    await service.close()
    while ((await scans()).index < before.index + 12) await sleep(50)
    expect((await scans()).table).toBe(before.table)
    await service.stop().catch(() => undefined)
  })

  test('without Redis is warned of at the start', async () => {
    const service = await startService({ DATABASE_URL: await server.newDatabase() })
    const warnings = service.logged.filter(({ level }) => level === 40).map(({ msg }) => msg)
    expect(warnings).toEqual([
      'without REDIS_URL each process counts requests by itself, and forgets the counts when it stops',
    ])
    expect(JSON.stringify(service.logged)).not.toMatch(/hunter2|postgres:/)
    await service.stop()
  })
})
