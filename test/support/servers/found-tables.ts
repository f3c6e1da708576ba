import { expect } from '@jest/globals'
import type { FoundTable } from '../../../scripts/generate/found-tables.ts'
import type { Schema } from '../../../src/store/schema.ts'

/** Checks that the tables are those of a schema, and no others. */
export function expectTables(found: readonly FoundTable[], { all }: Schema): void {
  const inOrder = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  // the names first, so that a forgotten table is told by its name
  expect(found.map(({ name }) => name)).toEqual(inOrder.map(({ name }) => name))
  for (const [index, { name, columns, key, generated, nullable, indexes, unique, references }] of inOrder.entries()) {
    const there = found[index]
    expect({ ...there, nullable: there?.nullable.toSorted(), indexes: undefined }).toEqual({
      ...{ name, columns, key, generated, references, indexes: undefined },
      nullable: nullable.toSorted(),
    })
    const begins = there?.indexes.map(({ columns }) => columns.join()) ?? []
    for (const columns of indexes) {
      expect([name, columns.join(), begins.some((one) => `${one},`.startsWith(`${columns.join()},`))]).toEqual([
        ...[name, columns.join(), true],
      ])
    }
    const apart = there?.indexes.filter((one) => one.unique).map(({ columns }) => columns.join())
    expect([name, apart?.sort()]).toEqual([name, unique.map((columns) => columns.join()).sort()])
  }
}

/** The tables of a database, without those that hold no data, in which `ask` runs a statement. */
export async function postgresTables(ask: (text: string) => Promise<Record<string, unknown>[]>): Promise<FoundTable[]> {
  const types: Record<string, string> = {
    ...{ bigint: 'int64', 'double precision': 'double', text: 'text', bytea: 'bytes' },
  }
  const columns = (await ask(
    `SELECT table_name, column_name, data_type, is_identity, is_nullable FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name NOT LIKE 'animal_store_%' ORDER BY table_name, ordinal_position`,
  )) as {
    table_name: string
    column_name: string
    data_type: string
    is_identity: 'YES' | 'NO'
    is_nullable: 'YES' | 'NO'
  }[]
  const constraints = (await ask(
    `SELECT t.relname AS table, c.contype::text AS type, c.confrelid::regclass::text AS target,
            (SELECT array_agg(a.attname::text ORDER BY place)
             FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
     WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('p', 'f')`,
  )) as { table: string; type: 'p' | 'f'; target: string; columns: string[] }[]
  const indexes = (await ask(
    `SELECT i.indrelid::regclass::text AS table, i.indisunique AS unique,
            (SELECT array_agg(a.attname::text ORDER BY place)
             FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number) AS columns
     FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
     WHERE t.relnamespace = 'public'::regnamespace AND NOT i.indisprimary`,
  )) as { table: string; unique: boolean; columns: string[] }[]
  return [...new Set(columns.map(({ table_name }) => table_name))].map((name) => {
    const own = columns.filter(({ table_name }) => table_name === name)
    return {
      name,
      columns: Object.fromEntries(
        own.map(({ column_name, data_type }) => [column_name, types[data_type] ?? data_type]),
      ),
      key: constraints.find(({ table, type }) => table === name && type === 'p')?.columns ?? [],
      generated: own.find(({ is_identity }) => is_identity === 'YES')?.column_name,
      nullable: own.filter(({ is_nullable }) => is_nullable === 'YES').map(({ column_name }) => column_name),
      indexes: indexes.filter(({ table }) => table === name).map(({ columns, unique }) => ({ columns, unique })),
      references: Object.fromEntries(
        constraints
          .filter(({ table, type }) => table === name && type === 'f')
          .map(({ columns: [column = ''], target }) => [column, target]),
      ),
    }
  })
}
