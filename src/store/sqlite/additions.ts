import { answerText, replay, type Remembered } from '../remembered.ts'
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
  const find = prepare<[bigint], AddedRow<Values>>(
    `SELECT ${generated}, ${given.join(', ')} FROM ${name} WHERE ${generated} = ?`,
  )
  const known = prepare<[caller: string, key: string, after: number], Remembered>(
    `SELECT ${requests.row}, digest, answer FROM ${requests.name} WHERE caller = ? AND key = ? AND created_at > ?`,
  )
  const remember = prepare<[caller: string, key: string, id: bigint, now: number, digest: Buffer, answer: string]>(
    `INSERT OR REPLACE INTO ${requests.name} (caller, key, ${requests.row}, created_at, digest, answer)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  // removes two expired names for each new one, so the table cannot grow without limit
  const forget = prepare<[until: number]>(
    `DELETE FROM ${requests.name} WHERE (caller, key) IN
     (SELECT caller, key FROM ${requests.name} WHERE created_at <= ? ORDER BY created_at LIMIT 2)`,
  )
  const addRow = (values: Values): AddedRow<Values> => [BigInt(insert.run(...values).lastInsertRowid), ...values]
  return {
    add: (values) => add(() => addRow(values)),
    addOnce: (values, once) =>
      add(() => {
        const { caller, key, digest, now } = once
        const first = known.get(caller, key, now - rememberedMs)
        if (first) return replay(table, first, { values, once }, first[1] ? undefined : find.get(first[0]))
        const row = addRow(values)
        forget.run(now - rememberedMs)
        remember.run(caller, key, row[0], now, digest, answerText(table, values))
        return { row, replayed: false }
      }),
  }
}
