import type { Log } from '../../log/log.ts'
import type { PostgresUrl } from '../../config/postgres-url.ts'
import { schema as ownSchema, selectInstallation, type Migration, type Schema } from '../schema.ts'
import type { HandlerStores, Stores, StoreWatch } from '../store.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { checkAdditions } from './additions.ts'
import { checkChanges } from './changes.ts'
import { connectionOver } from './connection/connection.ts'
import { findWritable, openPostgres } from './connection/open.ts'
import { openPool, type Pool } from './connection/pool.ts'
import { keys } from './keys.ts'
import { resource } from './resource.ts'

export interface PostgresSettings {
  log?: Log | undefined
  watch?: StoreWatch | undefined
  /** The most connections. */
  poolSize?: number
  /** The tables of the store, if they are not those of the service. */
  schema?: Schema
}

/**
 * Stores in a PostgreSQL database, whose tables are made when they are not there. Throws a sentence when it cannot be
 * used. The log, if any, hears of connections that are lost while nobody uses them, and `watch` how long statements take.
 */
export async function postgresStores(
  url: PostgresUrl,
  { log, watch, poolSize = 10, schema = ownSchema }: PostgresSettings = {},
): Promise<Stores> {
  const { declared, stored, probe } = schema
  const opened = await openPostgres(url, { log, schema })
  const { engine, readOnly } = opened
  log?.info({ engine }, 'the store is a database of PostgreSQL')
  const pool = openPool(
    {
      place: opened,
      find: () => findWritable(url, schema),
      several: url.hosts.length > 1,
      size: poolSize,
      onFault: (err) => {
        log?.warn({ err }, 'a connection to the database was lost')
      },
    },
    watch,
  )
  const connection = connectionOver(pool, log)
  await pool.warm()
  const requireWrites = writesRequired({ query: connection.query, move: pool.move, probe, readOnly, log })
  const resources = Object.entries(declared).map(([name, table]) => [name, resource(connection, table)] as const)
  return {
    // the declarations guarantee the types, which the compiler cannot follow through a list
    ...(Object.fromEntries(resources) as unknown as HandlerStores),
    keys: keys(connection),
    readings: connection.readings,
    installation: async () => (await connection.query<[id: string]>(selectInstallation))[0]?.[0] ?? '',
    ping: async () => {
      await requireWrites()
      for (const table of stored) await (table.generated ? checkAdditions : checkChanges)(connection, table)
    },
    close: connection.close,
  }
}

interface WritesParts extends Pick<Pool, 'query' | 'move'> {
  probe: string
  /** Why the server takes no writes at the start; empty when it does. */
  readOnly: string
  log: Log | undefined
}

/** Asks whether every table can be read and written; throws `StoreUnavailable` when not. The log hears of changes. */
function writesRequired({ query, move, probe, readOnly, log }: WritesParts): () => Promise<void> {
  let told = ''
  const tell = (why: string): void => {
    if (why !== '' && told === '') log?.warn({ why }, 'the server of DATABASE_URL takes no writes, creates are refused')
    if (why === '' && told !== '') log?.info('the server of DATABASE_URL takes writes again')
    told = why
  }
  tell(readOnly)
  const ask = async (): Promise<string> => {
    const rows = await query(`${probe}, current_setting('transaction_read_only') = 'on', pg_is_in_recovery()`)
    const [isReadOnly, isStandby] = rows[0]?.slice(-2) ?? []
    return isStandby ? 'it is a standby' : isReadOnly ? 'default_transaction_read_only is on' : ''
  }
  return async () => {
    let why = await ask()
    if (why !== '' && (await move())) why = await ask()
    tell(why)
    if (why !== '') {
      throw new StoreUnavailable(`The server of DATABASE_URL takes no writes: ${why}.`, undefined, 'read_only')
    }
  }
}

/** Brings the schema up to date. Throws a sentence when it cannot. */
export async function migratePostgres(url: PostgresUrl): Promise<Migration> {
  return (await openPostgres(url)).migration
}
