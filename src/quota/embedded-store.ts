import type { IncrementResponse, Store } from 'express-rate-limit'
import type { Count } from '../store/store.ts'

/** Callers surely remembered in one window. Over it those that were silent longest are forgotten, and so start anew. */
const maxKeys = 200_000
const maxAddresses = 10_000

/** Marks a caller that is a network address and not a key. */
export const addressMark = 'ip:'

/**
 * Counts in this process, as a store of express-rate-limit. Its keys are `WINDOW:CALLER`, with the number of the
 * window. `increment` is synchronous and gives a fresh object: the library's own store gives away its live record,
 * and so refuses pipelined requests wrongly. Two windows are kept, so that a clock that steps over a window's edge and
 * back loses nothing, and whichever way it steps nobody waits longer than a window.
 */
export class EmbeddedStore implements Store {
  #window = new Window(NaN)
  #other = new Window(NaN)
  readonly #changed = new Set<string>()
  readonly #tracked: boolean

  /** `tracked`: remember which counts of keys change, for `takeChanges`. */
  constructor({ tracked }: { tracked: boolean }) {
    this.#tracked = tracked
  }

  increment(key: string): IncrementResponse {
    return { totalHits: this.#add(key, 1), resetTime: undefined }
  }

  decrement(key: string): void {
    this.#add(key, -1)
  }

  resetKey(key: string): void {
    this.set(key, 0)
  }

  count(key: string): number {
    return this.#known(windowOf(key))?.counts(key).get(key) ?? 0
  }

  set(key: string, count: number): void {
    this.#at(windowOf(key)).counts(key).set(key, count)
    this.#track(key)
  }

  /** The counts of keys in the newest window that changed since the last call. */
  takeChanges(): Count[] {
    const changes = Array.from(this.#changed, (key): Count => {
      return { window: windowOf(key), caller: key.slice(key.indexOf(':') + 1), count: this.count(key) }
    })
    this.#changed.clear()
    return changes.filter(({ window }) => window === this.#window.number)
  }

  /** Takes back changes that could not be stored. */
  keepChanges(changes: readonly Count[]): void {
    for (const { window, caller } of changes) this.#changed.add(`${window}:${caller}`)
  }

  #add(key: string, change: number): number {
    const counts = this.#at(windowOf(key)).counts(key)
    const count = Math.max(0, counts.get(key) + change)
    counts.set(key, count)
    this.#track(key)
    return count
  }

  #track(key: string): void {
    if (this.#tracked && !isAddress(key)) this.#changed.add(key)
  }

  /** The window with this number; a new one takes the place of the one that is further from it. */
  #at(number: number): Window {
    const known = this.#known(number)
    if (known) return known
    const keepsOther = Math.abs(this.#other.number - number) < Math.abs(this.#window.number - number)
    if (!keepsOther) this.#other = this.#window
    this.#window = new Window(number)
    return this.#window
  }

  #known(number: number): Window | undefined {
    if (number === this.#window.number) return this.#window
    return number === this.#other.number ? this.#other : undefined
  }
}

class Window {
  readonly number: number
  readonly #keys = new Generations(maxKeys)
  readonly #addresses = new Generations(maxAddresses)

  constructor(number: number) {
    this.number = number
  }

  /** Keys have room of their own, which no crowd of addresses can take. */
  counts(key: string): Generations {
    return isAddress(key) ? this.#addresses : this.#keys
  }
}

/** Counts in two generations: when the young one is full it becomes the old one, which is forgotten. */
class Generations {
  #young = new Map<string, number>()
  #old = new Map<string, number>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): number {
    return this.#young.get(key) ?? this.#old.get(key) ?? 0
  }

  set(key: string, count: number): void {
    if (this.#young.size >= this.#max && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, count)
  }
}

function windowOf(key: string): number {
  return Number(key.slice(0, key.indexOf(':')))
}

function isAddress(key: string): boolean {
  return key.startsWith(addressMark, key.indexOf(':') + 1)
}
