import type { Log } from '../../log/log.ts'
import type { PostgresUrl } from '../../config/postgres-url.ts'
import { schema as ownSchema, selectInstallation, type Migration, type Schema } from '../schema.ts'
import type { HandlerStores, Stores, StoreWatch } from '../store.ts'
import { checkAdditions } from './additions.ts'
import { checkChanges } from './changes.ts'
import { connectionOver } from './connection/connection.ts'
import { openPostgres } from './connection/open.ts'
import { openPool } from './connection/pool.ts'
import { keys } from './keys.ts'
import { resource } from './resource.ts'

export interface PostgresSettings {
  log?: Log | undefined
  watch?: StoreWatch | undefined
  /** The tables of the store, if they are not those of the service. */
  schema?: Schema
}

/**
 * Stores in a PostgreSQL database, whose tables are made when they are not there. Throws a sentence when it cannot be
 * used. The log, if any, hears of connections that are lost while nobody uses them, and `watch` how long statements take.
 */
export async function postgresStores(
  url: PostgresUrl,
  { log, watch, schema = ownSchema }: PostgresSettings = {},
): Promise<Stores> {
  const { declared, stored, probe } = schema
  const opened = await openPostgres(url, { log, schema })
  const connection = connectionOver(
    openPool(
      opened,
      (err) => {
        log?.warn({ err }, 'a connection to the database was lost')
      },
      watch,
    ),
    log,
  )
  const resources = Object.entries(declared).map(([name, table]) => [name, resource(connection, table)] as const)
  return {
    // the declarations guarantee the types, which the compiler cannot follow through a list
    ...(Object.fromEntries(resources) as unknown as HandlerStores),
    keys: keys(connection),
    readings: connection.readings,
    installation: async () => (await connection.query<[id: string]>(selectInstallation))[0]?.[0] ?? '',
    ping: async () => {
      await connection.query(probe)
      for (const table of stored) await (table.generated ? checkAdditions : checkChanges)(connection, table)
    },
    close: connection.close,
  }
}

/** Brings the schema up to date. Throws a sentence when it cannot. */
export async function migratePostgres(url: PostgresUrl): Promise<Migration> {
  return (await openPostgres(url)).migration
}
