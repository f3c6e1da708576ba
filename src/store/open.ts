import type { Config } from '../config.ts'
import { sqliteStores } from './sqlite.ts'
import type { Stores } from './store.ts'

/** Opens the stores of the configured engine. Throws a sentence when they cannot be used. */
export function openStores({ database }: Pick<Config, 'database'>): Stores {
  return sqliteStores(database.file)
}
