import type { Log } from '../log/log.ts'
import type { Key } from '../store/store.ts'
import { minuteMs } from './outcome.ts'

/** The log hears of a caller at its 100th refusal within a minute, its 1000th, and so on. */
const firstTold = 100
/** The most callers of a minute whose refusals are counted. */
const maxCallers = 10_000

/** Tells the log which callers go on sending while they are refused. */
export function openHammering(log: Log): {
  refused: (caller: { key: Key } | { address: string }, now: number) => void
} {
  let minute = 0
  const refusals = new Map<string, { count: number; next: number }>()
  return {
    refused: (caller, now) => {
      if (Math.floor(now / minuteMs) !== minute) {
        minute = Math.floor(now / minuteMs)
        refusals.clear()
      }
      const name = 'key' in caller ? caller.key.id : caller.address
      let own = refusals.get(name)
      if (!own) {
        if (refusals.size >= maxCallers) return
        refusals.set(name, (own = { count: 0, next: firstTold }))
      }
      own.count += 1
      if (own.count < own.next) return
      own.next *= 10
      const who = 'key' in caller ? { keyId: caller.key.id } : { address: caller.address }
      log.warn({ ...who, refused: own.count }, 'a caller goes on sending while it is refused')
    },
  }
}
