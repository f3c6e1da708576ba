import { sharedRead } from '../batch.ts'
import { admitted, changing, insertion, type Change, type Outcome } from '../changes.ts'
import { replay } from '../remembered.ts'
import type { Once, Resource, Written } from '../resource.ts'
import { rowsOf, type AnyRow } from '../rows.ts'
import { refusingUnstorable } from '../storable.ts'
import { storedTable, type AnyTable, type Value } from '../table.ts'
import { additions } from './additions.ts'
import { changes } from './changes.ts'
import type { Connection } from './connection/connection.ts'
import { lists } from './lists.ts'
import { columnTypes, selectedColumns } from './tables.ts'

/** The rows of a declared table. What comes in one turn of the event loop shares a statement or a transaction. */
export function resource(connection: Connection, declared: AnyTable): Resource<AnyRow, string, string, string, AnyRow> {
  const { query } = connection
  const table = storedTable(declared)
  const rows = rowsOf(declared)
  const { rowOf, valueOf } = rows
  const [key = ''] = table.key
  const byKeys = `SELECT ${selectedColumns(table)} FROM ${table.name} WHERE ${key} = ANY ($1::${columnTypes[table.columns[key] ?? 'text']}[])`
  const place = rows.columns.indexOf(key)
  const find = sharedRead(async (keys: readonly Value[]) => {
    const found = new Map((await query<Value[]>(byKeys, [keys])).map((values) => [values[place], values]))
    return keys.map((one) => found.get(one))
  })
  const change = changes(connection, declared)
  const add = declared.generated ? generatedAdder(connection, declared, find) : changedAdder(declared, change)
  return refusingUnstorable(declared, {
    find: async (value) => {
      const values = await find(valueOf(declared.key, value))
      return values && rowOf(values)
    },
    list: lists(connection, declared),
    add: async (row) => (await add(row)).row,
    addOnce: add,
    ...changing(declared, change),
  })
}

type Adder = (row: AnyRow, once?: Once) => Promise<Written<AnyRow>>

/** Adds rows whose key the client gives. */
function changedAdder({ key }: AnyTable, change: (change: Change) => Promise<Outcome>): Adder {
  return async (row, once) => admitted(await change(insertion(row[key], row, once))) as Written<AnyRow>
}

/** Adds rows whose key is generated. */
function generatedAdder(
  connection: Connection,
  declared: AnyTable,
  find: (key: Value) => Promise<Value[] | undefined>,
): Adder {
  const rows = rowsOf(declared)
  const add = additions(connection, declared)
  const place = Object.keys(declared.columns).indexOf(declared.key)
  return async (row, once) => {
    const added = await add({ row, once })
    if (typeof added === 'string') return admitted(added) as never
    const [id, digest, answer, isNew] = added
    if (isNew || !once) return { row: rows.rowOf(rows.valuesOf(row).with(place, id)), replayed: false }
    const there = digest ? undefined : await find(id)
    return admitted(replay(declared, rows, [id, digest, answer], { once, row }, there)) as Written<AnyRow>
  }
}
