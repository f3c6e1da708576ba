import { givenColumns, type AddedRow, type AddedTable, type Additions } from '../schema.ts'
import { rememberedMs } from '../store.ts'
import type { Connection } from './connection/connection.ts'

/** Adds rows to a table. What is added in one turn of the event loop shares a commit, whatever its table. */
export function additions<Values extends unknown[]>(
  { prepare, add }: Connection,
  table: AddedTable,
): Additions<Values> {
  const { name, generated, requests } = table
  const given = givenColumns(table).map(([column]) => column)
  const insert = prepare<Values>(
    `INSERT INTO ${name} (${given.join(', ')}) VALUES (${given.map(() => '?').join(', ')})`,
  )
  // a row that was removed by hand is not found, and so may be added again
  const known = prepare<[caller: string, key: string, after: number], AddedRow<Values>>(
    `SELECT ${generated}, ${given.join(', ')} FROM ${name} WHERE ${generated} =
     (SELECT ${requests.row} FROM ${requests.name} WHERE caller = ? AND key = ? AND created_at > ?)`,
  )
  const remember = prepare<[caller: string, key: string, id: bigint, now: number]>(
    `INSERT INTO ${requests.name} (caller, key, ${requests.row}, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET ${requests.row} = excluded.${requests.row}, created_at = excluded.created_at`,
  )
  // removes two expired names for each new one, so the table cannot grow without limit
  const forget = prepare<[until: number]>(
    `DELETE FROM ${requests.name} WHERE (caller, key) IN
     (SELECT caller, key FROM ${requests.name} WHERE created_at <= ? ORDER BY created_at LIMIT 2)`,
  )
  const addRow = (values: Values): AddedRow<Values> => [BigInt(insert.run(...values).lastInsertRowid), ...values]
  return {
    add: (values) => add(() => addRow(values)),
    addOnce: (values, { caller, key, now }) =>
      add(() => {
        const first = known.get(caller, key, now - rememberedMs)
        if (first) return { row: first, replayed: true }
        const row = addRow(values)
        forget.run(now - rememberedMs)
        remember.run(caller, key, row[0], now)
        return { row, replayed: false }
      }),
  }
}
