import type { PostgresUrl } from '../../config/postgres-url.ts'
import { primaryKeyOf, type Archive, type Row } from '../copy.ts'
import type { Value } from '../table.ts'
import { columnsOf } from '../schema.ts'
import { openPostgres } from './connection/open.ts'
import { connectAlone } from './connection/client.ts'
import { refuse } from './connection/faults.ts'
import { columnTypes, sequenceOf } from './tables.ts'

/** The rows of a PostgreSQL database, over one connection whose statements may take long. */
export async function postgresArchive(url: PostgresUrl, use: 'source' | 'target'): Promise<Archive> {
  const { config } = await openPostgres(url, { unchanged: use === 'source' })
  const client = await connectAlone(config).catch(refuse)
  // it waits for the other store for as long as that takes, and so may its statements
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0').catch(refuse)
  const rowsOf = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Value[]>({ text, values, rowMode: 'array' }).catch(refuse)).rows
  const integerOf = async (text: string): Promise<bigint> => ((await rowsOf(text))[0]?.[0] ?? 0n) as bigint
  return {
    count: async ({ name }) => Number(await integerOf(`SELECT count(*) FROM ${name}`)),
    read: (table, after, limit) => {
      const key = table.key.join(', ')
      const values = after ? primaryKeyOf(table, after) : []
      const where = after ? `WHERE (${key}) > (${values.map((_, index) => `$${index + 2}`).join(', ')})` : ''
      const text = `SELECT ${columnsOf(table)} FROM ${table.name} ${where} ORDER BY ${key} LIMIT $1`
      return rowsOf(text, [limit, ...values])
    },
    write: async (table, rows) => {
      const types = Object.values(table.columns)
      const arrays = types.map((type, index) => `$${index + 1}::${columnTypes[type]}[]`).join(', ')
      await rowsOf(
        `INSERT INTO ${table.name} (${columnsOf(table)}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`,
        types.map((_, index) => rows.map((row) => row[index])),
      )
    },
    lastId: (table) => integerOf(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequenceOf(table)}`),
    setLastId: async (table, id) => {
      if (id > 0n) await rowsOf(`SELECT setval('${sequenceOf(table)}', $1)`, [id])
    },
    close: () => client.end(),
  }
}
