import { identifier } from './identifier.ts'

/** What a column holds: an integer of 64 bits, a floating-point number, text in Unicode, or bytes. */
export type ColumnType = 'int64' | 'double' | 'text' | 'bytes'

/** A value as both engines store it: integers are bigint on both. */
export type Value = bigint | number | string | Buffer | null

/** A table as both engines have it. */
export interface Table {
  name: string
  /** In the order in which rows are read and written. */
  columns: Readonly<Record<string, ColumnType>>
  /** The primary key. It orders rows alike on both engines. */
  key: readonly string[]
  /** The column whose values the engine gives: one after another, and never twice. */
  generated?: string
  /** The columns that may be null. */
  nullable: readonly string[]
  /** What must have an index, of which these are the first columns. */
  indexes: readonly (readonly string[])[]
  /** The columns whose values together no two rows share. */
  unique: readonly (readonly string[])[]
  /** Columns that hold the key of another table's row, with the name of that table. */
  references: Readonly<Record<string, string>>
}

/** A table whose requests are remembered by their Idempotency-Keys. */
export interface RememberingTable extends Table {
  /** The name of the table that remembers, and its column for the key of the row. */
  requests: { name: string; row: string }
  /** The number of the advisory lock of PostgreSQL by which processes take turns to write. */
  lock: number
}

/** How a value of a row is stored; as it is where nothing else is said. */
export interface Column<T, Optional extends boolean = boolean> {
  type: ColumnType
  /** Whether a row may be without it. */
  optional: Optional
  encode?: (value: T) => Value
  decode?: (value: never) => T
}

/** An integer of 64 bits. */
export const int64: Column<bigint, false> = { type: 'int64', optional: false }

/** An integer that a double holds exactly. */
export const integer: Column<number, false> = {
  type: 'int64',
  optional: false,
  encode: (value) => BigInt(value),
  decode: (value: bigint) => Number(value),
}

export const double: Column<number, false> = { type: 'double', optional: false }

/** Ordered by its code points. */
export const text: Column<string, false> = { type: 'text', optional: false }

export const boolean: Column<boolean, false> = {
  type: 'int64',
  optional: false,
  encode: (value) => (value ? 1n : 0n),
  decode: (value: bigint) => value === 1n,
}

/** A date-time of RFC 3339, stored and given in UTC to the millisecond, so that it is ordered by time. */
export const time: Column<string, false> = {
  type: 'text',
  optional: false,
  // a leap second is the one before it
  encode: (value) => new Date(value.replace(/:60(?=\D)/, ':59')).toISOString(),
}

/** One of some texts. */
export function oneOf<T extends string>(): Column<T, false> {
  return { type: 'text', optional: false }
}

/** A nested value as JSON, in which integers of 64 bits stay exact. */
export function json<T>(): Column<T, false> {
  return {
    type: 'text',
    optional: false,
    encode: (value) => JSON.stringify(value, (_, one: unknown) => marked(one)),
    decode: (value: string) => JSON.parse(value, (_, one: unknown) => unmarked(one)) as T,
  }
}

// a text that begins with U+0000 says what follows: JSON has no integers of 64 bits
function marked(value: unknown): unknown {
  if (typeof value === 'bigint') return `\0i${value}`
  return typeof value === 'string' && value.startsWith('\0') ? `\0t${value}` : value
}

function unmarked(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('\0')) return value
  return value.startsWith('\0i') ? BigInt(value.slice(2)) : value.slice(2)
}

/** A value that a row may be without. */
export function optional<T>(column: Column<T, false>): Column<T, true> {
  return { ...column, optional: true }
}

type Name<Row> = keyof Row & string

/** A column for each property of a row: what does not fit the type of the contract does not compile. */
type ColumnsOf<Row> = {
  readonly [P in Name<Row>]-?: object extends Pick<Row, P>
    ? Column<Exclude<Row[P], undefined>, true>
    : Column<Row[P], false>
}

