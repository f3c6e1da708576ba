import type { IncrementResponse, Store } from 'express-rate-limit'
import type { Count } from '../store/store.ts'

/** Callers whose counts of one window are surely kept. Beyond it the least recent ones are dropped, and start at 0. */
const maxKeys = 200_000
const maxAddresses = 10_000

/** Prefix of a caller that is a network address and not a key. */
export const addressMark = 'ip:'

/**
 * Counters in this process, as a store of express-rate-limit. Keys are `WINDOW:CALLER`, with the number of the window.
 * `increment` is synchronous and returns a new object; the library's MemoryStore returns its mutable record and so
 * refuses pipelined requests wrongly. Two windows are kept: a clock that steps back over the edge of a window loses no
 * count, and no caller waits longer than a window.
 */
export class EmbeddedStore implements Store {
  #window = new Window(NaN)
  #other = new Window(NaN)
  readonly #changed = new Set<string>()
  readonly #tracked: boolean

  /** `tracked`: record which counts of keys change, for `takeChanges`. */
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

  /** The counts of keys in the newest window that have changed since the last call. */
  takeChanges(): Count[] {
    const changes = Array.from(this.#changed, (key): Count => {
      return { window: windowOf(key), caller: key.slice(key.indexOf(':') + 1), count: this.count(key) }
    })
    this.#changed.clear()
    return changes.filter(({ window }) => window === this.#window.number)
  }

  /** Returns changes that could not be stored; the next `takeChanges` has them again. */
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

  /** The window with this number. A new one replaces the one whose number is further away. */
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

  /** Keys and addresses have separate room, so that no number of addresses pushes out a key. */
  counts(key: string): Generations {
    return isAddress(key) ? this.#addresses : this.#keys
  }
}

/** A bounded map in two generations: when the young one is full, it replaces the old one. */
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

/** The window's number in a key. */
export function windowOf(key: string): number {
  return Number(key.slice(0, key.indexOf(':')))
}

function isAddress(key: string): boolean {
  return key.startsWith(addressMark, key.indexOf(':') + 1)
}
