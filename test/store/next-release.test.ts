import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { openPostgres } from '../../src/store/postgres/connection/open.ts'
import { schema, type Schema } from '../../src/store/schema.ts'
import { openDatabase } from '../../src/store/sqlite/connection/open.ts'
import { serve, testFolder, type Server } from '../support/process.ts'
import { engines } from '../support/servers/engines.ts'
import { startService } from '../support/service.ts'

const folder = testFolder()

/** The schema of a release after this one, with a step that adds, and whose programs of this release may run on it or not. */
function nextSchema(mayRun: boolean): Schema {
  const step = 'ALTER TABLE pets ADD COLUMN note TEXT;'
  const [sqliteSteps, postgresSteps] = [schema.sqliteSteps, schema.postgresSteps].map((steps) => [...steps, step])
  const by = mayRun ? 0 : 1
  const oldest = { sqlite: schema.sqliteSteps.length + by, postgres: schema.postgresSteps.length + by }
  return { ...schema, sqliteSteps: sqliteSteps ?? [], postgresSteps: postgresSteps ?? [], oldest }
}

/** Brings a store to a schema, as the start of its program does. */
async function migrate(url: string, to: Schema): Promise<void> {
  const { database } = readConfig({ DATABASE_URL: url })
  if (database.engine === 'sqlite') openDatabase(database.file, { schema: to }).close()
  else await openPostgres(database.url, { schema: to })
}

for (const engine of engines(folder)) {
  engine.describe(`this program on the schema of the next release in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    test('starts, serves and goes on when the step adds, whichever started first', async () => {
      const DATABASE_URL = await engine.newStore()
      const running = await startService({ DATABASE_URL })
      const { key } = running
      const create = async ({ address }: Pick<Server, 'address'>): Promise<number> => {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
        const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
        return (await fetch(`${address}/pets`, { method: 'POST', headers, body })).status
      }
      await migrate(DATABASE_URL, nextSchema(true))
      await running.call('post', '/pets').send({ name: 'Before', categoryId: 1 }).expect(201)
      await running.stop()
      const again = await serve({ DATABASE_URL })
      expect(await create(again)).toBe(201)
      expect(await (await fetch(`http://127.0.0.1:${again.port}/readyz`)).text()).toBe('{"status":"ready"}')
      // nor does it take the step back
      await migrate(DATABASE_URL, nextSchema(true))
      await engine.sql(DATABASE_URL, `UPDATE pets SET note = 'kept'`)
      expect(await create(again)).toBe(201)
      expect(await again.stop()).toBe(0)
    })

    test('is refused when the schema says that it may not run on it, or does not say of this version', async () => {
      const DATABASE_URL = await engine.newStore()
      await migrate(DATABASE_URL, nextSchema(false))
      const tooNew = /its schema has version \d+ and this program knows \d+; use a newer program/
      await expect(migrate(DATABASE_URL, schema)).rejects.toThrow(tooNew)
      const other = await engine.newStore()
      await migrate(other, nextSchema(true))
      await migrate(other, schema)
      await engine.sql(other, 'UPDATE animal_store_oldest SET version = version + 1')
      await expect(migrate(other, schema)).rejects.toThrow(tooNew)
    })
  })
}

describe('the schema of this program', () => {
  test('says of itself which oldest program may run on it', () => {
    expect(schema.oldest.sqlite).toBeLessThanOrEqual(schema.sqliteSteps.length)
    expect(schema.oldest.postgres).toBeLessThanOrEqual(schema.postgresSteps.length)
  })
})
