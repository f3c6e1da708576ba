import type { Log } from '../../log/log.ts'
import type { PostgresUrl } from '../../config/postgres-url.ts'
import { probe, selectInstallation, tables, type Migration } from '../schema.ts'
import type { Stores, StoreWatch } from '../store.ts'
import { connectionOver } from './connection/connection.ts'
import { openPostgres } from './connection/open.ts'
import { openPool } from './connection/pool.ts'
import { checkAdditions } from './additions.ts'
import { keys } from './keys.ts'
import { pets } from './pets.ts'

/**
 * Stores in a PostgreSQL database, whose tables are made when they are not there. Throws a sentence when it cannot be
 * used. The log, if any, hears of connections that are lost while nobody uses them, and `watch` how long statements take.
 */
export async function postgresStores(url: PostgresUrl, log?: Log, watch?: StoreWatch): Promise<Stores> {
  const opened = await openPostgres(url, false, log)
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
  return {
    pets: pets(connection),
    keys: keys(connection),
    readings: connection.readings,
    installation: async () => (await connection.query<[id: string]>(selectInstallation))[0]?.[0] ?? '',
    ping: async () => {
      await connection.query(probe)
      for (const table of Object.values(tables)) if ('requests' in table) await checkAdditions(connection, table)
    },
    close: connection.close,
  }
}

/** Brings the schema up to date. Throws a sentence when it cannot. */
export async function migratePostgres(url: PostgresUrl): Promise<Migration> {
  return (await openPostgres(url)).migration
}
