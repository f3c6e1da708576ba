import type { tables } from '../../generated/tables.ts'
import type { ResourceOf } from './resource.ts'

/** What is known of an API key; the key itself is not. */
export interface Key {
  /** Names the key in logs and on the command line; not secret. */
  id: string
  plan: string
  /** Requests per minute and per day, for a plan whose limits are set per key. */
  custom: { perMinute: number; perDay: number } | undefined
  label: string | undefined
  /** Unix time in milliseconds, like every time here. */
  createdAt: number
  revokedAt: number | undefined
  /** The last ban, over or not; `level` counts the bans that followed one another, from 0. */
  ban: { until: number; level: number } | undefined
  /** The first characters of the key itself, by which people recognise it; undefined for one of an older program. */
  start: string | undefined
  /** When the key stops being valid. */
  expiresAt: number | undefined
  /** The beginning of the last day, in UTC, on which a request came with the key. */
  lastUsedAt: number | undefined
  /** What requests are counted and remembered by: the id of this key, or of the first one that it replaces. */
  account: string
}

/** What happens to an API key. */
export type KeyChangeKind = 'created' | 'expires' | 'revoked' | 'banned' | 'unbanned'

/** One change of an API key. The record of them is only ever added to. */
export interface KeyChange {
  /** The id of the key. */
  key: string
  change: KeyChangeKind
  /** Unix time in ms. */
  at: number
  /** Who made it, as far as the program knew; undefined for changes that are older than this record. */
  by: string | undefined
  /** The end that an expiry or a ban has, in Unix time in ms. */
  until: number | undefined
}

/** When something is done to a key, in Unix time in ms, and by whom; without a name by the service itself. */
export interface Act {
  at: number
  by?: string | undefined
}

/** API keys, known by the SHA-256 digest of their text. */
export interface KeyStore {
  /** A revoked key is found as well. */
  find: (digest: Buffer) => Promise<Key | undefined>
  add: (key: Key, digest: Buffer, by?: string) => Promise<void>
  /** Adds the key when there is none yet, and tells whether it did. */
  addFirst: (key: Key, digest: Buffer, by?: string) => Promise<boolean>
  /** Oldest first. */
  list: () => Promise<Key[]>
  /** Tells whether there is such a key; revoking twice keeps the first time. */
  revoke: (id: string, act: Act) => Promise<boolean>
  /** Lets the key expire at this time, if it would not expire earlier. Tells whether there is such a key. */
  expire: (id: string, until: number, act: Act) => Promise<boolean>
  /** Stores that requests came with these keys; `day` is the beginning of the day. An earlier day changes nothing. */
  used: (ids: readonly string[], day: number) => Promise<void>
  /** Resolves once the ban is on disk. */
  ban: (id: string, ban: NonNullable<Key['ban']>, act: Act) => Promise<void>
  /** Forgets the key's bans, and tells whether there is such a key. */
  unban: (id: string, act: Act) => Promise<boolean>
  /** What was done to all keys, or to the one with this id, oldest first. Each method that changes one adds to it in the same transaction. */
  changes: (id?: string) => Promise<KeyChange[]>
}

/** How many requests a caller was charged in a window, by the window's number. */
export interface Count {
  window: number
  caller: string
  count: number
}

/** Counts of requests that outlive the process. `name` is the counter's, `window` the number of a window. */
export interface CountsFile {
  /** The counts of this window. */
  load: (name: string, window: number) => Omit<Count, 'window'>[]
  /** Stores counts of one window; those of others are forgotten. */
  save: (name: string, counts: readonly Count[]) => void
  close: () => void
}

/** What handlers get: each declared table, by its name. */
export type HandlerStores = { readonly [N in keyof typeof tables]: ResourceOf<(typeof tables)[N]> }

/** What operators watch. */
export interface StoreReadings {
  /** Animals that wait for their commit. */
  waiting: number
  /** How many were refused because too many waited. */
  refused: number
  /** How often this process took its turn among those that write to the database, and how long it has waited for that. */
  turns: { count: number; waitS: number }
  /** Size of the write-ahead log of SQLite. */
  walBytes: number
  /** What the disk still takes; undefined when that is not known here. */
  freeBytes: number | undefined
  /** The connections to a server, and the statements that wait for one or got none; undefined without a server. */
  pool: { inUse: number; idle: number; waiting: number; failures: number } | undefined
}

/** Hears what operators watch of a store. */
export interface StoreWatch {
  /** Returns what hears how long each run of a statement took, in ms. */
  statement: (operation: string, table: string) => (ms: number) => void
}

export interface Stores extends HandlerStores {
  keys: KeyStore
  readings: () => StoreReadings
  /** The id of this store, the same for all processes that use it and another one for every other store. */
  installation: () => Promise<string>
  /** Resolves when the engine answers. */
  ping: () => Promise<void>
  /** Finishes what was accepted and closes. */
  close: () => Promise<void>
}
