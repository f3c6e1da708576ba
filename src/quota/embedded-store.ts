import type { IncrementResponse, Store } from 'express-rate-limit'

/** Callers remembered in one window. Over it the oldest is forgotten, and so starts anew. */
const maxKeys = 200_000
const maxAddresses = 50_000

/** Marks a caller that is a network address and not a key. */
export const addressMark = 'ip:'

/** A count as it is kept: how many requests a caller was charged in a window, by the window's number. */
export interface Count {
  window: number
  caller: string
  count: number
}

interface Window {
  number: number
  keys: Map<string, number>
  addresses: Map<string, number>
}

/**
 * Counts in this process, as a store of express-rate-limit. Its keys are `WINDOW:CALLER`, with the number of the
 * window. `increment` is synchronous and gives a fresh object: the library's own store gives away its live record,
 * and so refuses pipelined requests wrongly. Two windows are kept, so that a clock that steps over a window's edge and
 * back loses nothing, and whichever way it steps nobody waits longer than a window.
 */
export class EmbeddedStore implements Store {
  readonly localKeys = true
  #windows: Window[] = []
  readonly #changed = new Set<string>()

  increment(key: string): IncrementResponse {
    const totalHits = this.count(key) + 1
    this.set(key, totalHits)
    return { totalHits, resetTime: undefined }
  }

  decrement(key: string): void {
    const count = this.count(key)
    if (count > 0) this.set(key, count - 1)
  }

  resetKey(key: string): void {
    this.set(key, 0)
  }

  count(key: string): number {
    const [number, caller] = split(key)
    const window = this.#windows.find((one) => one.number === number)
    return (window && callersOf(window, caller).get(caller)) ?? 0
  }

  set(key: string, count: number): void {
    const [number, caller] = split(key)
    const callers = callersOf(this.#window(number), caller)
    callers.set(caller, count)
    if (callers.size > (caller.startsWith(addressMark) ? maxAddresses : maxKeys)) {
      const oldest = callers.keys().next()
      if (!oldest.done) callers.delete(oldest.value)
    }
    this.#changed.add(key)
  }

  /** The counts of the newest window that changed since the last call. */
  takeChanges(): Count[] {
    const changes = Array.from(this.#changed, (key): Count => {
      const [window, caller] = split(key)
      return { window, caller, count: this.count(key) }
    })
    this.#changed.clear()
    return changes.filter(({ window }) => window === this.#windows[0]?.number)
  }

  /** Takes back changes that could not be stored. */
  keepChanges(changes: readonly Count[]): void {
    for (const { window, caller } of changes) this.#changed.add(`${window}:${caller}`)
  }

  #window(number: number): Window {
    const known = this.#windows.find((one) => one.number === number)
    if (known) return known
    const fresh = { number, keys: new Map<string, number>(), addresses: new Map<string, number>() }
    // of two windows, the one nearer to the new one may still get late requests
    const [nearest] = this.#windows.toSorted((a, b) => Math.abs(a.number - number) - Math.abs(b.number - number))
    this.#windows = nearest ? [fresh, nearest] : [fresh]
    for (const key of this.#changed) {
      const [changed] = split(key)
      if (!this.#windows.some((one) => one.number === changed)) this.#changed.delete(key)
    }
    return fresh
  }
}

function callersOf({ keys, addresses }: Window, caller: string): Map<string, number> {
  return caller.startsWith(addressMark) ? addresses : keys
}

function split(key: string): [number, string] {
  const colon = key.indexOf(':')
  return [Number(key.slice(0, colon)), key.slice(colon + 1)]
}
