import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import Database from 'better-sqlite3'
import { ApiError } from '../../src/api-error.ts'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import { sqliteStores } from '../../src/store/sqlite.ts'
import type { Key, NewPet, Pet, Stores } from '../../src/store/store.ts'
import { start, testFolder, type Running } from '../support/process.ts'
import { expectError, startService } from '../support/service.ts'

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

/** Runs on new stores, and then again on what they left in the file. */
async function onBoth(
  fill: (stores: Stores) => Promise<void>,
  check: (stores: Stores) => Promise<void>,
): Promise<void> {
  const file = newFile()
  const stores = sqliteStores(file)
  await fill(stores)
  await check(stores)
  await stores.close()
  const again = sqliteStores(file)
  await check(again)
  await again.close()
}

function edit(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file)
  db.defaultSafeIntegers(true)
  change(db)
  db.close()
}

describe('animals', () => {
  test('are listed oldest first, in pages without gaps, filtered or not', async () => {
    const all: Pet[] = []
    await onBoth(
      async ({ pets }) => {
        for (let index = 0; index < 10; index += 1) {
          all.push(await pets.add({ ...rex, name: `N${index}`, status: index % 2 ? 'sold' : 'pending' }))
        }
      },
      async ({ pets }) => {
        expect(all.map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n])
        expect(await pets.list({ limit: 100 })).toEqual(all)
        expect(await pets.list({ limit: 3 })).toEqual(all.slice(0, 3))
        expect(await pets.list({ limit: 3, after: 3n })).toEqual(all.slice(3, 6))
        expect(await pets.list({ limit: 3, after: 9n })).toEqual(all.slice(9))
        expect(await pets.list({ limit: 3, after: 10n })).toEqual([])
        expect(await pets.list({ limit: 3, after: 2n ** 63n - 1n })).toEqual([])
        const sold = all.filter(({ status }) => status === 'sold')
        expect(await pets.list({ limit: 100, status: 'sold' })).toEqual(sold)
        expect(await pets.list({ limit: 2, status: 'sold', after: 4n })).toEqual(sold.slice(2, 4))
        expect(await pets.list({ limit: 100, status: 'available' })).toEqual([])
      },
    )
  })

  test('are found by their id alone', async () => {
    await onBoth(
      async ({ pets }) => {
        await pets.add(rex)
      },
      async ({ pets }) => {
        expect(await pets.find(1n)).toEqual({ id: 1n, ...rex })
        for (const id of [0n, 2n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) expect(await pets.find(id)).toBeUndefined()
      },
    )
  })

  test('keep every digit of an int64', async () => {
    const edges = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 53n, 0n, -1n]
    await onBoth(
      async ({ pets }) => {
        for (const categoryId of edges) expect((await pets.add({ ...rex, categoryId })).categoryId).toBe(categoryId)
      },
      async ({ pets }) => {
        expect((await pets.list({ limit: 100 })).map(({ categoryId }) => categoryId)).toEqual(edges)
        expect((await pets.find(3n))?.categoryId).toBe(9007199254740993n)
      },
    )
  })

  test('with ids beyond 2^53 are not mistaken for their neighbours', async () => {
    const file = newFile()
    await sqliteStores(file).close()
    const ids = [9007199254740991n, 9007199254740992n, 9007199254740993n, 9223372036854775806n]
    edit(file, (db) => {
      const insert = db.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, 1, ?)')
      for (const id of ids) insert.run(id, `N${id}`, 'sold')
    })
    const { pets, close } = sqliteStores(file)
    for (const id of ids) expect(await pets.find(id)).toMatchObject({ id, name: `N${id}` })
    expect(await pets.find(9007199254740994n)).toBeUndefined()
    expect((await pets.list({ limit: 100, after: 9007199254740992n })).map(({ id }) => id)).toEqual(ids.slice(2))
    await close()
  })

  test('keep their names as they are', async () => {
    const names = ['é', 'e\u0301', '😀'.repeat(255), 'a\r\nb', "'); DROP TABLE pets; --", '\uffff', '\u{10ffff}']
    await onBoth(
      async ({ pets }) => {
        await Promise.all(names.map((name) => pets.add({ ...rex, name })))
      },
      async ({ pets }) => {
        expect((await pets.list({ limit: 100 })).map(({ name }) => name)).toEqual(names)
      },
    )
  })

  test('that are added at once all get an id of their own and are all stored', async () => {
    const answered: Pet[] = []
    await onBoth(
      async ({ pets }) => {
        const added = Array.from({ length: 1000 }, (_, index) => pets.add({ ...rex, name: `N${index}` }))
        answered.push(...(await Promise.all(added)))
      },
      async ({ pets }) => {
        expect(new Set(answered.map(({ id }) => id)).size).toBe(1000)
        expect(answered.map(({ name }) => name)).toEqual(answered.map((_, index) => `N${index}`))
        expect(await pets.list({ limit: 2000 })).toEqual(answered.toSorted((a, b) => Number(a.id - b.id)))
      },
    )
  })

  test('that are added while the store closes are stored when they were accepted', async () => {
    const file = newFile()
    const stores = sqliteStores(file)
    const added = Array.from({ length: 300 }, () => stores.pets.add(rex))
    await stores.close()
    expect(await Promise.all(added)).toHaveLength(300)
    const again = sqliteStores(file)
    expect(await again.pets.list({ limit: 1000 })).toHaveLength(300)
    await again.close()
  })

  test('of two processes on one file have different ids', async () => {
    const file = newFile()
    const both = [sqliteStores(file), sqliteStores(file)]
    const added = await Promise.all(
      both.map(async ({ pets }) => {
        const mine: Pet[] = []
        for (let round = 0; round < 20; round += 1) {
          mine.push(...(await Promise.all(Array.from({ length: 10 }, () => pets.add(rex)))))
        }
        return mine
      }),
    )
    expect(new Set(added.flat().map(({ id }) => id)).size).toBe(400)
    expect(await both[0]?.pets.list({ limit: 1000 })).toHaveLength(400)
    await Promise.all(both.map(({ close }) => close()))
  })

  test('never get the id of one that is gone', async () => {
    const file = newFile()
    const stores = sqliteStores(file)
    for (let count = 0; count < 3; count += 1) await stores.pets.add(rex)
    edit(file, (db) => db.exec('DELETE FROM pets WHERE id = 3'))
    expect((await stores.pets.add(rex)).id).toBe(4n)
    await stores.close()
    edit(file, (db) => db.exec('DELETE FROM pets'))
    const again = sqliteStores(file)
    expect((await again.pets.add(rex)).id).toBe(5n)
    await again.close()
  })

  test('get no made-up id when the last one is used up', async () => {
    const file = newFile()
    const stores = sqliteStores(file)
    edit(file, (db) => {
      db.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, 1, ?)').run(
        2n ** 63n - 1n,
        'Last',
        'sold',
      )
    })
    await expect(stores.pets.add(rex)).rejects.toHaveProperty('message')
    expect((await stores.pets.list({ limit: 10 })).map(({ id }) => id)).toEqual([9223372036854775807n])
    await stores.close()
  })
})

