import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import type { Log } from '../../../log/log.ts'
import { sharedFileSystem } from '../files/file-system.ts'
import { applicationId, schema as ownSchema, statementsOfOldest, type Migration, type Schema } from '../../schema.ts'
import { usableVersion } from './version.ts'
import { isLocked, lockedFor } from './retry.ts'
import type { StoreWatch } from '../../store.ts'
import { makePrivate } from '../files/private-file.ts'
import { pathsOf } from '../files/store-files.ts'
import { damageIn } from '../files/wal.ts'
import { Database, requireDriver } from './driver.ts'
import { codeOf, messageOf } from '../../../failure.ts'

/** How long a statement may wait for another process's lock, in ms, while nothing else runs in this process. */
export const blockingWaitMs = 20
const startWaitMs = 5000

/**
 * A write-ahead log above this size is cut back as soon as no reader needs it, in bytes. In quiet operation it stays
 * about half as long, since SQLite moves it into the database after every 1000 pages.
 */
export const walLimitBytes = 8 * 1024 * 1024

export interface OpenSettings {
  log?: Log | undefined
  /** The tables of the store, if they are not those of the service. */
  schema?: Schema
  /** Whether a new store is told as loudly as what may be a wrong path or a disk that is not mounted. */
  production?: boolean
  watch?: StoreWatch | undefined
  statfs?: (path: string) => { type: number }
}

/** Opens the database, or makes it where there was none. Throws a sentence when it cannot be used. */
export function openDatabase(file: string, settings: OpenSettings = {}): Sqlite.Database {
  return openOrMake(file, settings).db
}

/** Brings the schema of a file up to date. Throws a sentence when it cannot. */
export function migrateSqlite(file: string): Migration {
  const { db, migration } = openOrMake(file)
  db.close()
  return migration
}

interface Opened {
  db: Sqlite.Database
  migration: Migration
}

function openOrMake(
  file: string,
  { log, schema = ownSchema, production = false, statfs = statfsSync }: OpenSettings = {},
): Opened {
  return inSentence(file, () => {
    requireDriver()
    refuseLost(file)
    const folder = dirname(file)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    refuseShared(folder, statfs(folder).type, log)
    if (makePrivate(file)) tellNew(file, production, log)
    accessSync(file, constants.W_OK)
    refuseDamagedLog(file)
    return open(file, startWaitMs, schema)
  })
}

function tellNew(file: string, production: boolean, log: Log | undefined): void {
  if (!production) log?.info({ file }, 'new store made')
  else
    log?.warn({ file: resolve(file) }, 'there was no store, so a new and empty one was made; DATABASE_URL says where')
}

/** Opens a database that is there, and hardly waits for locks, so that it may be called while serving. */
export function reopenDatabase(file: string, schema: Schema): Sqlite.Database {
  return inSentence(file, () => {
    refuseDamagedLog(file)
    return open(file, blockingWaitMs, schema).db
  })
}

function inSentence<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Error(`The database ${file} cannot be opened: ${whyNot(error, file)}.`, { cause: error })
  }
}

