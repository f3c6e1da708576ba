import { describe, expect, test } from '@jest/globals'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'
import { rememberedMs } from '../../../src/store/resource.ts'
import type { Stores } from '../../../src/store/store.ts'
import { newFiles, testFolder } from '../../support/process.ts'

const newFile = newFiles(testFolder())
const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
const once = { caller: 'c', key: 'k', digest: Buffer.alloc(32), now: 0 }

/** Runs on new stores, with a second connection to their file. */
async function onNew(run: (stores: Stores, db: InstanceType<typeof Database>) => Promise<void>): Promise<void> {
  const file = newFile()
  const stores = sqliteStores(file)
  const db = new Database(file)
  await run(stores, db)
  db.close()
  await stores.close()
}

describe('animals in an SQLite file', () => {
  test('have integers as their category, also at the edges of int64', async () => {
    await onNew(async ({ pets }, db) => {
      for (const categoryId of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n])
        await pets.add({ ...pet, categoryId })
      expect(db.prepare('SELECT DISTINCT typeof(category_id) FROM pets').pluck().all()).toEqual(['integer'])
    })
  })
})

describe('remembered names in an SQLite file', () => {
  test('are deleted after their time, a few with each new one', async () => {
    await onNew(async ({ pets }, db) => {
      for (let index = 0; index < 10; index += 1) await pets.addOnce(pet, { ...once, key: `old-${index}`, now: index })
      const now = rememberedMs + 9
      for (let index = 0; index < 5; index += 1) await pets.addOnce(pet, { ...once, key: `new-${index}`, now })
      const left = db.prepare('SELECT key FROM idempotency_keys ORDER BY key').pluck().all()
      expect(left).toEqual(['new-0', 'new-1', 'new-2', 'new-3', 'new-4'])
    })
  })

  test('are stored with their animal or not at all', async () => {
    await onNew(async ({ pets }, db) => {
      db.exec(`CREATE TRIGGER full BEFORE INSERT ON idempotency_keys BEGIN SELECT raise(ABORT, 'no'); END`)
      await expect(pets.addOnce(pet, once)).rejects.toHaveProperty('message', 'no')
      expect(await pets.list({ limit: 10 })).toEqual([])
      db.exec(`DROP TRIGGER full; CREATE TRIGGER full BEFORE INSERT ON pets BEGIN SELECT raise(ABORT, 'no'); END`)
      await expect(pets.addOnce(pet, once)).rejects.toHaveProperty('message', 'no')
      db.exec('DROP TRIGGER full')
      expect(await pets.addOnce(pet, once)).toMatchObject({ row: pet, replayed: false })
    })
  })
})