describe('keys', () => {
  test('are found by their digest, with every field', async () => {
    const custom = { perMinute: 5000, perDay: 1_000_000_000 }
    const records = [
      aKey({ createdAt: 1_800_000_000_123 }),
      aKey({ plan: 'enterprise', custom, label: 'ein Schlüssel', createdAt: 1_800_000_000_124 }),
      aKey({ createdAt: 1_800_000_000_125, revokedAt: 1_800_000_000_126 }),
    ]
    const digests = records.map(() => digestOf(newKey()))
    await onBoth(
      async ({ keys }) => {
        for (const [index, record] of records.entries()) await keys.add(record, digests[index] ?? Buffer.alloc(0))
      },
      async ({ keys }) => {
        expect(await Promise.all(digests.map((digest) => keys.find(digest)))).toEqual(records)
        expect(await keys.find(digestOf(newKey()))).toBeUndefined()
        expect(await keys.list()).toEqual(records)
      },
    )
  })

  test('are listed oldest first', async () => {
    const records = [3, 1, 2].map((createdAt) => aKey({ createdAt }))
    await onBoth(
      async ({ keys }) => {
        for (const record of records) await keys.add(record, digestOf(newKey()))
      },
      async ({ keys }) => {
        expect((await keys.list()).map(({ createdAt }) => createdAt)).toEqual([1, 2, 3])
      },
    )
  })

  test('once revoked stay revoked, since the first time', async () => {
    const text = newKey()
    const record = aKey()
    await onBoth(
      async ({ keys }) => {
        await keys.add(record, digestOf(text))
        expect(await keys.revoke(record.id, 1000)).toBe(true)
        expect(await keys.revoke(record.id, 2000)).toBe(true)
        expect(await keys.revoke('key_unknown', 1000)).toBe(false)
      },
      async ({ keys }) => {
        expect(await keys.find(digestOf(text))).toEqual({ ...record, revokedAt: 1000 })
      },
    )
  })

  test('the first one is made once, by whichever process comes first', async () => {
    const file = newFile()
    const all = Array.from({ length: 4 }, () => sqliteStores(file))
    const made = await Promise.all(all.map(({ keys }) => keys.addFirst(aKey(), digestOf(newKey()))))
    expect(made.filter((one) => one)).toHaveLength(1)
    expect(await all[0]?.keys.list()).toHaveLength(1)
    await Promise.all(all.map(({ close }) => close()))
  })

  test('the first one is not made when there is one already, revoked or not', async () => {
    const { keys, close } = sqliteStores(newFile())
    const old = aKey()
    await keys.add(old, digestOf(newKey()))
    await keys.revoke(old.id, 1)
    expect(await keys.addFirst(aKey(), digestOf(newKey()))).toBe(false)
    expect(await keys.list()).toHaveLength(1)
    await close()
  })

  test('do not share a digest', async () => {
    const { keys, close } = sqliteStores(newFile())
    const digest = digestOf(newKey())
    await keys.add(aKey(), digest)
    await expect(keys.add(aKey(), digest)).rejects.toHaveProperty('code', 'SQLITE_CONSTRAINT_UNIQUE')
    expect(await keys.list()).toHaveLength(1)
    await close()
  })
})

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
    const db = pragma.mock.contexts[0] as Database.Database
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
    ['another program', (db: Database.Database) => db.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)')],
    ['another program that marks it', (db: Database.Database) => db.pragma('application_id = 42')],
    [
      'another program with our version',
      (db: Database.Database) => {
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
      import { sqliteStores } from './src/store/sqlite.ts'
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
    import Database from 'better-sqlite3'
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
    expect(outcome.error).toBeInstanceOf(ApiError)
    expect(outcome.error).toMatchObject({ status: 503, code: 'unavailable', headers: ['Retry-After', '1'] })
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
    await keys.add(key, digestOf(newKey()))
    await lock(file)
    const added = Promise.all(Array.from({ length: 50 }, () => pets.add(rex)))
    const revoked = keys.revoke(key.id, 5)
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
    expect((headers as Record<string, string>)['retry-after']).toMatch(/^[1-9]\d*$/)
    await letGo(file)
    await service.stop()
  })
})