function whyNot(error: unknown, file: string): string {
  const folder = dirname(file)
  const code = codeOf(error)
  if (code === 'EROFS' || /^SQLITE_READONLY/.test(code)) {
    return `the file system of ${folder} is read-only, and SQLite writes beside the database as well. Mount it writable`
  }
  if (code === 'EACCES' || code === 'EPERM') return `this user may not write ${file} and the files beside it`
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${folder} is not a folder`
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return `the disk of ${folder} is full. Make room on it`
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damage(messageOf(error))
  if (code === 'SQLITE_PROTOCOL') return 'another program keeps locks on its -shm file. Find and stop that program'
  if (code === 'SQLITE_CANTOPEN' && statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder'
  if (isLocked(error)) return `it is ${lockedFor(startWaitMs)}`
  return messageOf(error)
}

function damage(what: string): string {
  return `${what}. Put a backup in its place, or name another file in DATABASE_URL`
}

/** SQLite would take an empty file for a new database, and delete the write-ahead log that holds what is left of it. */
function refuseLost(file: string): void {
  // before the file itself: another process that starts on the same new file makes them after it
  const { wal, shm } = pathsOf(file)
  const trace = [wal, shm, `${file}-quota`].find((path) => existsSync(path))
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (trace === undefined || (size ?? 0) > 0) return
  throw new Error(
    `it is ${size === 0 ? 'empty' : 'not there'}, but ${trace} shows that there was one. ` +
      `Put the database back, or delete ${trace} as well to begin a new one`,
  )
}

/** SQLite would take the log for a shorter one, and assign the ids of the animals behind the damage again. */
export function refuseDamagedLog(file: string): void {
  const { wal } = pathsOf(file)
  const damage = existsSync(wal) ? damageIn(wal) : undefined
  if (damage === undefined) return
  const place = damage.frame === 0 ? 'at its head' : `at frame ${damage.frame} of ${damage.of}`
  throw new Error(
    `its write-ahead log ${wal} is damaged ${place}, and animals that were acknowledged are behind it. ` +
      `Restore a backup, or move ${wal} away to start with what the database has without it`,
  )
}

function refuseShared(folder: string, type: number, log: Log | undefined): void {
  const found = sharedFileSystem(type)
  if (found?.unfit === true) {
    throw new Error(
      `${folder} is on a network file system (${found.name}), where SQLite loses data. ` +
        'Use a local disk, or PostgreSQL through DATABASE_URL',
    )
  }
  if (found) {
    log?.warn({ folder, fileSystem: found.name }, 'SQLite is safe here only if no other machine uses this file system')
  }
}

function open(file: string, waitMs: number, schema: Schema): Opened {
  const deadline = performance.now() + waitMs
  for (;;) {
    const db = new Database(file, { timeout: waitMs, fileMustExist: true })
    try {
      return { db, migration: prepare(db, schema) }
    } catch (error) {
      db.close()
      // another process starts on the same new file: SQLite does not wait for the change to WAL
      if (!isLocked(error) || performance.now() > deadline) throw error
    }
  }
}

function prepare(db: Sqlite.Database, schema: Schema): Migration {
  db.defaultSafeIntegers(true)
  refuseForeign(db)
  db.pragma('journal_mode = WAL')
  // a commit is on disk before it is acknowledged; better-sqlite3's default with WAL is NORMAL
  db.pragma('synchronous = FULL')
  db.pragma(`journal_size_limit = ${walLimitBytes}`)
  refuseDamaged(db)
  const migration = migrate(db, schema)
  db.pragma(`busy_timeout = ${blockingWaitMs}`)
  return migration
}

function refuseForeign(db: Sqlite.Database): void {
  const { id, tables } = db
    .prepare<[], { id: bigint; tables: bigint }>(
      // in one statement, since another process may be making the tables
      'SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id',
    )
    .get() ?? { id: 0n, tables: 0n }
  if (id !== BigInt(applicationId) && !(id === 0n && tables === 0n)) {
    throw new Error('it is not a database of this service')
  }
}

/** Reads the whole file: 0.25 s for a million animals. */
function refuseDamaged(db: Sqlite.Database): void {
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new Error(damage(`it is damaged (${String(found).split('\n').at(-1) ?? ''})`))
}

/** Brings the schema up to date, without a lock where it is. */
function migrate(db: Sqlite.Database, { sqliteSteps, oldest }: Schema): Migration {
  const newest = sqliteSteps.length
  const found = usableVersion(db, newest)
  if (found >= newest) return { from: found, to: found }
  const run = db.transaction(() => {
    // again, since another process may have made the steps before this one got the lock
    const version = usableVersion(db, newest)
    if (version >= newest) return { from: version, to: version }
    for (const step of sqliteSteps.slice(version)) db.exec(step)
    if (oldest.sqlite < newest) db.exec(statementsOfOldest(newest, oldest.sqlite))
    db.pragma(`user_version = ${newest}`)
    db.pragma(`application_id = ${applicationId}`)
    return { from: version, to: newest }
  })
  return run.immediate()
}
