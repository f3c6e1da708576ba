import type Sqlite from 'better-sqlite3'

/** A table as an engine has it. */
export interface FoundTable {
  name: string
  /** By their types as the schema calls them. */
  columns: Record<string, string>
  key: string[]
  generated: string | undefined
  /** By the column that points; undefined where the engine does not keep references. */
  references: Record<string, { table: string; column: string }> | undefined
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
      references: undefined,
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
    `SELECT t.relname AS table, c.contype::text AS type, of.relname AS of,
            (SELECT array_agg(a.attname::text ORDER BY place)
             FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns,
            (SELECT array_agg(a.attname::text) FROM pg_attribute a
             WHERE a.attrelid = c.confrelid AND a.attnum = ANY (c.confkey)) AS to
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid LEFT JOIN pg_class of ON of.oid = c.confrelid
     WHERE c.connamespace = 'public'::regnamespace AND (c.contype = 'p' OR c.contype = 'f' AND c.confdeltype = 'c')`,
  )) as { table: string; type: 'p' | 'f'; of: string; columns: string[]; to: string[] }[]
  return [...new Set(columns.map(({ table_name }) => table_name))].map((name) => {
    const own = columns.filter(({ table_name }) => table_name === name)
    const keys = constraints.filter(({ table }) => table === name)
    return {
      name,
      columns: Object.fromEntries(
        own.map(({ column_name, data_type }) => [column_name, types[data_type] ?? data_type]),
      ),
      key: keys.find(({ type }) => type === 'p')?.columns ?? [],
      generated: own.find(({ is_identity }) => is_identity === 'YES')?.column_name,
      references: Object.fromEntries(
        keys
          .filter(({ type }) => type === 'f')
          .map(({ columns: [column = ''], of, to: [to = ''] }) => [column, { table: of, column: to }]),
      ),
    }
  })
}
