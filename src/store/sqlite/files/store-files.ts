import { existsSync, realpathSync, statSync, type BigIntStats } from 'node:fs'
import { codeOf } from '../../../failure.ts'

/** The three files of an SQLite database in WAL mode, as they lie at their paths now. */
export interface StoreFiles {
  database: FileState
  wal: FileState
  shm: FileState
}

/** Undefined when there is no such file. */
type FileState = Pick<BigIntStats, 'dev' | 'ino' | 'size'> | undefined

/** Where the files beside the database lie, or would lie: SQLite follows links before it names them. */
export function pathsOf(file: string): { wal: string; shm: string } {
  const real = existsSync(file) ? realpathSync(file) : file
  return { wal: `${real}-wal`, shm: `${real}-shm` }
}

export function stateOf(file: string): FileState {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

export function isSame(one: FileState, other: FileState): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/**
 * Why the files at the paths are not the ones in use any more, as the end of a sentence about the database; undefined
 * when they are. `walBytes` gives how long the write-ahead log must be, and is asked only when it became shorter.
 */
export function changeOf(before: StoreFiles, now: StoreFiles, walBytes: () => bigint): string | undefined {
  if (now.database === undefined) return 'is gone'
  if (!isSame(before.database, now.database)) return 'was replaced by another file'
  if (now.database.size === 0n) return 'was emptied'
  if (isShorter(before.database, now.database)) return 'became shorter'
  for (const [name, old, state] of [
    ['write-ahead log (-wal)', before.wal, now.wal],
    ['shared memory (-shm)', before.shm, now.shm],
  ] as const) {
    if (state === undefined) return `lost its ${name}`
    if (!isSame(old, state)) return `had its ${name} replaced`
  }
  const cut = isShorter(before.wal, now.wal) && (now.wal?.size ?? 0n) < walBytes()
  return cut ? 'had its write-ahead log (-wal) cut off' : undefined
}

function isShorter(before: FileState, now: FileState): boolean {
  return (now?.size ?? 0n) < (before?.size ?? 0n)
}

/** What a failed look at the files means. */
export function unreadable(error: unknown): string {
  return `cannot be reached (${codeOf(error)})`
}
