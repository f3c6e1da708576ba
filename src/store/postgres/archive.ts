import type { PostgresUrl } from '../../config/postgres-url.ts'
import { codeOf } from '../../failure.ts'
import { primaryKeyOf, Referenced, type Archive, type Row } from '../copy.ts'
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
    erase: async (table, key) => {
      const { name, requests } = table
      const remove = (from: string, column: string): string =>
        `DELETE FROM ${from} WHERE ${column} = $1::${columnTypes[table.columns[table.key[0] ?? ''] ?? 'text']} RETURNING 1`
      await rowsOf('BEGIN')
      try {
        const rows = await rowsOf(remove(name, table.key[0] ?? ''), [key])
        const asked = await rowsOf(remove(requests.name, requests.row), [key])
        await rowsOf('COMMIT')
        // what is removed stays in the pages until then
        await rowsOf(`VACUUM ${name}`)
        await rowsOf(`VACUUM ${requests.name}`)
        return { rows: rows.length, requests: asked.length }
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined)
        if (codeOf(error) === '23503') throw new Referenced()
        throw error
      }
    },
    close: () => client.end(),
  }
}
