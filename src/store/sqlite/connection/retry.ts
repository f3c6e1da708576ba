import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../../failure.ts'
import { StoreUnavailable, type Reason } from '../../unavailable.ts'

/** How long another process's lock is waited for, and how often it is tried meanwhile, in ms. */
const waitMs = 2000
const everyMs = 25

/**
 * SQLite result codes of a store that cannot answer now, and may again once the cause is gone; why,
 * and what to do then.
 */
const passing: readonly (readonly [code: RegExp, reason: Reason, sentence: string])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'locked', `The database is ${lockedFor(waitMs)}.`],
  // SQLite reports both alike
  [/^SQLITE_FULL/, 'disk_full', 'The disk is full, or no id is left. Make room on the disk of the database.'],
  [
    /^SQLITE_(READONLY|CANTOPEN)/,
    'read_only',
    'The database cannot be written. Make its folder and its file system writable.',
  ],
  [/^SQLITE_PROTOCOL/, 'locked', 'The database cannot be locked. Find and stop the program that keeps its locks.'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged', 'The database is damaged. Put a backup in its place.'],
  [/^SQLITE_IOERR/, 'disk_failing', 'The disk of the database fails to read or to write. Look at the disk.'],
]

/**
 * Runs a statement or a transaction. While another process holds the lock it is tried again without stalling the event
 * loop; after two seconds, or when the disk refuses, it throws `StoreUnavailable`.
 */
export function retry<T>(run: () => T): Promise<T> {
  // at first without a wait, and so without the cost of an async function
  try {
    return Promise.resolve(run())
  } catch (error) {
    return again(run, error)
  }
}

async function again<T>(run: () => T, first: unknown): Promise<T> {
  const deadline = performance.now() + waitMs
  for (let error = first; ;) {
    const known = passing.find(([code]) => code.test(codeOf(error)))
    if (known === undefined) throw error
    if (!isLocked(error) || performance.now() >= deadline) {
      const [, reason, sentence] = known
      throw new StoreUnavailable(sentence, error, reason)
    }
    await sleep(everyMs)
    try {
      return run()
    } catch (next) {
      error = next
    }
  }
}

/** Whether another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

/** The end of a sentence about a database whose lock did not come in `ms`. */
export function lockedFor(ms: number): string {
  return `locked by another process; tried for ${ms / 1000} s`
}
