import { selectInstallation } from '../schema.ts'
import type { Stores } from '../store.ts'
import { openConnection } from './connection/connection.ts'
import type { OpenSettings } from './connection/open.ts'
import { keys } from './keys.ts'
import { pets } from './pets.ts'

/**
 * Stores in one SQLite file, which is made when it is not there. Throws a sentence when the file cannot be used. A file
 * that is lost while it is in use makes every call throw `StoreUnavailable` until it, or a backup of it, is there again.
 */
export function sqliteStores(file: string, settings: OpenSettings = {}): Stores {
  const connection = openConnection(file, settings)
  const installation = connection.prepare<[], [id: string]>(selectInstallation)
  return {
    pets: pets(connection),
    keys: keys(connection),
    readings: connection.readings,
    installation: () => connection.read(() => installation.get()?.[0] ?? ''),
    ping: connection.ping,
    close: connection.close,
  }
}
