import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyStore } from '../store/store.ts'

const dayMs = 86_400_000
/** How long uses are gathered before they are stored, in ms. */
const gatherMs = 1000
/** The most keys that are stored at a time: the rest waits for the next time. */
const maxStored = 500

/** Stores on which day a key was used last, behind the requests, once for each key and day. */
export interface LastUse {
  /** Notes that a valid key was looked up now, in Unix time in ms. `lastUsedAt` is what the store has of it. */
  note: (key: { id: string; lastUsedAt: number | undefined }, now: number) => void
  /** Stores what is noted, and waits a second at most for a store that does not answer. */
  close: () => Promise<void>
}

/**
 * `onFault` hears when uses cannot be stored, once until they can be again. Such a use is noted again when its key is
 * looked up again.
 */
export function lastUse(keys: Pick<KeyStore, 'used'>, onFault: (error: unknown) => void): LastUse {
  /** The day of the last use, by the id of the key. */
  let noted = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let failing = false

  async function store(max: number): Promise<void> {
    timer = undefined
    const taken = [...noted].slice(0, max)
    noted = new Map([...noted].slice(max))
    if (noted.size > 0) later()
    const days = new Set(taken.map(([, day]) => day))
    try {
      for (const day of days) {
        await keys.used(
          taken.flatMap(([id, of]) => (of === day ? id : [])),
          day,
        )
      }
      failing = false
    } catch (error) {
      if (!failing) onFault(error)
      failing = true
    }
  }

  function later(): void {
    timer ??= setTimeout(() => void store(maxStored), gatherMs).unref()
  }

  return {
    note: ({ id, lastUsedAt = 0 }, now) => {
      const day = Math.floor(now / dayMs) * dayMs
      if (day <= lastUsedAt) return
      noted.set(id, day)
      later()
    },
    close: async () => {
      clearTimeout(timer)
      await Promise.race([store(Infinity), sleep(1000, undefined, { ref: false })])
    },
  }
}
