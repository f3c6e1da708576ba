import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import type { Log } from '../../../log/log.ts'
import { codeOf } from '../../../failure.ts'
import { freeBytes } from '../files/file-system.ts'
import { isSame, pathsOf, stateOf } from '../files/store-files.ts'
import type { Guard } from './guard.ts'
import { blockingWaitMs, walLimitBytes } from './open.ts'
import { isLocked } from './retry.ts'

/** A connection to the database with the guard over it. */
export interface Guarded {
  db: Sqlite.Database
  guard: Guard
}

/** A longer write-ahead log is warned of, in bytes: a reader that does not end keeps SQLite from cutting it back. */
const walWarningBytes = 64 * 1024 * 1024

/** A full disk counts as full until it has so much room: one that takes a page may refuse the next animal. */
const neededBytes = 1024 * 1024

/** Looks after a connection that works: to be called every second or so, and never within a transaction. */
export function upkeep(file: string, log: Log | undefined): (connection: Guarded) => void {
  let warned = false
  return ({ db, guard }) => {
    try {
      guard.confirm()
      if (guard.refused() && freeBytes(dirname(file)) >= neededBytes) {
        // writes the value that is there, and so tries the disk
        db.pragma(`user_version = ${String(db.pragma('user_version', { simple: true }))}`)
        guard.recover()
      }
      const walBytes = Number(guard.files().wal?.size ?? 0n)
      if (walBytes > walLimitBytes) cutWal(db)
      const long = walBytes > walWarningBytes
      if (long && !warned) {
        log?.warn(
          { file, walBytes },
          'write-ahead log keeps growing: some process reads without an end; find and stop it',
        )
      }
      warned = long
    } catch (error) {
      guard.heed(error)
      if (codeOf(error) === '') log?.error({ file, err: error }, 'store maintenance failed')
    }
  }
}

/** Moves the log into the database and cuts it to nothing, unless somebody still needs it; waits for nobody. */
function cutWal(db: Sqlite.Database): void {
  db.pragma('busy_timeout = 0')
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.pragma(`busy_timeout = ${blockingWaitMs}`)
  }
}

/** After how long a database that could not be locked is tried again, in ms: each try holds up everything for 10 s. */
const lockAgainMs = 60_000

/**
 * Opens the database anew once there is one at the path again. Gives undefined while there is none that can be used,
 * and tells the log why, once for each reason.
 */
export function reopener<C extends Guarded>(
  file: string,
  open: () => C,
  log: Log | undefined,
): (connection: Guarded) => C | undefined {
  let failed: { version: string | undefined; reason: string; untilMs: number } | undefined
  return (connection) => {
    let version: string | undefined
    try {
      version = versionOf(file)
      // what could not be used is not read through again before it has changed
      if (version === undefined) return undefined
      if (version === failed?.version && performance.now() < failed.untilMs) return undefined
      if (!letGo(connection, file)) return undefined
      const opened = open()
      log?.warn({ file, lost: connection.guard.lost() }, 'store available again, with what is in the file now')
      failed = undefined
      return opened
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      if (isLocked(cause)) return undefined
      const reason = String(error)
      if (reason !== failed?.reason) log?.error({ file, err: error }, 'store still unavailable')
      failed = {
        version,
        reason,
        untilMs: codeOf(cause) === 'SQLITE_PROTOCOL' ? performance.now() + lockAgainMs : Infinity,
      }
      return undefined
    }
  }
}

/** Differs when the files may have another content; undefined when there is no database or it is empty. */
function versionOf(file: string): string | undefined {
  const state = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (state === undefined || state.size === 0n) return undefined
  const { wal, shm } = pathsOf(file)
  return [state.dev, state.ino, state.size, state.mtimeNs, stateOf(wal)?.ino, stateOf(shm)?.ino].join(' ')
}

/** Closes the connection for good, and spares a file that was put in the database's place. */
export function letGoAtLast(connection: Guarded, file: string): void {
  try {
    // where nothing is, the log stays, and tells that there was a store
    if (stateOf(file) !== undefined && letGo(connection, file)) return
  } catch {
    // the path leads nowhere, so nothing lies there to be spared
  }
  connection.db.close()
}

/**
 * Closes a connection, and tells whether it did. SQLite then moves the log into the database, if that is still at its
 * path. If another file is there, the log beside it is not that file's, and would ruin it: it is emptied into the file
 * that it belongs to, wherever that is now, and removed.
 */
function letGo({ db, guard }: Guarded, file: string): boolean {
  if (!db.open) return true
  const held = guard.files()
  let stale: string[] = []
  if (!isSame(held.database, stateOf(file))) {
    const paths = pathsOf(file)
    stale = (['wal', 'shm'] as const)
      .filter((name) => isSame(held[name], stateOf(paths[name])))
      .map((name) => paths[name])
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: bigint }[]
    if (stale.length > 0 && result?.busy !== 0n) return false
  }
  db.close()
  for (const path of stale) rmSync(path)
  return true
}
