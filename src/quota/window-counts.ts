import type { Count } from '../store/store.ts'

/** Callers whose counts of one window are surely kept. Beyond it the least recent ones are dropped, and start at 0. */
const maxKeys = 200_000
const maxAddresses = 10_000

/** Prefix of a caller that is a network address and not a key. */
export const addressMark = 'ip:'

/** The requests of a caller in a window. */
export interface Tally {
  readonly window: number
  readonly caller: string
  used: number
  /** Whether it is among the changes. */
  isChanged: boolean
}

/**
 * Counts of callers in windows, which have numbers. Two windows are kept: a clock that steps back over the edge of a
 * window loses no count, and no caller waits longer than a window.
 */
export class WindowCounts {
  #window = new Window(NaN)
  #other = new Window(NaN)
  #changed: Tally[] = []
  readonly #tracked: boolean

  /** `tracked`: record which counts of keys change, for `takeChanges`. */
  constructor({ tracked }: { tracked: boolean }) {
    this.#tracked = tracked
  }

  count(window: number, caller: string): number {
    return this.#known(window)?.tallies(caller).get(caller)?.used ?? 0
  }

  set(window: number, caller: string, used: number): void {
    this.change(this.tally(window, caller), used)
  }

  /** The tally of a caller, to be changed by `change`. */
  tally(window: number, caller: string): Tally {
    const tallies = this.#at(window).tallies(caller)
    const known = tallies.get(caller)
    if (known) return known
    const made = { window, caller, used: 0, isChanged: false }
    tallies.set(caller, made)
    return made
  }

  change(tally: Tally, used: number): void {
    tally.used = used
    if (!this.#tracked || tally.isChanged || tally.caller.startsWith(addressMark)) return
    tally.isChanged = true
    this.#changed.push(tally)
  }

  /** The counts of keys in the newest window that have changed since the last call. */
  takeChanges(): Count[] {
    const changed = this.#changed
    this.#changed = []
    for (const tally of changed) tally.isChanged = false
    return changed
      .filter(({ window }) => window === this.#window.number)
      .map(({ window, caller, used }) => ({ window, caller, count: used }))
  }

  /** Returns changes that could not be stored; the next `takeChanges` has them again. */
  keepChanges(changes: readonly Count[]): void {
    for (const { window, caller } of changes) {
      const tally = this.#known(window)?.tallies(caller).get(caller)
      if (tally) this.change(tally, tally.used)
    }
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
  tallies(caller: string): Generations {
    return caller.startsWith(addressMark) ? this.#addresses : this.#keys
  }
}

/** A bounded map in two generations: when the young one is full, it replaces the old one. */
class Generations {
  #young = new Map<string, Tally>()
  #old = new Map<string, Tally>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** What is used moves to the young generation. */
  get(caller: string): Tally | undefined {
    const young = this.#young.get(caller)
    if (young) return young
    const old = this.#old.get(caller)
    if (old) this.set(caller, old)
    return old
  }

  set(caller: string, tally: Tally): void {
    if (this.#young.size >= this.#max && !this.#young.has(caller)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(caller, tally)
  }
}
