import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { freeBytes } from './files/file-system.ts'
import { keyTable } from '../key-table.ts'
import { applicationId, schema } from '../schema.ts'
import type { HandlerStores } from '../store.ts'
import { busyWaitMs, identity, openReadOnly, pragmaNumber } from './connection/read-only.ts'
import { isLocked, lockedFor } from './connection/retry.ts'
import { Database } from './connection/driver.ts'
import { codeOf, messageOf } from '../../failure.ts'

/** Pages copied at a time while nobody writes, 4 MB. Between two steps the store is not read. */
const firstStepPages = 1000
/** What SQLite and the counts of quotas put beside a database, as the end of its name. */
export const companions = ['-wal', '-shm', '-journal', '-quota']

/** What a store holds: the version of its schema, and the number of rows of each table. */
type Contents = Record<'schemaVersion' | 'keys' | keyof HandlerStores, number>

/** The tables whose rows are counted, by their names. */
export const countedTables = { ...schema.declared, keys: keyTable } as unknown as Readonly<
  Record<Exclude<keyof Contents, 'schemaVersion'>, { name: string; called: string }>
>

export interface Backup extends Contents {
  /** Size of the file. */
  bytes: number
}

export interface BackupOptions {
  /** Replace an earlier backup of this name. */
  force?: boolean
  /** Stops the copying. */
  signal?: AbortSignal | undefined
  /** Told after each step; the copy starts anew when another process writes meanwhile. */
  onProgress?: ((copiedPages: number, totalPages: number) => void) | undefined
}

/**
 * Copies the store of a running service into one file that needs no others beside it. The file gets its name once it is
 * on disk and verified. Throws a sentence when there is no backup, and then leaves nothing behind.
 */
export async function backUp(store: string, file: string, options: BackupOptions = {}): Promise<Backup> {
  // neither made nor brought up to date: a backup is what one makes before the start of a newer program
  const source = openReadOnly(store)
  try {
    refuseTarget(store, file, options.force === true)
    return await writeBackup(source, file, options)
  } finally {
    source.close()
  }
}

function refuseTarget(store: string, file: string, force: boolean): void {
  const folder = dirname(resolve(file))
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`The folder ${folder} is not there. Make it first, or name another file.`)
  }
  const there = statOf(file)
  if (ownNames(store).some((own) => namesOf(file).includes(own) || isOne(there, own))) {
    throw new Error(`${file} belongs to the store itself. Name another file.`)
  }
  const companion = companionOf(file)
  if (companion !== undefined) {
    throw new Error(
      `${file} may be a store in use, or have been one: ${companion} is there. ` +
        `Name another file, or remove ${companion} when no process uses it.`,
    )
  }
  if (!there) return
  if (!force) throw taken(file)
  if (!there.isFile() || !isOurs(file)) {
    throw new Error(`${file} is not a backup of this service, and --force replaces nothing else. Name another file.`)
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) !== 'ENAMETOOLONG') throw error
    throw new Error(`The name ${file} is too long. Name another file.`, { cause: error })
  }
}

/** What the names of a file are without links on the way: where it lies, and where it leads when it is a link itself. */
function namesOf(file: string): string[] {
  const path = resolve(file)
  const place = join(realpathSync(dirname(path)), basename(path))
  return [...new Set([place, existsSync(place) ? realpathSync(place) : place])]
}

/** The names of the store's files, also of those that are not there at the moment. */
function ownNames(store: string): string[] {
  return namesOf(store).flatMap((name) => {
    const counts = `${name}-quota`
    return [name, ...companions.flatMap((end) => [name + end, counts + end])]
  })
}

function isOne(there: Stats | undefined, other: string): boolean {
  const { dev, ino } = statSync(other, { throwIfNoEntry: false }) ?? {}
  return there !== undefined && dev === there.dev && ino === there.ino
}

/** A file of another database of this name, whose log SQLite would write over the backup. */
function companionOf(file: string): string | undefined {
  return namesOf(file)
    .flatMap((name) => companions.map((end) => name + end))
    .find((name) => existsSync(name))
}

function taken(file: string): Error {
  return new Error(`${file} already exists. Name another file, or replace it with --force.`)
}

/** Whether the head of a file is that of a database of this service (https://sqlite.org/fileformat2.html#the_database_header). */
function isOurs(file: string): boolean {
  const head = Buffer.alloc(100)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head)
  } finally {
    closeSync(descriptor)
  }
  return head.toString('latin1', 0, 16) === 'SQLite format 3\0' && head.readUInt32BE(68) === applicationId
}

