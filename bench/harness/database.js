import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'

const built = new URL('../../dist/', import.meta.url)
const unlimited = 999_999_999

/**
 * Makes a database of the service's own schema with animals and keys. `count` animals have the ids from 1 on; of ten
 * in turn seven are available, two pending and one is sold.
 */
export async function seedDatabase(file, count) {
  const { migrateStore } = await builtModule('src/store/open.js')
  const { newKey, newRecord, digestOf } = await builtModule('src/auth/key.js')
  await migrateStore({ database: { engine: 'sqlite', file } })
  const db = new Database(file)
  try {
    db.prepare(
      `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
       INSERT INTO pets (id, name, category_id, status)
       SELECT id, 'Animal ' || id, id % 50 + 1, CASE WHEN id % 10 < 7 THEN 'available' WHEN id % 10 < 9 THEN 'pending' ELSE 'sold' END
       FROM n`,
    ).run(count)
    const insertKey = db.prepare(
      `INSERT INTO keys (id, digest, plan, per_minute, per_day, created_at) VALUES (?, ?, 'enterprise', ?, ?, ?)`,
    )
    const addKey = (perMinute, perDay) => {
      const key = newKey()
      const record = newRecord({ plan: 'enterprise', createdAt: Date.now() })
      insertKey.run(record.id, digestOf(key), perMinute, perDay, record.createdAt)
      return key
    }
    const keys = db.transaction(() => ({
      load: Array.from({ length: 32 }, () => addKey(unlimited, unlimited)),
      fivePerMinute: addKey(5, 1000),
      threePerDay: addKey(100, 3),
      unknown: newKey(),
    }))()
    return { file, count, keys }
  } finally {
    db.close()
  }
}

/** A module of the service as it is built. */
export async function builtModule(path) {
  const url = new URL(path, built)
  if (!existsSync(fileURLToPath(url))) throw new Error('The service is not built; run `npm run build` first.')
  return import(url)
}
