import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { sqliteStores } from './sqlite.ts'
import type { Stores } from './store.ts'

/** Opens the stores of the configured engine. Throws a sentence when they cannot be used; the log, if any, hears what they suffer. */
export function openStores({ database }: Pick<Config, 'database'>, log?: Log): Stores {
  return sqliteStores(database.file, { log })
}
