import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../../api-error.ts'
import { codeOf } from '../../../failure.ts'

/** How long another process's lock is waited for, and how often it is tried meanwhile, in ms. */
const waitMs = 2000
const everyMs = 25

/** SQLite result codes of a store that cannot answer now, and may again once the cause is gone. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/

/**
 * Runs a statement or a transaction. While another process holds the lock it is tried again without stalling the event
 * loop; after two seconds, or when the disk refuses, it throws `unavailable`.
 */
export function patiently<T>(run: () => T): Promise<T> {
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
    if (!passing.test(codeOf(error))) throw error
    if (!isLocked(error) || performance.now() >= deadline) throw unavailable(1, error)
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
