import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import type Sqlite from 'better-sqlite3'
import { digestOf, newKey, newRecord } from '../../../src/auth/key.ts'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import type { Key } from '../../../src/store/store.ts'
import type { NewPet } from '../../../src/store/tables/pets.ts'
import { StoreUnavailable } from '../../../src/store/unavailable.ts'
import { start, testFolder, type Running } from '../../support/process.ts'
import { expectError, startService } from '../../support/service.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

const folder = testFolder()

let files = 0
/** A file that is not there yet. */
function newFile(): string {
  files += 1
  return `${folder}/${files}.db`
}

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

function aKey(record: Partial<Key> = {}): Key {
  return newRecord({ plan: 'free', createdAt: 1, ...record })
}

function edit(file: string, change: (db: Sqlite.Database) => void): void {
  const db = new Database(file)
  db.defaultSafeIntegers(true)
  change(db)
  db.close()
}

describe('the file', () => {
  test('is made with the folders above it', async () => {
    const file = `${folder}/a/b/c.db`
    await sqliteStores(file).close()
    await sqliteStores(file).close()
  })

  test('may be there already, and empty', async () => {
    const file = newFile()
    writeFileSync(file, '')
    const { pets, close } = sqliteStores(file)
    expect((await pets.add(rex)).id).toBe(1n)
    await close()
  })

  test('is written so that a commit is on disk before it is answered', async () => {
    const pragma = jest.spyOn(Database.prototype, 'pragma')
    const { close } = sqliteStores(newFile())
    const db = pragma.mock.contexts[0] as Sqlite.Database
    pragma.mockRestore()
    expect(db.pragma('synchronous', { simple: true })).toBe(2n)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    await close()
  })

  test('is one file after the last process has closed it', async () => {
    mkdirSync(`${folder}/alone`)
    const { pets, close } = sqliteStores(`${folder}/alone/x.db`)
    await pets.add(rex)
    await close()
    expect(readdirSync(`${folder}/alone`)).toEqual(['x.db'])
  })

  test('of a newer program is refused, and left as it is', async () => {
    const file = newFile()
    const stores = sqliteStores(file)
    await stores.pets.add(rex)
    await stores.close()
    edit(file, (db) => db.pragma('user_version = 99'))
    const opened = (): unknown => sqliteStores(file)
    expect(opened).toThrow(
      /^The database \S+ cannot be opened: its schema has version 99 and this program knows \d+; use a newer program\.$/,
    )
    edit(file, (db) => {
      expect(db.pragma('user_version', { simple: true })).toBe(99n)
      expect(db.prepare('SELECT count(*) FROM pets').pluck().get()).toBe(1n)
    })
  })

  test.each([
    ['another program', (db: Sqlite.Database) => db.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)')],
    ['another program that marks it', (db: Sqlite.Database) => db.pragma('application_id = 42')],
    [
      'another program with our version',
      (db: Sqlite.Database) => {
        db.exec('CREATE TABLE x (y)')
        db.pragma('user_version = 1')
      },
    ],
  ])('of %s is refused, and left as it is', (_, make) => {
    const file = newFile()
    edit(file, make)
    const schema = (): unknown[] => {
      let found: unknown[] = []
      edit(file, (db) => {
        found = [
          ...db.prepare('SELECT name, sql FROM sqlite_schema').all(),
          ...['user_version', 'application_id', 'journal_mode'].map((name) => db.pragma(name, { simple: true })),
        ]
      })
      return found
    }
    const before = schema()
    expect(() => sqliteStores(file)).toThrow(
      /^The database \S+ cannot be opened: it is not a database of this service\.$/,
    )
    expect(schema()).toEqual(before)
  })

  test('that is no database is refused, and left as it is', () => {
    const file = newFile()
    writeFileSync(file, 'Dear diary, '.repeat(1000))
    expect(() => sqliteStores(file)).toThrow(
      /^The database \S+ cannot be opened: file is not a database\. Put a backup [^.]+\.$/,
    )
    expect(readdirSync(folder).filter((name) => name.startsWith(`${files}.db`))).toEqual([`${files}.db`])
  })

  test('that cannot be is refused with a sentence', () => {
    writeFileSync(`${folder}/plain`, '')
    for (const file of [folder, `${folder}/plain/x.db`]) {
      expect(() => sqliteStores(file)).toThrow(/^The database \S+ cannot be opened: .*\.$/)
    }
  })

  test('may be opened for the first time by four processes at once', async () => {
    const opener = `
      import { createInterface } from 'node:readline'
      import { sqliteStores } from './src/store/sqlite/stores.ts'
      console.log('ready')
      for await (const file of createInterface({ input: process.stdin })) {
        try {
          const stores = sqliteStores(file)
          const { id } = await stores.pets.add({ name: 'Rex', categoryId: 1n, status: 'sold' })
          await stores.close()
          console.log('id ' + id + ' of ' + file)
        } catch (error) {
          console.log(String(error) + ' of ' + file)
        }
      }`
    const processes = Array.from({ length: 4 }, () => start(['--input-type=module', '--eval', opener]))
    await Promise.all(processes.map(({ until }) => until(/ready\n/)))
    for (let round = 0; round < 10; round += 1) {
      const file = newFile()
      for (const { child } of processes) child.stdin?.write(`${file}\n`)
      const answers = await Promise.all(
        processes.map(async ({ until }) => (await until(new RegExp(`^(.*) of ${file}\n`, 'm')))[1]),
      )
      expect(answers.toSorted()).toEqual(['id 1', 'id 2', 'id 3', 'id 4'])
    }
    for (const { child } of processes) child.stdin?.end()
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
  })
})

