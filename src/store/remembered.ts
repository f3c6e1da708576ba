import type { Once, Refusal, Written } from './resource.ts'
import type { AnyRow, Rows } from './rows.ts'
import type { AnyTable, Value } from './table.ts'
import { columnName } from './table.ts'

/**
 * What is remembered of a request that wrote a row: the row's key, the digest of what was asked for, and the row as it was
 * written. A program of an earlier version remembers the key alone, of rows that it added.
 */
export type Remembered = [key: Value, digest: Buffer | null, answer: string | null]

/** Beside the columns of a row that was put and was not there before; no column has such a name. */
const createdMark = '+created'

/** The values of a row as text, by their columns, without the key. */
export function answerText({ columns, key }: AnyTable, { valuesOf }: Rows, row: AnyRow, created = false): string {
  const values = valuesOf(row)
  const named = Object.keys(columns).map((property, index) => [columnName(property), values[index]] as const)
  const others = named.filter(([name]) => name !== columnName(key))
  return JSON.stringify(Object.fromEntries([...others, ...(created ? [[createdMark, 1]] : [])]), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

type Answer = Record<string, string | number | null>

function valuesOf({ columns, key }: AnyTable, keyValue: Value, named: Answer): Value[] {
  return Object.entries(columns).map(([property, { type }]) => {
    if (property === key) return keyValue
    const value = named[columnName(property)] ?? null
    return type === 'int64' && value !== null ? BigInt(value) : value
  })
}

/**
 * What a repeated request gets: the row as it was written, or the refusal of one that asks for something else. `there`
 * gives the values of the row as it is, of which alone a program of an earlier version has left what its request asked for.
 */
export function replay(
  table: AnyTable,
  rows: Rows,
  [key, digest, answer]: Remembered,
  asked: { once: Once; row: AnyRow | undefined },
  there: Value[] | undefined,
): (Written<AnyRow> & { created?: boolean }) | Refusal {
  if (digest !== null && answer !== null) {
    if (!asked.once.digest.equals(digest)) return 'other request'
    const named = JSON.parse(answer) as Answer
    const replayed = { row: rows.rowOf(valuesOf(table, key, named)), replayed: true }
    return createdMark in named ? { ...replayed, created: true } : replayed
  }
  if (!there || !asked.row) return 'other request'
  const values = rows.valuesOf({ ...asked.row, [table.key]: undefined })
  const isSame = Object.keys(table.columns).every(
    (property, index) => property === table.key || values[index] === there[index],
  )
  return isSame ? { row: rows.rowOf(there), replayed: true } : 'other request'
}
