import type { Config } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import type { Archive } from './copy.ts'
import { migrateSqlite } from './sqlite/connection/open.ts'
import type { Migration } from './schema.ts'
import { sqliteStores } from './sqlite/stores.ts'
import type { Stores, StoreWatch } from './store.ts'

/**
 * Opens the stores of the configured engine, and brings their schema up to date. Throws a sentence when they cannot be
 * used. The log, if any, hears what they suffer, and `watch` how long statements take.
 */
export async function openStores(
  { database, databasePoolSize, production }: Pick<Config, 'database' | 'databasePoolSize' | 'production'>,
  log?: Log,
  watch?: StoreWatch,
): Promise<Stores> {
  if (database.engine === 'sqlite') return sqliteStores(database.file, { log, watch, production })
  // not loaded with SQLite, whose start it would slow down
  const { postgresStores } = await import('./postgres/stores.ts')
  return postgresStores(database.url, { log, watch, poolSize: databasePoolSize })
}

/** Brings the schema of the configured store up to date. Throws a sentence when it cannot. */
export async function migrateStore({ database }: Pick<Config, 'database'>): Promise<Migration> {
  if (database.engine === 'sqlite') return migrateSqlite(database.file)
  const { migratePostgres } = await import('./postgres/stores.ts')
  return migratePostgres(database.url)
}

/**
 * Opens a store as rows, for copying it. A source is never changed, nor made. Throws a sentence when it cannot be used.
 */
export async function openArchive(database: Config['database'], use: 'source' | 'target'): Promise<Archive> {
  if (database.engine === 'sqlite') return (await import('./sqlite/archive.ts')).sqliteArchive(database.file, use)
  return (await import('./postgres/archive.ts')).postgresArchive(database.url, use)
}
