import type Sqlite from 'better-sqlite3'
import { codeOf } from '../../failure.ts'
import { primaryKeyOf, Referenced, type Archive, type Row } from '../copy.ts'
import { columnsOf, schema } from '../schema.ts'
import type { RememberingTable, Table, Value } from '../table.ts'
import { openDatabase } from './connection/open.ts'
import { identity, openReadOnly } from './connection/read-only.ts'
import { retry } from './connection/retry.ts'

/** The rows of an SQLite file, which is made or brought up to date if it is the target of a copy. */
export function sqliteArchive(file: string, use: 'source' | 'target'): Archive {
  const db = use === 'source' ? openSource(file) : openDatabase(file)
  const read = (table: Table, after: Row | undefined, limit: number): Row[] => {
    const key = table.key.join(', ')
    const values = after ? primaryKeyOf(table, after) : []
    const where = after ? `WHERE (${key}) > (${values.map(() => '?').join(', ')})` : ''
    const text = `SELECT ${columnsOf(table)} FROM ${table.name} ${where} ORDER BY ${key} LIMIT ?`
    return db
      .prepare<unknown[], Row>(text)
      .raw()
      .all(...values, limit)
  }
  const write = db.transaction((table: Table, rows: readonly Row[]) => {
    const marks = Object.keys(table.columns).map(() => '?')
    const insert = db.prepare(`INSERT INTO ${table.name} (${columnsOf(table)}) VALUES (${marks.join(', ')})`)
    for (const row of rows) insert.run(...row)
  })
  const erase = db.transaction((table: RememberingTable, key: Value) => {
    const { name, requests } = table
    return {
      rows: db.prepare(`DELETE FROM ${name} WHERE ${table.key[0] ?? ''} = ?`).run(key).changes,
      requests: db.prepare(`DELETE FROM ${requests.name} WHERE ${requests.row} = ?`).run(key).changes,
    }
  })
  const lastId = db.prepare<[string], bigint>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck()
  const setLastId = ({ name }: Table, id: bigint): void => {
    const { changes } = db.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(id, name)
    if (changes === 0) db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, id)
  }
  return {
    count: ({ name }) => retry(() => Number(db.prepare<[], bigint>(`SELECT count(*) FROM ${name}`).pluck().get())),
    read: (...query) => retry(() => read(...query)),
    write: (table, rows) =>
      retry(() => {
        write.immediate(table, rows)
      }),
    lastId: ({ name }) => retry(() => lastId.get(name) ?? 0n),
    setLastId: (table, id) =>
      retry(() => {
        setLastId(table, id)
      }),
    erase: async (table, key) => {
      // overwrites what is removed, also in the pages that become free
      db.pragma('secure_delete = ON')
      const erased = await retry(() => erase.immediate(table, key)).catch(refuseReferenced)
      await retry(() => {
        emptyLog(db, file)
      })
      return erased
    },
    close: () =>
      retry(() => {
        db.close()
      }),
  }
}

function refuseReferenced(error: unknown): never {
  if (codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY') throw new Referenced()
  throw error
}

/** Puts all changes into the file itself, and cuts the log, which holds pages as they were. */
function emptyLog(db: Sqlite.Database, file: string): void {
  const [{ busy } = { busy: 0n }] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: bigint }[]
  if (Number(busy) !== 0) {
    throw new Error(
      `The row is erased, but ${file}-wal may still hold it: another program reads. Run the command again.`,
    )
  }
}

/** Changes nothing in a store that is copied, not even its schema. */
function openSource(file: string): Sqlite.Database {
  const db = openReadOnly(file)
  const { version } = identity(db)
  const found = version === schema.sqliteSteps.length ? db.pragma('quick_check(1)', { simple: true }) : 'ok'
  if (version === schema.sqliteSteps.length && found === 'ok') return db.defaultSafeIntegers(true)
  db.close()
  throw new Error(
    found === 'ok'
      ? `The store ${file} has a schema of version ${version}, and ${schema.sqliteSteps.length} is needed. Run migrate on it first.`
      : `The store ${file} is damaged (${String(found).split('\n').at(-1) ?? ''}). Copy a backup of it.`,
  )
}
