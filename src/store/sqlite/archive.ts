import type Sqlite from 'better-sqlite3'
import { primaryKeyOf, tables, type Archive, type Row, type Table } from '../copy.ts'
import { openDatabase } from './connection/open.ts'
import { sqliteSteps } from '../schema.ts'
import { identity, openReadOnly } from './connection/read-only.ts'
import { retry } from './connection/retry.ts'

/** The rows of an SQLite file, which is made or brought up to date if it is the target of a copy. */
export function sqliteArchive(file: string, use: 'source' | 'target'): Archive {
  const db = use === 'source' ? openSource(file) : openDatabase(file)
  const write = db.transaction((table: Table, rows: readonly Row[]) => {
    const columns = Object.keys(tables[table].columns)
    const insert = db.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of rows) insert.run(...row)
  })
  const lastId = db.prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").pluck()
  const read = (table: Table, after: Row | undefined, limit: number): Row[] => {
    const key = tables[table].key.join(', ')
    const values = after ? primaryKeyOf(table, after) : []
    const conditions = [
      ...(after ? [`(${key}) > (${values.map(() => '?').join(', ')})`] : []),
      // SQLite keeps the names of animals that were removed by hand
      ...(table === 'idempotency_keys' ? ['pet_id IN (SELECT id FROM pets)'] : []),
    ]
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const columns = Object.keys(tables[table].columns).join(', ')
    const select = db.prepare<unknown[], Row>(`SELECT ${columns} FROM ${table} ${where} ORDER BY ${key} LIMIT ?`)
    return select.raw().all(...values, limit)
  }
  const setLastId = (id: bigint): void => {
    const { changes } = db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pets'").run(id)
    if (changes === 0) db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
  }
  return {
    count: (table) => retry(() => Number(db.prepare<[], bigint>(`SELECT count(*) FROM ${table}`).pluck().get())),
    read: (...query) => retry(() => read(...query)),
    write: (table, rows) =>
      retry(() => {
        write.immediate(table, rows)
      }),
    lastId: () => retry(() => lastId.get() ?? 0n),
    setLastId: (id) =>
      retry(() => {
        setLastId(id)
      }),
    close: () =>
      retry(() => {
        db.close()
      }),
  }
}

/** Changes nothing in a store that is copied, not even its schema. */
function openSource(file: string): Sqlite.Database {
  const db = openReadOnly(file)
  const { version } = identity(db)
  const found = version === sqliteSteps.length ? db.pragma('quick_check(1)', { simple: true }) : 'ok'
  if (version === sqliteSteps.length && found === 'ok') return db.defaultSafeIntegers(true)
  db.close()
  throw new Error(
    found === 'ok'
      ? `The store ${file} has a schema of version ${version}, and ${sqliteSteps.length} is needed. Run migrate on it first.`
      : `The store ${file} is damaged (${String(found).split('\n').at(-1) ?? ''}). Copy a backup of it.`,
  )
}
