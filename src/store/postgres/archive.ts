import pg from 'pg'
import { primaryKeyOf, tables, type Archive, type Row, type Value } from '../copy.ts'
import { openPostgres } from './connection/open.ts'
import { connectionConfig, refuse } from './connection/pool.ts'

/** The rows of a PostgreSQL database, over one connection whose statements may take long. */
export async function postgresArchive(url: string, use: 'source' | 'target'): Promise<Archive> {
  await openPostgres(url, use === 'source')
  const client = new pg.Client(connectionConfig(url, false))
  // a lost connection fails the statement, too
  client.on('error', () => undefined)
  await client.connect().catch(refuse)
  const rowsOf = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Value[]>({ text, values, rowMode: 'array' }).catch(refuse)).rows
  const integerOf = async (text: string): Promise<bigint> => ((await rowsOf(text))[0]?.[0] ?? 0n) as bigint
  return {
    count: async (table) => Number(await integerOf(`SELECT count(*) FROM ${table}`)),
    read: (table, after, limit) => {
      const key = tables[table].key.join(', ')
      const values = after ? primaryKeyOf(table, after) : []
      const where = after ? `WHERE (${key}) > (${values.map((_, index) => `$${index + 2}`).join(', ')})` : ''
      const columns = Object.keys(tables[table].columns).join(', ')
      return rowsOf(`SELECT ${columns} FROM ${table} ${where} ORDER BY ${key} LIMIT $1`, [limit, ...values])
    },
    write: async (table, rows) => {
      const columns = Object.entries(tables[table].columns)
      const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
      await rowsOf(
        `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) OVERRIDING SYSTEM VALUE
         SELECT * FROM unnest(${arrays})`,
        columns.map((_, index) => rows.map((row) => row[index])),
      )
    },
    lastId: () => integerOf('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM pets_id_seq'),
    setLastId: async (id) => {
      if (id > 0n) await rowsOf("SELECT setval('pets_id_seq', $1)", [id])
    },
    close: () => client.end(),
  }
}
