import type { Key } from '../store/store.ts'

/** Who is counted: a key, or the network address of a caller without a valid one. */
export type Caller = { key: Key } | { address: string }

export interface Admission {
  admitted: boolean
  /** Headers of the answer, names and values in turn. */
  headers: readonly string[]
}

export interface Quota {
  /** Counts a request; `now` is Unix time in ms. */
  admit: (caller: Caller, now: number) => Promise<Admission>
}

/** Admits everybody. */
export function openQuota(): Quota {
  return { admit: () => Promise.resolve({ admitted: true, headers: [] }) }
}
