import type Sqlite from 'better-sqlite3'
import type { Log } from '../../../log/log.ts'
import { changeOf, pathsOf, stateOf, unreadable, type StoreFiles } from '../files/store-files.ts'
import { codeOf } from '../../../failure.ts'
import { StoreUnavailable, type Reason } from '../../unavailable.ts'

/**
 * SQLite result codes of a file whose content is not what SQLite wrote, of locks that another program keeps in its shared
 * memory, and of a disk that does not take writes.
 */
const damaged = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/
const unlockable = 'SQLITE_PROTOCOL'
const refusing = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/

/** Watches over one connection, so that nothing is acknowledged that is not in the file at the path. */
export interface Guard {
  /** Throws `StoreUnavailable` once the connection is lost: it then never works again, and another must be opened. */
  admit: () => void
  /** Looks whether the files are still the ones in use, after a commit or in between. Throws `StoreUnavailable` when not. */
  confirm: () => void
  /** Learns from what a statement threw. */
  heed: (error: unknown) => void
  /** Learns that the disk takes writes again. */
  recover: () => void
  /** Why the connection is lost, as the end of a sentence about the database. */
  lost: () => string | undefined
  /** Whether the disk refused a write, and has not been found to take others since. */
  refused: () => boolean
  /** The files that the connection uses, as they were last seen. */
  files: () => StoreFiles
}

export function guardFiles(db: Sqlite.Database, file: string, log: Log | undefined): Guard {
  const paths = pathsOf(file)
  const look = (): StoreFiles => ({
    database: stateOf(file),
    wal: stateOf(paths.wal),
    shm: stateOf(paths.shm),
  })
  let files = look()
  let lost: string | undefined
  let why: Reason = 'unreachable'
  let remedy = 'Put it back, or a backup of it.'
  let refused = false

  function lose(reason: string, cause?: unknown): void {
    if (lost !== undefined) return
    lost = reason
    log?.error({ file, ...(cause === undefined ? {} : { err: cause }) }, `store unavailable: the database ${reason}`)
  }

  function admit(): void {
    if (lost !== undefined) throw new StoreUnavailable(`The database ${lost}. ${remedy}`, undefined, why)
  }

  return {
    admit,
    confirm: () => {
      try {
        const now = look()
        const change = changeOf(files, now, () => walBytes(db))
        if (change !== undefined) lose(change)
        else files = now
      } catch (error) {
        lose(unreadable(error), error)
      }
      admit()
    },
    heed: (error) => {
      const code = codeOf(error)
      if (damaged.test(code)) {
        why = 'damaged'
        lose('is damaged', error)
      } else if (code === unlockable) {
        // SQLite tries for 10 s before it says so, and nothing else runs meanwhile
        lose('cannot be locked', error)
        why = 'locked'
        remedy = 'Find and stop the program that keeps its locks.'
      } else if (refusing.test(code) && !refused) {
        refused = true
        log?.error({ file, err: error }, 'store cannot write: make room on its disk, or make it writable')
      }
    },
    recover: () => {
      log?.warn({ file }, 'store can write again')
      refused = false
    },
    lost: () => lost,
    refused: () => refused,
    files: () => files,
  }
}

/** How long the write-ahead log must be to hold every page that is in it (sqlite.org/fileformat.html#the_wal_file). */
function walBytes(db: Sqlite.Database): bigint {
  const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: bigint }[]
  const pages = state?.log ?? 0n
  return pages <= 0n ? 0n : 32n + pages * (24n + (db.pragma('page_size', { simple: true }) as bigint))
}
