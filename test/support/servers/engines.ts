import { describe } from '@jest/globals'
import type Sqlite from 'better-sqlite3'
import { readConfig } from '../../../src/config/config.ts'
import { applicationId, schema } from '../../../src/store/schema.ts'
import { openStores } from '../../../src/store/open.ts'
import type { Stores } from '../../../src/store/store.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'
import { sqliteTables, type FoundTable } from '../../../scripts/generate/found-tables.ts'
import { postgresTables } from './found-tables.ts'
import { describePostgres, testPostgres, type TestPostgres } from './postgres.ts'

/** What a suite needs of an engine, beside the stores themselves, to look and work behind their back. */
export interface Engine {
  name: string
  /** `describe` where the engine is installed. */
  describe: (name: string, body: () => void) => void
  start: () => Promise<void>
  stop: () => Promise<void>
  /** A DATABASE_URL of a store that is not there yet. */
  newStore: () => Promise<string>
  /** Makes a store as an earlier release left it: without the last steps of the schema, one if nothing else is said. */
  makeOlder: (url: string, without?: number) => Promise<void>
  /** Bytes in a statement, from their hexadecimal digits. */
  bytes: (hex: string) => string
  /** Runs a statement that both engines understand. */
  sql: (url: string, text: string) => Promise<void>
  /** The tables that there are, without the engine's own, in the order of their names. */
  tables: (url: string) => Promise<FoundTable[]>
  /** Adds an animal with this id, and lets the next one be higher. */
  addWithId: (url: string, id: bigint, name: string) => Promise<void>
  /** The code of the fault that a second key with the same digest is. */
  duplicate: string
  /** What a store says that has given its last id. */
  noIdLeft: string
}

export function open(url: string): Promise<Stores> {
  return openStores(readConfig({ DATABASE_URL: url }))
}

/** All engines, for a file of tests that has this folder. */
export function engines(folder: string): Engine[] {
  return [sqlite(folder), postgres()]
}

function sqlite(folder: string): Engine {
  let files = 0
  const edit = (url: string, change: (db: Sqlite.Database) => void): void => {
    const db = new Database(url.replace('sqlite:', ''))
    change(db)
    db.close()
  }
  return {
    name: 'SQLite',
    describe,
    start: async () => undefined,
    stop: async () => undefined,
    newStore: async () => {
      files += 1
      return `sqlite:${folder}/store${files}.db`
    },
    makeOlder: async (url, without = 1) => {
      const steps = schema.sqliteSteps.slice(0, -without)
      edit(url, (db) => {
        db.exec(`${steps.join('')} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`)
      })
    },
    bytes: (hex) => `x'${hex}'`,
    sql: async (url, text) => {
      edit(url, (db) => db.exec(text))
    },
    tables: async (url) => {
      let found: FoundTable[] = []
      edit(url, (db) => {
        found = sqliteTables(db)
      })
      return found
    },
    addWithId: async (url, id, name) => {
      edit(url, (db) => db.prepare(`INSERT INTO pets VALUES (?, ?, 1, 'sold')`).run(id, name))
    },
    duplicate: 'SQLITE_CONSTRAINT_UNIQUE',
    noIdLeft: 'The disk is full, or no id is left. Make room on the disk of the database.',
  }
}

function postgres(): Engine {
  let server: TestPostgres | undefined
  const running = (): TestPostgres => {
    if (!server) throw new Error('The server is not started.')
    return server
  }
  return {
    name: 'PostgreSQL',
    describe: describePostgres,
    start: async () => {
      server = await testPostgres()
      await server.start()
    },
    stop: async () => {
      await server?.stop()
    },
    newStore: () => running().newDatabase(),
    makeOlder: async (url, without = 1) => {
      const steps = schema.postgresSteps.slice(0, -without)
      await running().sql(
        url,
        `${steps.join('')} CREATE TABLE animal_store_schema (version integer NOT NULL);
         INSERT INTO animal_store_schema VALUES (${steps.length})`,
      )
    },
    bytes: (hex) => String.raw`'\x${hex}'`,
    sql: async (url, text) => {
      await running().sql(url, text)
    },
    tables: async (url) => postgresTables((text) => running().sql(url, text)),
    addWithId: async (url, id, name) => {
      await running().sql(
        url,
        `INSERT INTO pets OVERRIDING SYSTEM VALUE VALUES (${id}, '${name}', 1, 'sold');
         SELECT setval('pets_id_seq', (SELECT max(id) FROM pets))`,
      )
    },
    duplicate: '23505',
    noIdLeft:
      'PostgreSQL cannot answer now: nextval: reached maximum value of sequence "pets_id_seq" (9223372036854775807).',
  }
}
