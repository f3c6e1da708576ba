import type Sqlite from 'better-sqlite3'

/** A table as an engine has it. */
export interface FoundTable {
  name: string
  /** By their types as the schema calls them. */
  columns: Record<string, string>
  key: string[]
  generated: string | undefined
}

/** The tables of a file, without those that hold no data. */
export function sqliteTables(db: Sqlite.Database): FoundTable[] {
  const types: Record<string, string> = { INTEGER: 'int64', TEXT: 'text', BLOB: 'bytes' }
  const tables = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'animal_store_%' ORDER BY name",
    )
    .all()
  return tables.map(({ name, sql }) => {
    const columns = db.pragma(`table_info(${name})`) as { name: string; type: string; pk: number }[]
    return {
      name,
      columns: Object.fromEntries(columns.map((column) => [column.name, types[column.type] ?? column.type])),
      key: columns
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      generated: /(\w+) INTEGER PRIMARY KEY AUTOINCREMENT/.exec(sql)?.[1],
    }
  })
}

/** The tables of a database, without those that hold no data, in which `ask` runs a statement. */
export async function postgresTables(ask: (text: string) => Promise<Record<string, unknown>[]>): Promise<FoundTable[]> {
  const types: Record<string, string> = { bigint: 'int64', text: 'text', bytea: 'bytes' }
  const columns = (await ask(
    `SELECT table_name, column_name, data_type, is_identity FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name NOT LIKE 'animal_store_%' ORDER BY table_name, ordinal_position`,
  )) as { table_name: string; column_name: string; data_type: string; is_identity: 'YES' | 'NO' }[]
  const constraints = (await ask(
    `SELECT t.relname AS table,
            (SELECT array_agg(a.attname::text ORDER BY place)
             FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
     WHERE c.connamespace = 'public'::regnamespace AND c.contype = 'p'`,
  )) as { table: string; columns: string[] }[]
  return [...new Set(columns.map(({ table_name }) => table_name))].map((name) => {
    const own = columns.filter(({ table_name }) => table_name === name)
    return {
      name,
      columns: Object.fromEntries(
        own.map(({ column_name, data_type }) => [column_name, types[data_type] ?? data_type]),
      ),
      key: constraints.find(({ table }) => table === name)?.columns ?? [],
      generated: own.find(({ is_identity }) => is_identity === 'YES')?.column_name,
    }
  })
}