describe('while another process holds the lock', () => {
  const locker = `
    import { Database } from './src/store/sqlite/connection/driver.ts'
    import { createInterface } from 'node:readline'
    console.log('ready')
    for await (const file of createInterface({ input: process.stdin })) {
      if (file === 'go') continue
      const db = new Database(file)
      db.exec('BEGIN IMMEDIATE')
      console.log('holds ' + file)
      await new Promise((resolve) => process.stdin.once('data', resolve))
      db.exec('ROLLBACK')
      db.close()
      console.log('let go ' + file)
    }`
  let other: Running
  beforeAll(() => {
    other = start(['--input-type=module', '--eval', locker])
  })
  async function lock(file: string): Promise<void> {
    await other.until(/ready\n/)
    other.child.stdin?.write(`${file}\n`)
    await other.until(new RegExp(`holds ${file}\n`))
  }

  async function letGo(file: string): Promise<void> {
    other.child.stdin?.write('go\n')
    await other.until(new RegExp(`let go ${file}\n`))
  }

  test('reads are answered, adding is refused after two seconds, and the event loop never stalls', async () => {
    const file = newFile()
    const { pets, keys, ping, close } = sqliteStores(file)
    await pets.add(rex)
    await lock(file)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const started = performance.now()
    const outcome: { error?: unknown } = {}
    const refused = pets.add(rex).then(
      () => {
        outcome.error = 'none'
      },
      (error: unknown) => {
        outcome.error = error
      },
    )
    let reads = 0
    while (outcome.error === undefined) {
      expect(await pets.list({ limit: 10 })).toHaveLength(1)
      expect(await pets.find(1n)).toBeDefined()
      expect(await keys.list()).toEqual([])
      await ping()
      reads += 1
      await sleep(20)
    }
    const waitedMs = performance.now() - started
    delay.disable()
    await refused
    expect(outcome.error).toBeInstanceOf(StoreUnavailable)
    expect(outcome.error).toHaveProperty('message', 'The database is locked by another process; tried for 2 s.')
    expect(outcome.error).toHaveProperty('cause.code', 'SQLITE_BUSY')
    expect(waitedMs).toBeGreaterThan(1900)
    expect(waitedMs).toBeLessThan(4000)
    expect(reads).toBeGreaterThan(10)
    expect(delay.max / 1e6).toBeLessThan(500)
    await letGo(file)
    expect((await pets.add(rex)).id).toBe(2n)
    await close()
  })

  test('an animal is added when the lock goes in time', async () => {
    const file = newFile()
    const { pets, keys, close } = sqliteStores(file)
    const key = aKey()
    await keys.add(key, digestOf(newKey()), 'a test')
    await lock(file)
    const added = Promise.all(Array.from({ length: 50 }, () => pets.add(rex)))
    const revoked = keys.revoke(key.id, { at: 5, by: 'a test' })
    await sleep(200)
    expect(await pets.list({ limit: 100 })).toEqual([])
    await letGo(file)
    expect(new Set((await added).map(({ id }) => id)).size).toBe(50)
    expect(await revoked).toBe(true)
    expect(await pets.list({ limit: 100 })).toHaveLength(50)
    await close()
  })

  test('nobody waits for others who wait: all who came at once are refused at about the same time', async () => {
    const file = newFile()
    const { pets, close } = sqliteStores(file)
    await lock(file)
    const started = performance.now()
    const results = await Promise.allSettled(Array.from({ length: 600 }, () => pets.add(rex)))
    expect(performance.now() - started).toBeLessThan(4000)
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']))
    await letGo(file)
    await close()
  }, 20_000)

  test('the service refuses an animal with 503 and goes on to answer the rest', async () => {
    const service = await startService()
    const file = `${service.folder}/store.db`
    await service.call('get', '/pets').expect(200)
    await lock(file)
    const refused = service
      .call('post', '/pets')
      .set('Content-Type', 'application/json')
      .send('{"name":"R","categoryId":1}')
    const answer = refused.then((response) => response)
    await service.call('get', '/pets').expect(200)
    await service.call('get', '/pets/1').expect(404)
    expect((await fetch(`http://127.0.0.1:${service.port}/livez`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status).toBe(200)
    const { status, text, headers } = await answer
    expect(status).toBe(503)
    expectError(text, 503, 'unavailable')
    expect(text).not.toMatch(/SQLITE|database|lock/i)
    expect((headers as Record<string, string>)['retry-after']).toBe('1')
    // operators are told what clients are not
    expect(service.logged.find(({ msg }) => msg === 'request failed')).toMatchObject({
      err: { message: expect.stringMatching(/^The database is locked by another process; tried for 2 s\./) },
    })
    await letGo(file)
    await service.stop()
  })
})
