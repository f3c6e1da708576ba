import { requestsOf, type ColumnType, type RememberingTable, type Table } from '../../../src/store/table.ts'

type Engine = 'sqlite' | 'postgres'

const types: Readonly<Record<Engine, Readonly<Record<ColumnType, string>>>> = {
  sqlite: { int64: 'INTEGER', double: 'REAL', text: 'TEXT', bytes: 'BLOB' },
  postgres: { int64: 'bigint', double: 'double precision', text: 'text', bytes: 'bytea' },
}

/** The statements that make a table and the one that remembers its requests, a line for each column. */
export function newTable(engine: Engine, table: RememberingTable): string[] {
  return [table, requestsOf(table)].flatMap((one) => [...tableText(engine, one), ...indexTexts(engine, one)])
}

function tableText(engine: Engine, table: Table): string[] {
  const { name, columns, key, generated, unique, references } = table
  const [first = ''] = key
  const isRowid = engine === 'sqlite' && key.length === 1 && columns[first] === 'int64'
  const lines = Object.keys(columns).map((column) => {
    const alone = column === first && key.length === 1
    if (column === generated) return generatedKey(engine, table)
    const target = references[column]
    return `${columnText(engine, table, column)}${alone ? ' PRIMARY KEY' : ''}${target === undefined ? '' : ` REFERENCES ${target}`}`
  })
  const together = [
    ...(key.length > 1 ? [`PRIMARY KEY (${key.join(', ')})`] : []),
    ...unique.map((apart) => `UNIQUE (${apart.join(', ')})`),
  ]
  const options = engine === 'postgres' ? '' : isRowid ? ' STRICT' : ' STRICT, WITHOUT ROWID'
  const all = [...lines, ...together]
  return [
    `CREATE TABLE ${name} (`,
    ...all.map((line, index) => `  ${line}${index < all.length - 1 ? ',' : ''}`),
    `)${options};`,
  ]
}

function generatedKey(engine: Engine, { name, generated = '' }: Table): string {
  return engine === 'sqlite'
    ? `${generated} INTEGER PRIMARY KEY AUTOINCREMENT`
    : `${generated} bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME ${name}_${generated}_seq) PRIMARY KEY`
}

/** A column with its type. What PostgreSQL orders or compares is in the order of code points, as on SQLite. */
export function columnText(engine: Engine, { columns, nullable }: Table, column: string): string {
  const type = columns[column] ?? 'text'
  const collation = engine === 'postgres' && type === 'text' ? ' COLLATE "C"' : ''
  return `${column} ${types[engine][type]}${collation}${nullable.includes(column) ? '' : ' NOT NULL'}`
}

/** The indexes of a table. That of PostgreSQL has the key behind, as SQLite's has by itself. */
export function indexTexts(engine: Engine, { name, indexes, key }: Table): string[] {
  return indexes.map((columns) => {
    const isRequests = key.length > 1
    const all = engine === 'postgres' && !isRequests ? [...columns, ...key] : columns
    const by = isRequests ? 'age' : columns.join('_')
    return `CREATE INDEX ${name}_by_${by} ON ${name} (${all.join(', ')});`
  })
}
