import type { ColumnType, Table } from '../table.ts'

/** What the types of columns are called. */
export const columnTypes: Readonly<Record<ColumnType, string>> = {
  int64: 'bigint',
  double: 'double precision',
  text: 'text',
  bytes: 'bytea',
}

/** The columns of a table for a select; integers stay integers when somebody changes their type in the database. */
export function selectedColumns({ columns }: Table, from?: string): string {
  return Object.entries(columns)
    .map(([name, type]) => `${from === undefined ? '' : `${from}.`}${name}${type === 'int64' ? '::bigint' : ''}`)
    .join(', ')
}

/** The sequence that gives a table its ids, as PostgreSQL names it. */
export function sequenceOf({ name, generated = '' }: Table): string {
  return `${name}_${generated}_seq`
}