async function writeBackup(source: Sqlite.Database, file: string, options: BackupOptions): Promise<Backup> {
  const { force = false, signal, onProgress } = options
  const folder = dirname(resolve(file))
  // short, since that of the backup may be as long as a name can be
  const temporary = join(folder, `.backup-${randomBytes(6).toString('hex')}.partial`)
  try {
    requireSpace(folder, source)
    // made beforehand, since SQLite would let others read it
    closeSync(openSync(temporary, 'wx', 0o600))
    const version = pragmaNumber(source, 'data_version')
    const held = contents(source)
    await copy(source, temporary, { signal, onProgress })
    const isUnchanged = pragmaNumber(source, 'data_version') === version
    const written = verify(temporary, isUnchanged ? held : undefined)
    flush(temporary)
    const companion = companionOf(file)
    if (companion !== undefined)
      throw new Error(`${companion} appeared during the backup, so a store may be in use there`)
    publish(temporary, file, force)
    flush(folder)
    return { ...written, bytes: statSync(file).size }
  } catch (error) {
    throw failure(file, error)
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(temporary + suffix, { force: true })
  }
}

/** So that a backup does not fill the disk on which the store may be. */
function requireSpace(folder: string, source: Sqlite.Database): void {
  const needed = pragmaNumber(source, 'page_count') * pragmaNumber(source, 'page_size')
  const free = freeBytes(folder)
  if (free < needed) throw new Error(`it needs ${sizeText(needed)}, and the disk has ${sizeText(free)} free`)
}

/** A number of bytes as people say it, such as `86 kB` or `12.4 MB`. */
export function sizeText(bytes: number): string {
  const [unit, of] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9]
  return `${Number((bytes / of).toPrecision(3))} ${unit}`
}

/**
 * SQLite's online backup. Each step is a read transaction of its own, so the write-ahead log can shrink between two.
 * A write between two steps makes SQLite start anew, which would go on for ever on a busy store. So each new start
 * copies more at a time, in the end everything.
 */
async function copy(
  source: Sqlite.Database,
  target: string,
  { signal, onProgress }: Pick<BackupOptions, 'signal' | 'onProgress'>,
): Promise<void> {
  let pages = firstStepPages
  let remaining = Infinity
  const { totalPages } = await source.backup(target, {
    progress: ({ totalPages, remainingPages }) => {
      signal?.throwIfAborted()
      if (remainingPages >= remaining) pages *= 4
      remaining = remainingPages
      onProgress?.(totalPages - remainingPages, totalPages)
      return pages
    },
  })
  onProgress?.(totalPages, totalPages)
}

/** What a store holds, as of one moment. One of an older program may lack tables. */
export function contents(db: Sqlite.Database): Contents {
  return db.transaction(() => {
    const found = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all()
    const count = (name: string): number => {
      if (!found.includes(name)) return 0
      return db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() ?? 0
    }
    const counts = Object.entries(countedTables).map(([own, { name }]) => [own, count(name)] as const)
    return Object.fromEntries([['schemaVersion', identity(db).version], ...counts]) as Contents
  })()
}

/** Reads the written file from end to end. `held` is what the store holds, if nobody wrote to it meanwhile. */
function verify(file: string, held: Contents | undefined): Contents {
  const db = new Database(file, { fileMustExist: true })
  try {
    // one file that needs no other beside it, so that it can be copied and read anywhere
    db.pragma('journal_mode = DELETE')
    const faults = db.pragma('integrity_check(3)', { simple: true })
    if (faults !== 'ok') throw new Error(`the store is damaged (${String(faults)}); keep its earlier backups`)
    if (identity(db).id !== applicationId) throw new Error('the copy is not a database of this service')
    const written = contents(db)
    for (const name of ['schemaVersion', ...Object.keys(countedTables)] as (keyof Contents)[]) {
      if (held && written[name] !== held[name]) {
        throw new Error(`the copy has ${name} ${written[name]} and the store has ${held[name]}`)
      }
    }
    return written
  } finally {
    db.close()
  }
}

/** Waits until a file or the names in a folder are on disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function publish(temporary: string, file: string, replace: boolean): void {
  if (replace) renameSync(temporary, file)
  // unlike a rename, it fails when somebody has taken the name meanwhile
  else linkSync(temporary, file)
}

function failure(file: string, error: unknown): Error {
  if (codeOf(error) === 'EEXIST') return taken(file)
  return new Error(`There is no backup at ${file}: ${reasonFor(error, file) ?? messageOf(error)}.`, { cause: error })
}

function reasonFor(error: unknown, file: string): string | undefined {
  const code = codeOf(error)
  if (isLocked(error)) return `the store is ${lockedFor(busyWaitMs)}`
  if (!code.startsWith('SQLITE_')) return undefined
  if (code.startsWith('SQLITE_CORRUPT')) return 'the store is damaged; keep its earlier backups'
  // SQLite tells a full disk in several ways
  return freeBytes(dirname(resolve(file))) < 65_536 ? 'the disk is full' : undefined
}
