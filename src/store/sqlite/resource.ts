import { codeOf } from '../../failure.ts'
import { admitted, changing, insertion, type Change, type Outcome } from '../changes.ts'
import { answerText, replay, type Remembered } from '../remembered.ts'
import { rememberedMs, type Once, type Refusal, type Resource, type Written } from '../resource.ts'
import { rowsOf, type AnyRow } from '../rows.ts'
import { refusingUnstorable } from '../storable.ts'
import { columnName, type AnyTable, type Value } from '../table.ts'
import type { Connection, Statement } from './connection/connection.ts'

/** The rows of a declared table. What is written in one turn of the event loop shares a commit, whatever its table. */
export function resource(connection: Connection, declared: AnyTable): Resource<AnyRow, string, string, string, AnyRow> {
  const { prepare, read, add: commit } = connection
  const rows = rowsOf(declared)
  const { valueOf, valuesOf, rowOf } = rows
  const [name, key, columns] = [declared.name, columnName(declared.key), rows.columns.join(', ')]
  const find = prepare<[Value], Value[]>(`SELECT ${columns} FROM ${name} WHERE ${key} = ?`)
  // a key that is generated is null here
  const insert = prepare<Value[]>(`INSERT INTO ${name} (${columns}) VALUES (${rows.columns.map(() => '?').join(', ')})`)
  const replace = prepare<Value[]>(
    `UPDATE ${name} SET ${rows.columns.map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`,
  )
  const remove = prepare<[Value]>(`DELETE FROM ${name} WHERE ${key} = ?`)
  const names = requestNames(connection, declared)
  const list = lists(connection, declared, columns)
  const keyPlace = rows.columns.indexOf(key)

  const addRow = (row: AnyRow): AnyRow => {
    const values = valuesOf(row)
    const { lastInsertRowid } = insert.run(...values)
    if (declared.generated) values[keyPlace] = BigInt(lastInsertRowid)
    return rowOf(values)
  }
  const write = ({ verb, key: value }: Change, row: AnyRow, isThere: boolean): AnyRow => {
    if (!isThere) return addRow(row)
    const values = valuesOf(row)
    if (verb !== 'delete') replace.run(...values, valueOf(declared.key, value))
    else remove.run(valueOf(declared.key, value))
    return rowOf(values)
  }
  /** Runs within a transaction of several, of which a refused statement undoes itself alone. */
  const apply = (change: Change): Outcome => {
    const there =
      declared.generated && change.verb === 'insert' ? undefined : find.get(valueOf(declared.key, change.key))
    const next = change.apply(there && rowOf(there))
    if (next === undefined || typeof next === 'string') return next
    try {
      const written = { row: write(change, next, there !== undefined), replayed: false }
      return change.verb === 'upsert' && !there ? { ...written, created: true } : written
    } catch (error) {
      const refusal = refusalOf(error, change)
      if (refusal === undefined) throw error
      return refusal
    }
  }
  const change = (one: Change, asked?: AnyRow): Promise<Outcome> =>
    commit(() => {
      const { once } = one
      if (!once) return apply(one)
      const first = names.find(once)
      if (first) {
        const there = first[1] ? undefined : find.get(first[0])
        return replay(declared, rows, first, { once, row: asked }, there)
      }
      const outcome = apply(one)
      if (typeof outcome === 'object') {
        const { row, created } = outcome
        names.remember(once, valueOf(declared.key, row[declared.key]), answerText(declared, rows, row, created))
      }
      return outcome
    })
  return refusingUnstorable(declared, {
    find: (value) =>
      read(() => {
        const row = find.get(valueOf(declared.key, value))
        return row && rowOf(row)
      }),
    list: (query) => read(() => list(query as AnyRow).map(rowOf)),
    add: async (row) => (admitted(await change(insertion(row[declared.key], row))) as Written<AnyRow>).row,
    addOnce: async (row, once) =>
      admitted(await change(insertion(row[declared.key], row, once), row)) as Written<AnyRow>,
    ...changing(declared, change),
  })
}

