import type { IncrementResponse, Store } from 'express-rate-limit'
import { WindowCounts, type Tally } from './window-counts.ts'

/**
 * Counters in this process, as a store of express-rate-limit. Keys are `WINDOW:CALLER`, with the number of the window.
 * `increment` is synchronous and returns a new object; the library's MemoryStore returns its mutable record and so
 * refuses pipelined requests wrongly.
 */
export class EmbeddedStore implements Store {
  readonly #counts = new WindowCounts({ tracked: false })

  increment(key: string): IncrementResponse {
    return { totalHits: this.#add(key, 1), resetTime: undefined }
  }

  decrement(key: string): void {
    this.#add(key, -1)
  }

  resetKey(key: string): void {
    this.#counts.change(this.#tallyOf(key), 0)
  }

  #add(key: string, change: number): number {
    const tally = this.#tallyOf(key)
    this.#counts.change(tally, Math.max(0, tally.used + change))
    return tally.used
  }

  #tallyOf(key: string): Tally {
    const colon = key.indexOf(':')
    return this.#counts.tally(Number(key.slice(0, colon)), key.slice(colon + 1))
  }
}
