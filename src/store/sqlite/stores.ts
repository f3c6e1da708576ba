import { schema as ownSchema, selectInstallation } from '../schema.ts'
import type { HandlerStores, Stores } from '../store.ts'
import { openConnection } from './connection/connection.ts'
import type { OpenSettings } from './connection/open.ts'
import { keys } from './keys.ts'
import { resource } from './resource.ts'

/**
 * Stores in one SQLite file, which is made when it is not there. Throws a sentence when the file cannot be used. A file
 * that is lost while it is in use makes every call throw `StoreUnavailable` until it, or a backup of it, is there again.
 */
export function sqliteStores(file: string, settings: OpenSettings = {}): Stores {
  const connection = openConnection(file, settings)
  const installation = connection.prepare<[], [id: string]>(selectInstallation)
  const { declared } = settings.schema ?? ownSchema
  const resources = Object.entries(declared).map(([name, table]) => [name, resource(connection, table)] as const)
  return {
    // the declarations guarantee the types, which the compiler cannot follow through a list
    ...(Object.fromEntries(resources) as unknown as HandlerStores),
    keys: keys(connection),
    readings: connection.readings,
    installation: () => connection.read(() => installation.get()?.[0] ?? ''),
    ping: connection.ping,
    close: connection.close,
  }
}
