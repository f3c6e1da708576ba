import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { applicationId, schema } from '../schema.ts'
import { usableVersion } from './connection/version.ts'
import { companions, contents, flush, sizeText, type Backup } from './backup.ts'
import { Database, requireDriver } from './connection/driver.ts'
import { identity } from './connection/read-only.ts'
import { codeOf, messageOf } from '../../failure.ts'
import { freeBytes } from './files/file-system.ts'

/**
 * Puts a backup where a store was, once all of it is on disk and verified. Replaces nothing: a log that stays beside another
 * database would destroy that. Throws a sentence when it is not restored, and then leaves nothing behind.
 */
export function restore(backup: string, store: string): Backup {
  refuseSource(backup)
  refuseTarget(store)
  const folder = dirname(resolve(store))
  const temporary = join(folder, `.restore-${randomBytes(6).toString('hex')}.partial`)
  try {
    requireDriver()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { size } = statSync(backup)
    const free = freeBytes(folder)
    if (free < size) throw new Error(`it needs ${sizeText(size)}, and the disk has ${sizeText(free)} free`)
    copyFileSync(backup, temporary)
    chmodSync(temporary, 0o600)
    giveToOwnerOf(folder, temporary)
    const restored = verify(temporary)
    flush(temporary)
    // fails when somebody has made a store there meanwhile
    linkSync(temporary, store)
    flush(folder)
    return { ...restored, bytes: size }
  } catch (error) {
    const reason = codeOf(error) === 'EEXIST' ? 'a store appeared there meanwhile' : messageOf(error)
    throw new Error(`The backup ${backup} is not restored: ${reason}.`, { cause: error })
  } finally {
    for (const end of ['', ...companions]) rmSync(temporary + end, { force: true })
  }
}

function refuseSource(backup: string): void {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile()) throw new Error(`There is no backup at ${backup}.`)
  const companion = companions.map((end) => backup + end).find((path) => existsSync(path))
  if (companion === undefined) return
  throw new Error(`${backup} is no backup, but a store or what is left of one: ${companion} is there.`)
}

function refuseTarget(store: string): void {
  const found = ['', ...companions].map((end) => store + end).filter((path) => existsSync(path))
  if (found.length === 0) return
  const user = found.map(userOf).find((pid) => pid !== undefined)
  throw new Error(
    user === undefined
      ? `There is a store at ${store}, and a restore replaces nothing. Stop every service on it, and move these files ` +
          `away first: ${found.join(', ')}.`
      : `The process ${user} uses the store at ${store}. Stop it, and move these files away first: ${found.join(', ')}.`,
  )
}

/** The process that holds a lock on a file, as SQLite does while it has a database open. Only Linux tells. */
function userOf(file: string): number | undefined {
  try {
    const { ino } = statSync(file)
    const lock = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find((line) => line.includes(`:${ino} `))
    const pid = Number(/ (\d+) [\da-f]+:[\da-f]+:\d+ /.exec(lock ?? '')?.[1])
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** As root the service would otherwise be unable to open its store. */
function giveToOwnerOf(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(file, uid, gid)
}

/** Reads a copy of the backup from end to end. */
function verify(file: string): ReturnType<typeof contents> {
  const db = new Database(file, { fileMustExist: true })
  try {
    // a file of another kind, or one that is damaged, fails here
    const faults = db.pragma('integrity_check(3)', { simple: true })
    if (faults !== 'ok') throw new Error(`it is damaged (${String(faults)}); restore an earlier one`)
    const { id } = identity(db)
    if (id !== applicationId) throw new Error('it is not a database of this service')
    usableVersion(db, schema.sqliteSteps.length)
    db.pragma('journal_mode = DELETE')
    return contents(db)
  } catch (error) {
    const isForeign = /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))
    throw isForeign ? new Error('it is damaged, or no database; restore another one', { cause: error }) : error
  } finally {
    db.close()
  }
}
