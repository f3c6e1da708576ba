import type Sqlite from 'better-sqlite3'

/** A table as an engine has it. */
export interface FoundTable {
  name: string
  /** By their types as the schema calls them. */
  columns: Record<string, string>
  key: string[]
  generated: string | undefined
  nullable: string[]
  /** The columns of each index, that of the key left out. */
  indexes: { columns: string[]; unique: boolean }[]
  /** The tables that columns point to. */
  references: Record<string, string>
}

/** The tables of a file, without those that hold no data. */
export function sqliteTables(db: Sqlite.Database): FoundTable[] {
  const types: Record<string, string> = { INTEGER: 'int64', REAL: 'double', TEXT: 'text', BLOB: 'bytes' }
  const tables = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'animal_store_%' ORDER BY name",
    )
    .all()
  return tables.map(({ name, sql }) => {
    const columns = db.pragma(`table_info(${name})`) as {
      name: string
      type: string
      pk: number
      notnull: number
    }[]
    const indexes = db.pragma(`index_list(${name})`) as { name: string; unique: number; origin: string }[]
    const references = db.pragma(`foreign_key_list(${name})`) as { from: string; table: string }[]
    return {
      name,
      columns: Object.fromEntries(columns.map((column) => [column.name, types[column.type] ?? column.type])),
      key: columns
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      generated: /(\w+) INTEGER PRIMARY KEY AUTOINCREMENT/.exec(sql)?.[1],
      nullable: columns.filter(({ notnull, pk }) => notnull === 0 && pk === 0).map((column) => column.name),
      indexes: indexes
        .filter(({ origin }) => origin !== 'pk')
        .map((index) => ({
          columns: (db.pragma(`index_info(${index.name})`) as { name: string }[]).map((column) => column.name),
          unique: index.unique === 1,
        })),
      references: Object.fromEntries(references.map(({ from, table }) => [from, table])),
    }
  })
}
