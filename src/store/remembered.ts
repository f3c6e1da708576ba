import { givenColumns, type AddedRow, type AddedTable } from './schema.ts'
import type { Once } from './store.ts'

/**
 * What is remembered of a request that added a row: the row's id, the digest of what was asked for, and the row as it was
 * added. A program of an earlier version remembers the id alone.
 */
export type Remembered = [id: bigint, digest: Buffer | null, answer: string | null]

/** The values of a row as text, by their columns. */
export function answerText(table: AddedTable, values: readonly unknown[]): string {
  const named = givenColumns(table).map(([name], index) => [name, values[index]] as const)
  return JSON.stringify(Object.fromEntries(named), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

function valuesOf(table: AddedTable, answer: string): unknown[] {
  const named = JSON.parse(answer) as Record<string, string>
  return givenColumns(table).map(([name, type]) => (type === 'int64' ? BigInt(named[name] ?? 0) : named[name]))
}

/**
 * What a repeated request gets: the row as it was added, and undefined when it asks for something else. `row` is the one
 * that is there now, of which alone a program of an earlier version has left what its request asked for.
 */
export function replay<Values extends unknown[]>(
  table: AddedTable,
  [id, digest, answer]: Remembered,
  asked: { values: Values; once: Once },
  row: AddedRow<Values> | undefined,
): { row: AddedRow<Values>; replayed: true } | undefined {
  if (digest !== null && answer !== null) {
    if (!asked.once.digest.equals(digest)) return undefined
    return { row: [id, ...(valuesOf(table, answer) as Values)], replayed: true }
  }
  const isSame = row?.slice(1).every((value, index) => value === asked.values[index])
  return row && isSame ? { row, replayed: true } : undefined
}
