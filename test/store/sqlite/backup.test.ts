import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { digestOf, newKey, newRecord } from '../../../src/auth/key.ts'
import { backUp } from '../../../src/store/sqlite/backup.ts'
import { applicationId, schema } from '../../../src/store/schema.ts'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import type { Stores } from '../../../src/store/store.ts'
import { testFolder } from '../../support/process.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

const root = testFolder()
let folder: string
let store: string
let file: string
let stores: Stores
let count = 0
beforeEach(() => {
  folder = join(root, `test ${count++}`)
  mkdirSync(folder)
  store = join(folder, 'store.db')
  file = join(folder, 'backup.db')
  stores = sqliteStores(store)
})
afterEach(() => stores.close())

const rex = { name: 'Rex', categoryId: 7n, status: 'available' } as const

/** Makes the store larger than a few steps of the copying, 16 MB. */
function grow(): void {
  const db = new Database(store)
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
           INSERT INTO pets (name, category_id, status) SELECT printf('%.*c', 240, 'x'), i, 'sold' FROM n`)
  db.close()
}

/** What a backup never leaves behind, whatever becomes of it. */
function leftovers(): string[] {
  return readdirSync(folder).filter((name) => name.includes('backup') && name !== 'backup.db')
}

describe('backUp', () => {
  test('copies everything into one file that only its owner may read', async () => {
    const key = newKey()
    await stores.keys.add(newRecord({ plan: 'pro', createdAt: 1 }), digestOf(key), 'a test')
    await stores.pets.add(rex)
    await stores.pets.add({ ...rex, categoryId: 9_223_372_036_854_775_807n })
    const written = await backUp(store, file)
    expect(written).toEqual({ schemaVersion: schema.sqliteSteps.length, pets: 2, keys: 1, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(leftovers()).toEqual([])
    // 1 is a rollback journal and 2 a write-ahead log (https://sqlite.org/fileformat2.html#file_format_version_numbers)
    expect([...readFileSync(file).subarray(18, 20)]).toEqual([1, 1])

    const restored = sqliteStores(file)
    try {
      expect(await restored.pets.list({ limit: 10 })).toEqual(await stores.pets.list({ limit: 10 }))
      expect(await restored.keys.find(digestOf(key))).toEqual(await stores.keys.find(digestOf(key)))
    } finally {
      await restored.close()
    }
  })

  test('pins no write-ahead log between two steps', async () => {
    grow()
    const writer = new Database(store)
    const busy: unknown[] = []
    await backUp(store, file, {
      onProgress: () => {
        if (busy.length > 100) throw new Error('it starts anew for ever')
        busy.push(writer.pragma('wal_checkpoint(TRUNCATE)', { simple: true }))
      },
    })
    writer.close()
    expect(busy.length).toBeGreaterThan(3)
    expect(new Set(busy)).toEqual(new Set([0]))
  })

  test('ends although another process writes between all steps, with every animal from before', async () => {
    grow()
    const writer = new Database(store)
    const insert = writer.prepare("INSERT INTO pets (name, category_id, status) VALUES ('Mia', 1, 'sold')")
    let steps = 0
    const { pets } = await backUp(store, file, {
      onProgress: () => {
        if (++steps > 30) throw new Error('it starts anew for ever')
        insert.run()
      },
    })
    writer.close()
    expect(pets).toBeGreaterThanOrEqual(60_000)
    expect(pets).toBeLessThanOrEqual(60_000 + steps)
  })

  test('tells how far it is', async () => {
    grow()
    const told: [number, number][] = []
    await backUp(store, file, { onProgress: (copied, total) => told.push([copied, total]) })
    const [, total = 0] = told.at(-1) ?? []
    expect(told.at(-1)).toEqual([total, total])
    expect(told.map(([copied]) => copied)).toEqual([...told.map(([copied]) => copied)].sort((a, b) => a - b))
    expect(total * 4096).toBe(statSync(file).size)
  })

  test('stops when it is told to, and leaves nothing behind', async () => {
    grow()
    const stop = new AbortController()
    const stopped = backUp(store, file, {
      signal: stop.signal,
      onProgress: () => {
        stop.abort(new Error('it was interrupted'))
      },
    })
    await expect(stopped).rejects.toThrow(`There is no backup at ${file}: it was interrupted.`)
    expect(existsSync(file)).toBe(false)
    expect(leftovers()).toEqual([])
  })

  test('keeps the store of an older program as it is', async () => {
    await stores.close()
    const old = join(folder, 'old.db')
    const db = new Database(old)
    for (const step of schema.sqliteSteps.slice(0, 1)) db.exec(step)
    db.pragma('user_version = 1')
    db.pragma(`application_id = ${applicationId}`)
    db.close()
    expect(await backUp(old, file)).toMatchObject({ schemaVersion: 1, pets: 0, keys: 0 })
    const after = new Database(old, { readonly: true })
    expect(after.pragma('user_version', { simple: true })).toBe(1)
    after.close()
  })

  test('replaces a backup when it must, and no other file ever', async () => {
    await backUp(store, file)
    const first = readFileSync(file)
    await stores.pets.add(rex)
    await expect(backUp(store, file)).rejects.toThrow('--force')
    expect(readFileSync(file).equals(first)).toBe(true)
    expect(await backUp(store, file, { force: true })).toMatchObject({ pets: 1 })

    const letter = join(folder, 'letter.txt')
    for (const text of ['', 'Dear all,', `SQLite format 3\0${'x'.repeat(200)}`]) {
      writeFileSync(letter, text)
      await expect(backUp(store, letter, { force: true })).rejects.toThrow('is not a backup of this service')
      expect(readFileSync(letter, 'utf8')).toBe(text)
    }
    await expect(backUp(store, folder, { force: true })).rejects.toThrow('is not a backup of this service')
  })

  test('does not take a name that somebody else has taken meanwhile', async () => {
    const taken = backUp(store, file, {
      onProgress: () => {
        writeFileSync(file, 'mine')
      },
    })
    await expect(taken).rejects.toThrow(`${file} already exists.`)
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(leftovers()).toEqual([])
  })

  test('refuses the files of the store itself, by whatever name', async () => {
    await stores.pets.add(rex)
    const [symbolic, hard] = [join(folder, 'symbolic'), join(folder, 'hard')]
    symlinkSync(store, symbolic)
    linkSync(store, hard)
    for (const own of [store, `${store}-wal`, `${store}-shm`, symbolic, hard]) {
      await expect(backUp(store, own, { force: true })).rejects.toThrow(`${own} belongs to the store itself.`)
    }
    expect(await stores.pets.list({ limit: 10 })).toHaveLength(1)
  })

  test("refuses the names that belong to the store's files, also while those are not there", async () => {
    const [symbolic, linked] = [join(folder, 'link.db'), join(folder, 'linked')]
    symlinkSync(store, symbolic)
    symlinkSync(folder, linked)
    for (const named of [store, symbolic]) {
      for (const end of ['-journal', '-quota', '-quota-wal']) {
        for (const own of [`${store}${end}`, `${named}${end}`, join(linked, `store.db${end}`)]) {
          await expect(backUp(named, own)).rejects.toThrow(`${own} belongs to the store itself.`)
          expect(existsSync(own)).toBe(false)
        }
      }
    }
  })

  test('refuses a name beside which the log of another database lies, which would be written over the backup', async () => {
    await backUp(store, file)
    const link = join(folder, 'link.db')
    symlinkSync(file, link)
    await stores.pets.add(rex)
    const before = readFileSync(file)
    for (const end of ['-wal', '-shm', '-journal', '-quota']) {
      const companion = file + end
      writeFileSync(companion, 'mine')
      const message = `may be a store in use, or have been one: ${companion} is there. `
      await expect(backUp(store, file, { force: true })).rejects.toThrow(message)
      await expect(backUp(store, link, { force: true })).rejects.toThrow(message)
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(readFileSync(companion, 'utf8')).toBe('mine')
      rmSync(companion)

      const fresh = join(folder, `fresh${end}`)
      writeFileSync(fresh + end, 'mine')
      await expect(backUp(store, fresh)).rejects.toThrow(`${fresh + end} is there.`)
      expect(existsSync(fresh)).toBe(false)
    }
    expect(await backUp(store, file, { force: true })).toMatchObject({ pets: 1 })
  })

  test('refuses a name that a service begins to use meanwhile', async () => {
    const taken = backUp(store, file, {
      onProgress: () => {
        writeFileSync(`${file}-wal`, 'mine')
      },
    })
    await expect(taken).rejects.toThrow(`There is no backup at ${file}: ${file}-wal appeared during the backup`)
    expect(leftovers()).toEqual(['backup.db-wal'])
    expect(existsSync(file)).toBe(false)
  })

  test('takes every name that a file can have, and refuses longer ones', async () => {
    for (const length of [243, 255]) {
      const long = join(folder, 'b'.repeat(length))
      expect(await backUp(store, long)).toMatchObject({ pets: 0 })
    }
    const longer = join(folder, 'b'.repeat(256))
    await expect(backUp(store, longer)).rejects.toThrow(`The name ${longer} is too long. Name another file.`)
    expect(leftovers()).toEqual([])
  })

  test.each([
    ['is not there', () => undefined, /^There is no store at .*wrong\.db\. DATABASE_URL says where it is\.$/],
    [
      'is empty',
      (wrong: string) => {
        writeFileSync(wrong, '')
      },
      /wrong\.db cannot be read: it is not a database of this service\.$/,
    ],
    [
      'is no database',
      (wrong: string) => {
        writeFileSync(wrong, 'x'.repeat(5000))
      },
      /wrong\.db cannot be read: file is not a database\.$/,
    ],
    [
      "is another program's",
      (wrong: string) => {
        edit(wrong, 'application_id = 5')
      },
      /it is not a database of this service\.$/,
    ],
    [
      "is a newer program's",
      (wrong: string) => {
        edit(wrong, 'user_version = 99')
      },
      /its schema has version 99 .* use a newer program\.$/,
    ],
  ])('refuses a store that %s', async (_, make, message) => {
    const wrong = join(folder, 'wrong.db')
    make(wrong)
    await expect(backUp(wrong, file)).rejects.toThrow(message)
    expect(existsSync(file)).toBe(false)
  })

  test.each([
    ['a page that cannot be read', (bytes: Buffer) => bytes.fill(0xff, 40 * 4096, 60 * 4096)],
    // which only a comparison of table and index finds
    ['a row that differs from the index', (bytes: Buffer) => bytes.write('solx', bytes.indexOf('sold', 40 * 4096))],
  ])('refuses a store with %s', async (_, damage) => {
    grow()
    await stores.close()
    const bytes = readFileSync(store)
    damage(bytes)
    writeFileSync(store, bytes)
    await expect(backUp(store, file)).rejects.toThrow(/: the store is damaged.*; keep its earlier backups\.$/)
    expect(existsSync(file)).toBe(false)
    expect(leftovers()).toEqual([])
    stores = sqliteStores(join(folder, 'other.db'))
  })

  test('refuses a folder that is not there', async () => {
    const far = join(folder, 'far', 'backup.db')
    await expect(backUp(store, far)).rejects.toThrow(`The folder ${join(folder, 'far')} is not there.`)
  })
})

/** Makes a store at `path` that differs by one pragma. */
function edit(path: string, pragma: string): void {
  const db = new Database(store)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  copyFileSync(store, path)
  const copy = new Database(path)
  copy.pragma(pragma)
  copy.close()
}
