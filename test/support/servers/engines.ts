import { describe } from '@jest/globals'
import type Sqlite from 'better-sqlite3'
import { readConfig } from '../../../src/config.ts'
import { openStores } from '../../../src/store/open.ts'
import type { Stores } from '../../../src/store/store.ts'
import { describePostgres, testPostgres, type TestPostgres } from './postgres.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

/** What a suite needs of an engine, beside the stores themselves, to look and work behind their back. */
export interface Engine {
  name: string
  /** `describe` where the engine is installed. */
  describe: (name: string, body: () => void) => void
  start: () => Promise<void>
  stop: () => Promise<void>
  /** A DATABASE_URL of a store that is not there yet. */
  newStore: () => Promise<string>
  /** Runs a statement that both engines understand. */
  sql: (url: string, text: string) => Promise<void>
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
    sql: async (url, text) => {
      edit(url, (db) => db.exec(text))
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
    sql: async (url, text) => {
      await running().sql(url, text)
    },
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
