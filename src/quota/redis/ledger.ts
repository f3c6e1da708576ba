import type { Charge } from '../counters.ts'
import { dayMs, minuteMs } from '../outcome.ts'
import type { Adjustment } from './script.ts'

/** The most callers whose changes of one window are kept; those of others are lost. */
const maxCallers = 100_000

/** What Redis has yet to be told: changes of counters that were made in this process alone. */
export interface Ledger {
  add: (charge: Charge, change: number) => void
  /** Takes at most so many changes out. */
  take: (max: number) => Adjustment[]
  isEmpty: () => boolean
}

/** Opens an empty ledger. It keeps the changes of the newest minute and the newest day. */
export function openLedger(): Ledger {
  const minute = openPage('minute', minuteMs)
  const day = openPage('day', dayMs)
  return {
    add: (charge, change) => {
      minute.add(charge.minute, charge.caller, change)
      day.add(charge.day, charge.caller, change)
    },
    take: (max) => {
      const ofDay = day.take(max)
      return [...ofDay, ...minute.take(max - ofDay.length)]
    },
    isEmpty: () => minute.changes.size === 0 && day.changes.size === 0,
  }
}

interface Page {
  changes: ReadonlyMap<string, number>
  add: (window: number, caller: string, change: number) => void
  take: (max: number) => Adjustment[]
}

function openPage(name: string, windowMs: number): Page {
  /** By `WINDOW:CALLER`. */
  const changes = new Map<string, number>()
  let newest = 0
  return {
    changes,
    add: (window, caller, change) => {
      const key = `${window}:${caller}`
      if (window > newest) {
        newest = window
        changes.clear()
      }
      if (window < newest || change === 0 || (changes.size >= maxCallers && !changes.has(key))) return
      changes.set(key, (changes.get(key) ?? 0) + change)
    },
    take: (max) => {
      const taken: Adjustment[] = []
      for (const [key, change] of changes) {
        if (taken.length >= max) break
        taken.push({ key: `${name}:${key}`, windowMs, change })
        changes.delete(key)
      }
      return taken
    },
  }
}
