import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { testFolder } from '../../support/process.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

testFolder()

interface Answer {
  status: number
  text: string
}

describePostgres('a PostgreSQL database that is changed under a running service', () => {
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

  const create = async (body: object = { name: 'Rex', categoryId: 7 }, key?: string): Promise<Answer> => {
    const request = service.call('post', '/pets')
    return (key === undefined ? request : request.set('Idempotency-Key', key)).send(body)
  }
  const get = async (path: string): Promise<Answer> => service.call('get', path)
  /** Waits until `/readyz` says so, whose answer is a moment old at most. */
  const untilReady = async (status: number): Promise<void> => {
    while ((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status !== status) await sleep(50)
  }

  /** What all connections answer that have prepared every statement. */
  async function all(): Promise<Answer[]> {
    return Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        [
          () => create(),
          () => get('/pets/1'),
          () => get('/pets?status=available'),
          () => create(undefined, `k${index}`),
        ][index % 4]?.(),
      ).map(async (answer) => (await answer) ?? { status: 0, text: '' }),
    )
  }
  const statuses = (answers: Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].sort()

  test.each([
    'ALTER TABLE pets ALTER name TYPE varchar(300), ALTER status TYPE varchar(20)',
    'ALTER TABLE pets ALTER category_id TYPE numeric',
    'ALTER TABLE pets ALTER category_id TYPE integer',
    'ALTER TABLE idempotency_keys ALTER caller TYPE varchar(300), ALTER answer TYPE varchar(1000)',
    'ALTER TABLE keys ALTER plan TYPE varchar(30), ALTER label TYPE varchar(300)',
    'ALTER TABLE pets ADD COLUMN note text; ALTER TABLE idempotency_keys ADD COLUMN note text',
    'DROP INDEX pets_by_status',
  ])('answers as before after %s', async (change) => {
    expect((await create()).status).toBe(201)
    expect(statuses(await all())).toEqual([200, 201])
    const before = (await get('/pets/1')).text
    await server.sql(url, change)
    expect(statuses(await all())).toEqual([200, 201])
    expect((await get('/pets/1')).text).toBe(before)
    await untilReady(200)
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('answers as before when what was prepared is gone from a connection', async () => {
    await server.sql(
      url,
      `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN NULL; END $$;
       CREATE TRIGGER forget AFTER INSERT ON pets FOR EACH ROW EXECUTE FUNCTION forget()`,
    )
    for (let round = 0; round < 5; round += 1) expect((await create()).status).toBe(201)
    expect(await get('/pets?limit=100').then(({ text }) => JSON.parse(text) as unknown[])).toHaveLength(5)
  })

  test.each([
    `default_transaction_isolation = 'serializable'`,
    `default_transaction_isolation = 'repeatable read'`,
    `lock_timeout = '1ms'`,
    `statement_timeout = '1ms'`,
  ])('answers as before with a role that has %s', async (setting) => {
    await service.stop()
    await server.sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`)
    service = await startService({ DATABASE_URL: url })
    const other = await startService({ DATABASE_URL: url })
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, index) => {
        const request = (index % 2 ? service : other)
          .call('post', '/pets')
          .set('Authorization', `Bearer ${service.key}`)
        return request.set('Idempotency-Key', `k${index % 48}`).send({ name: 'Rex', categoryId: 7 })
      }),
    )
    expect(statuses(answers)).toEqual([201])
    expect(await server.sql(url, 'SELECT count(*)::int FROM pets')).toEqual([{ count: 48 }])
    await other.stop()
  })

  test('repeats what the server has undone, and adds it once', async () => {
    await server.sql(
      url,
      `CREATE SEQUENCE tries;
       CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') < 4 THEN RAISE EXCEPTION 'undone' USING ERRCODE = new.name; END IF;
         new.name := 'Rex'; RETURN new;
       END $$;
       CREATE TRIGGER fail BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION fail()`,
    )
    for (const code of ['40001', '40P01']) {
      await server.sql(url, `SELECT setval('tries', 1, false)`)
      expect((await create({ name: code, categoryId: 7 })).status).toBe(201)
    }
    expect(await server.sql(url, 'SELECT count(*)::int FROM pets')).toEqual([{ count: 2 }])
    await server.sql(
      url,
      `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = new.name; END $$`,
    )
    expectError((await create({ name: '40001', categoryId: 7 })).text, 503, 'unavailable')
  })

  // each with what heals it, and whether reads fail as well
  test.each<[what: string, fault: string, remedy: string, ofReads: boolean]>([
    ['its table is renamed', 'ALTER TABLE pets RENAME TO animals', 'ALTER TABLE animals RENAME TO pets', true],
    [
      'its table is gone',
      'CREATE SCHEMA elsewhere; ALTER TABLE pets SET SCHEMA elsewhere',
      'ALTER TABLE elsewhere.pets SET SCHEMA public',
      true,
    ],
    [
      'the table of names is renamed',
      'ALTER TABLE idempotency_keys RENAME TO names',
      'ALTER TABLE names RENAME TO idempotency_keys',
      false,
    ],
    [
      'a column is renamed',
      'ALTER TABLE pets RENAME category_id TO category',
      'ALTER TABLE pets RENAME category TO category_id',
      true,
    ],
    [
      'the sequence is renamed',
      'ALTER SEQUENCE pets_id_seq RENAME TO ids',
      'ALTER SEQUENCE ids RENAME TO pets_id_seq',
      false,
    ],
    ['INSERT is revoked', 'REVOKE INSERT ON pets FROM app', 'GRANT INSERT ON pets TO app', false],
    [
      'INSERT of names is revoked',
      'REVOKE INSERT ON idempotency_keys FROM app',
      'GRANT INSERT ON idempotency_keys TO app',
      false,
    ],
    [
      'DELETE of names is revoked',
      'REVOKE DELETE ON idempotency_keys FROM app',
      'GRANT DELETE ON idempotency_keys TO app',
      false,
    ],
    [
      'the sequence is revoked',
      'REVOKE ALL ON SEQUENCE pets_id_seq FROM app',
      'GRANT USAGE ON SEQUENCE pets_id_seq TO app',
      false,
    ],
    ['SELECT is revoked', 'REVOKE SELECT ON pets FROM app', 'GRANT SELECT ON pets TO app', true],
    [
      'the schema is revoked',
      'REVOKE USAGE ON SCHEMA public FROM app, public',
      'GRANT USAGE ON SCHEMA public TO app',
      true,
    ],
  ])('answers 503 with the cause in the log, and is not ready, while %s', async (what, fault, remedy, ofReads) => {
    await server.sql(
      url,
      `DROP ROLE IF EXISTS app; CREATE ROLE app LOGIN PASSWORD 'hunter2';
         GRANT ALL ON ALL TABLES IN SCHEMA public TO app; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app`,
    )
    const limited = await startService({
      DATABASE_URL: Object.assign(new URL(url), { username: 'app', password: 'hunter2' }).href,
    })
    const own = service
    service = limited
    try {
      expect((await create()).status).toBe(201)
      await untilReady(200)
      await server.sql(url, fault)
      // a create reads nothing
      if (what !== 'SELECT is revoked') expectError((await create(undefined, 'k')).text, 503, 'unavailable')
      await untilReady(503)
      const read = await get('/pets/1')
      expect(read.status).toBe(ofReads ? 503 : 200)
      const causes = limited.logged.flatMap(({ code, err }) => (code === 'unavailable' ? [JSON.stringify(err)] : []))
      expect(causes.join()).toMatch(/Put them back\.|Grant it\./)
      expect(causes.join()).not.toContain('hunter2')
      await server.sql(url, remedy)
      expect((await create(undefined, 'k')).status).toBe(201)
      await untilReady(200)
    } finally {
      service = own
      await limited.stop()
      await server.sql(url, 'DROP OWNED BY app')
    }
  })
})