/** Why SQLite does not write a row. */
function refusalOf(error: unknown, { verb }: Change): Refusal | undefined {
  const code = codeOf(error)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'taken'
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return verb === 'delete' ? 'referenced' : 'dangling'
  return undefined
}

/** The names of the requests that wrote to a table. */
function requestNames(
  { prepare }: Connection,
  { requests }: AnyTable,
): { find: (once: Once) => Remembered | undefined; remember: (once: Once, key: Value, answer: string) => void } {
  const known = prepare<[caller: string, key: string, after: number], Remembered>(
    `SELECT ${requests.row}, digest, answer FROM ${requests.name} WHERE caller = ? AND key = ? AND created_at > ?`,
  )
  const remember = prepare<[caller: string, key: string, row: Value, now: number, digest: Buffer, answer: string]>(
    `INSERT OR REPLACE INTO ${requests.name} (caller, key, ${requests.row}, created_at, digest, answer)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  // removes two expired names for each new one, so the table cannot grow without limit
  const forget = prepare<[until: number]>(
    `DELETE FROM ${requests.name} WHERE (caller, key) IN
     (SELECT caller, key FROM ${requests.name} WHERE created_at <= ? ORDER BY created_at LIMIT 2)`,
  )
  return {
    find: ({ caller, key, now }) => known.get(caller, key, now - rememberedMs),
    remember: ({ caller, key, digest, now }, row, answer) => {
      forget.run(now - rememberedMs)
      remember.run(caller, key, row, now, digest, answer)
    },
  }
}

/**
 * Lists by each order and each filter, from the first row and from behind another one: a statement for each. The first
 * filter that is given may use an index, and the others only leave rows out, so that many filters cost few statements.
 */
function lists(
  { prepare }: Connection,
  { name, key, generated, filters, orders, columns }: AnyTable,
  selected: string,
): (query: AnyRow) => Value[][] {
  const { valueOf } = rowsOf({ columns } as AnyTable)
  /** `first` is the place of the first filter that is given, after all of them for none. */
  const statementOf = (order: string, first: number, behind: boolean): Statement<Value[], Value[]> => {
    const inOrder = [...new Set([order, key])].map(columnName).join(', ')
    const marks = order === key ? '?' : '(?, ?)'
    const conditions = [
      ...filters
        .slice(first)
        .map(columnName)
        .map((column, index) => (index === 0 ? `${column} = ?` : `${column} IS coalesce(?, ${column})`)),
      ...(behind ? [`${order === key ? inOrder : `(${inOrder})`} > ${marks}`] : []),
    ]
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    // a plain `LIMIT ?` makes SQLite compile the statement again for each page, 7 of its 23 µs: it plans by the number
    return prepare(`SELECT ${selected} FROM ${name} ${where} ORDER BY ${inOrder} LIMIT +?`)
  }
  const all = [key, ...orders].map((order) =>
    Array.from({ length: filters.length + 1 }, (_, first) =>
      [false, true].map((behind) => statementOf(order, first, behind)),
    ),
  )
  return (query) => {
    const order = (query.order as string | undefined) ?? key
    const given = filters.findIndex((filter) => query[filter] !== undefined)
    const first = given < 0 ? filters.length : given
    const values = given < 0 ? [] : filters.slice(first).map((filter) => valueOf(filter, query[filter]))
    const after = query.after ?? (generated && order === key ? 0n : undefined)
    if (after !== undefined) {
      if (order === key) values.push(valueOf(key, after))
      else {
        const [value, last] = after as [unknown, unknown]
        values.push(valueOf(order, value), valueOf(key, last))
      }
    }
    const statement = all[order === key ? 0 : orders.indexOf(order) + 1]?.[first]?.[after === undefined ? 0 : 1]
    if (!statement) throw new Error(`No list of ${name} has the order ${order}.`)
    return statement.all(...values, query.limit as number)
  }
}