/**
 * How each engine gets a table: what is added to the step of a version. A step that has been released never changes; a
 * change is a new step, with the next number. Of several parts the first ones of all tables come before the second ones.
 */
export interface Steps {
  sqlite: Readonly<Record<number, string | readonly string[]>>
  postgres: Readonly<Record<number, string | readonly string[]>>
}

/** A declaration as the engines read it. */
export interface AnyTable {
  name: string
  /** What people call its rows. */
  called: string
  columns: Readonly<Record<string, Column<never>>>
  key: string
  /** Whether the engine gives the key: one integer after another, and never one twice. */
  generated: boolean
  filters: readonly string[]
  orders: readonly string[]
  unique: readonly (readonly string[])[]
  references: Readonly<Record<string, string>>
  requests: { name: string; row: string }
  lock: number
  steps: Steps
}

/** A declaration with the types of its rows. */
export interface DeclaredTable<Row, K, F, O, G> extends AnyTable {
  key: K & string
  generated: G & boolean
  filters: readonly (F & string)[]
  orders: readonly (O & string)[]
  /** For the compiler alone. */
  row?: Row
}

interface Declaration<Row, K, F, O, G> {
  name: string
  called: string
  columns: ColumnsOf<Row>
  key: K
  generated?: G
  /** The columns by which lists may be filtered. */
  filters?: readonly F[]
  /** The columns by which lists may be ordered, beside the key. */
  orders?: readonly O[]
  unique?: readonly (readonly Name<Row>[])[]
  /** Columns that hold a key of another table. Such a row is not added without the other, nor the other removed before it. */
  references?: Readonly<Partial<Record<Name<Row>, string>>>
  /** The table that remembers requests, and its column for the key of the row, where they are called otherwise. */
  requests?: { name: string; row: string }
  /** A number that no other table has. */
  lock: number
  steps: Steps
}

/** Declares a table of rows of a type. */
export function table<Row>() {
  return <
    const K extends Name<Row>,
    const F extends Name<Row> = never,
    const O extends Name<Row> = never,
    const G extends boolean = false,
  >(
    declaration: Declaration<Row, K, F, O, G>,
  ): DeclaredTable<Row, K, F, O, G> => ({
    filters: [],
    orders: [],
    unique: [],
    requests: { name: `${declaration.name}_requests`, row: 'row_key' },
    ...declaration,
    generated: (declaration.generated ?? false) as G,
    references: { ...declaration.references },
    columns: declaration.columns as unknown as AnyTable['columns'],
  })
}

/** The name of a column: `categoryId` is stored in `category_id`. */
export const columnName = identifier

/** A declared table as the engines have it. */
export function storedTable(declared: AnyTable): RememberingTable {
  const { name, columns, key, generated, filters, orders, unique, references, requests, lock } = declared
  const properties = Object.entries(columns)
  return {
    name,
    columns: Object.fromEntries(properties.map(([property, { type }]) => [columnName(property), type])),
    key: [columnName(key)],
    ...(generated ? { generated: columnName(key) } : {}),
    nullable: properties.filter(([, { optional }]) => optional).map(([property]) => columnName(property)),
    indexes: [...filters, ...orders].map((property) => [columnName(property)]),
    unique: unique.map((properties) => properties.map(columnName)),
    references: Object.fromEntries(Object.entries(references).map(([property, to]) => [columnName(property), to])),
    requests,
    lock,
  }
}

/**
 * The table that remembers by which requests rows were written, with what was asked for and what was answered. Its rows go
 * after a time, and not with the rows that were written.
 */
export function requestsOf({ requests, key: [key = ''], columns }: RememberingTable): Table {
  return {
    name: requests.name,
    columns: {
      ...{ caller: 'text', key: 'text', [requests.row]: columns[key] ?? 'text', created_at: 'int64' },
      ...{ digest: 'bytes', answer: 'text' },
    },
    key: ['caller', 'key'],
    nullable: ['digest', 'answer'],
    indexes: [['created_at']],
    unique: [],
    references: {},
  }
}
