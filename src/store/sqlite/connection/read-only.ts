import { existsSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { Database, requireDriver } from './driver.ts'
import { applicationId, schema } from '../../schema.ts'
import { usableVersion } from './version.ts'
import { messageOf } from '../../../failure.ts'
import { refuseDamagedLog } from './open.ts'
import { isLocked, lockedFor } from './retry.ts'

/** How long one statement waits for another process's lock, in ms. */
export const busyWaitMs = 5000

/** Opens a store that is there, of this program or an older one, and changes nothing in it. Throws a sentence when it cannot. */
export function openReadOnly(store: string): Sqlite.Database {
  if (!existsSync(store)) throw new Error(`There is no store at ${store}. DATABASE_URL says where it is.`)
  let db: Sqlite.Database | undefined
  try {
    requireDriver()
    refuseDamagedLog(store)
    db = new Database(store, { readonly: true, fileMustExist: true, timeout: busyWaitMs })
    const { id } = identity(db)
    if (id !== applicationId) throw new Error('it is not a database of this service')
    usableVersion(db, schema.sqliteSteps.length)
    return db
  } catch (error) {
    db?.close()
    const reason = isLocked(error) ? `it is ${lockedFor(busyWaitMs)}` : messageOf(error)
    throw new Error(`The store ${store} cannot be read: ${reason}.`, { cause: error })
  }
}

/** What marks a database as one of this service, and the version of its schema. */
export function identity(db: Sqlite.Database): { id: number; version: number } {
  return { id: pragmaNumber(db, 'application_id'), version: pragmaNumber(db, 'user_version') }
}

export function pragmaNumber(db: Sqlite.Database, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}
