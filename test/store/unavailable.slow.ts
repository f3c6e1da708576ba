import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { migrateSqlite } from '../../src/store/sqlite/connection/open.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'
import { applicationId, schema } from '../../src/store/schema.ts'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'
import { newFiles, run, testFolder } from '../support/process.ts'
import { open } from '../support/servers/engines.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../support/servers/postgres.ts'

// every run is a process of its own
jest.setTimeout(120_000)

const newFile = newFiles(testFolder())
const newPet = { name: 'Rex', categoryId: 7n, status: 'sold' } as const

/** Runs while another connection holds the lock for writing. */
async function whileLocked<T>(file: string, body: () => Promise<T>): Promise<T> {
  const db = new Database(file)
  db.exec('BEGIN IMMEDIATE')
  try {
    return await body()
  } finally {
    db.close()
  }
}

describe('a command says what is wrong with the store', () => {
  test('when another process has locked it', async () => {
    const file = newFile()
    migrateSqlite(file)
    const env = { DATABASE_URL: `sqlite:${file}` }
    await whileLocked(file, async () => {
      const [create, list, migrate] = await Promise.all([
        run(['scripts/keys.ts', 'create', '--plan', 'free'], env),
        run(['scripts/keys.ts', 'list', '--json'], env),
        run(['scripts/migrate.ts'], env),
      ])
      expect(create).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database is locked by another process; tried for 2 s.\n',
      })
      // which need no lock
      expect(list).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
      expect(migrate).toMatchObject({ code: 0, stderr: '' })
    })
  })

  test('when another process has locked what it must bring up to date', async () => {
    const file = newFile()
    const db = new Database(file)
    db.exec(schema.sqliteSteps[0] ?? '')
    db.pragma('user_version = 1')
    db.pragma(`application_id = ${applicationId}`)
    db.pragma('journal_mode = WAL')
    db.close()
    await whileLocked(file, async () => {
      expect(await run(['scripts/migrate.ts'], { DATABASE_URL: `sqlite:${file}` })).toEqual({
        code: 1,
        stdout: '',
        stderr: `The database ${file} cannot be opened: it is locked by another process; tried for 5 s.\n`,
      })
    })
  })

  test('when another process has locked the one that is copied to', async () => {
    const [from, to] = [newFile(), newFile()]
    for (const file of [from, to]) migrateSqlite(file)
    const stores = sqliteStores(from)
    await stores.pets.add(newPet)
    await stores.close()
    await whileLocked(to, async () => {
      expect(await run(['scripts/store-copy.ts', `sqlite:${from}`, `sqlite:${to}`])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database is locked by another process; tried for 2 s.\n',
      })
    })
  })
})

describe('a store in SQLite says', () => {
  test('that its file is gone', async () => {
    const file = newFile()
    const { pets, ping, close } = sqliteStores(file)
    for (const end of ['', '-wal', '-shm']) rmSync(file + end)
    const sentence = 'The database is gone. Put it back, or a backup of it.'
    for (const call of [ping, () => pets.add(newPet), () => pets.find(1n)]) {
      await expect(call()).rejects.toThrow(sentence)
    }
    await close()
  })
})

describePostgres('a store in PostgreSQL says', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
  })
  afterAll(() => server.stop())

  test('that a lock or the load holds it up, that it is read-only, and that it does not answer', async () => {
    const url = await server.newDatabase()
    const stores = await open(url)
    const locker = await server.client(url)
    await locker.query('BEGIN; LOCK TABLE pets')
    await expect(stores.pets.list({ limit: 1 })).rejects.toThrow(
      'PostgreSQL gave up after 2 s: another process holds a lock, or the server is too busy.',
    )
    await locker.query('ROLLBACK')

    const name = new URL(url).pathname.slice(1)
    await server.sql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const other = await open(url)
    await expect(other.pets.add(newPet)).rejects.toThrow('The PostgreSQL database is read-only. Make it writable.')
    await server.kill()
    for (const { ping, close } of [stores, other]) {
      const refused = await ping().catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(StoreUnavailable)
      expect(refused).toHaveProperty('message', expect.stringMatching(/^PostgreSQL does not answer: .+\.$/))
      await close()
    }
  })
})
