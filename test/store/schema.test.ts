import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { migrateStore } from '../../src/store/open.ts'
import { schema } from '../../src/store/schema.ts'
import { testFolder } from '../support/process.ts'
import { engines } from '../support/servers/engines.ts'
import { expectTables } from '../support/servers/found-tables.ts'

const folder = testFolder()

for (const engine of engines(folder)) {
  engine.describe(`the schema in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    test('has the declared tables, with their columns, types, keys, indexes and references, and no others', async () => {
      const url = await engine.newStore()
      // opening the stores would stop at the first table that is missing
      await migrateStore(readConfig({ DATABASE_URL: url }))
      expectTables(await engine.tables(url), schema)
    })
  })
}

describe('the schema', () => {
  test('has a lock of its own for each table that clients add to', () => {
    const locks = schema.stored.map(({ lock }) => lock)
    // 1 is the lock of the migrations
    expect(new Set([1, ...locks]).size).toBe(1 + locks.length)
  })

  test('has steps that never change once they are released', () => {
    const digest = (step: string): string => createHash('sha256').update(step).digest('hex').slice(0, 16)
    expect(schema.sqliteSteps.slice(0, 6).map(digest)).toEqual([
      ...['8fa0cba7a87eaffc', '6eeade2325fa9fd0', 'ca3952402271d5be', '3f4d4e0f0d60823c'],
      ...['26bfc43638e1356c', '2c56dc27d67ab2d5'],
    ])
    expect(schema.postgresSteps.slice(0, 4).map(digest)).toEqual([
      ...['53a4c18a37433ad4', '3e9298d03d55b445', 'db675908fdc502e8', 'ec73a57e2929148b'],
    ])
  })
})
