import type { DeclaredTable } from './table.ts'

/** Names a request, so that its repetition is known. */
export interface Once {
  /** The id of the API key. */
  caller: string
  /** The client's Idempotency-Key. */
  key: string
  /** The SHA-256 digest of what the request asks for. */
  digest: Buffer
  /** Unix time in ms; a name is remembered for `rememberedMs`. */
  now: number
}

/** How long an Idempotency-Key is remembered, in ms. */
export const rememberedMs = 86_400_000

/** A row as a request left it, and whether an earlier one with the same name did. */
export interface Written<Row> {
  row: Row
  replayed: boolean
}

/** A row that was put, and whether there was none with its key before. */
export interface Put<Row> extends Written<Row> {
  created: boolean
}

/** What a change may depend on. `There` is what it may find. */
export interface ChangeOptions<Row, There = Row> {
  /** The name of the request. The same request gets what it got before, whatever became of the row. */
  once?: Once | undefined
  /** Whether the row as it is may be changed. Otherwise the change is refused with `changed`. */
  when?: ((row: There) => boolean) | undefined
}

/** What a change of some values may depend on. */
export interface PatchOptions<Row> extends ChangeOptions<Row> {
  /** Whether the row as it would be is allowed. Otherwise the change is refused with `unfit`. */
  fits?: ((row: Row) => boolean) | undefined
}

/** Why a row is not written. */
export type Refusal =
  /** The name of the request stands for another one. */
  | 'other request'
  /** A row with this key, or with values that no two rows share, is there already. */
  | 'taken'
  /** The row points to one that is not there. */
  | 'dangling'
  /** Another row points to this one. */
  | 'referenced'
  /** The row is not as the request expects it. */
  | 'changed'
  /** The change would leave the row without a value that it must have, or is not allowed. */
  | 'unfit'
  /** A text has U+0000, which PostgreSQL cannot store, so no engine does; or it is too long for an index of PostgreSQL. */
  | 'unstorable'

/** The store does as it should, and does not write what a request asks for. */
export class StoreRefusal extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`The store refuses to write: ${refusal}.`)
    this.refusal = refusal
  }
}

/** At most `limit` rows, in the order of their keys, or of a column and then of their keys. */
export type Listing<Row, K extends keyof Row, F extends keyof Row, O extends keyof Row> = {
  limit: number
} & (
  | { order?: undefined; /** The key of the last row before. */ after?: Row[K] | undefined }
  | { [P in O]: { order: P; /** The last row before: its value and its key. */ after?: readonly [Row[P], Row[K]] } }[O]
) & { [P in F]?: Row[P] | undefined }

/** JSON Merge Patch (RFC 7396). */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [P in keyof T]?: MergePatch<T[P]> | null }
    : T

/** The rows of a table. Every method rejects with `StoreUnavailable` or `StoreRefusal`. */
export interface Resource<Row, K extends keyof Row, F extends keyof Row, O extends keyof Row, New> {
  find: (key: Row[K]) => Promise<Row | undefined>
  list: (query: Listing<Row, K, F, O>) => Promise<Row[]>
  /** Resolves once the row is on disk. */
  add: (row: New) => Promise<Row>
  /**
   * Adds a row together with the request's name. While the name is remembered nothing is added: the same request gets the
   * row as it was added, whatever became of it, and one that asks for something else is refused.
   */
  addOnce: (row: New, once: Once) => Promise<Written<Row>>
  /** Puts a row in the place of the one with its key. Undefined when there is none. */
  replace: (row: Row, options?: ChangeOptions<Row>) => Promise<Written<Row> | undefined>
  /** Puts a row in the place of the one with its key, or adds it when there is none. */
  put: (row: New, options?: ChangeOptions<Row, Row | undefined>) => Promise<Put<Row>>
  /** Changes some values of a row. Undefined when it is not there. */
  patch: (key: Row[K], changes: MergePatch<Row>, options?: PatchOptions<Row>) => Promise<Written<Row> | undefined>
  /** Removes a row, and gives it as it was. Undefined when it is not there. */
  remove: (key: Row[K], options?: ChangeOptions<Row>) => Promise<Written<Row> | undefined>
}

/** What can be done with a declared table. A row whose key the engine gives is added, and cannot be put. */
export type ResourceOf<T> =
  T extends DeclaredTable<infer Row, infer K, infer F, infer O, infer G>
    ? G extends true
      ? Omit<Resource<Row, K & keyof Row, F & keyof Row, O & keyof Row, Omit<Row, K & keyof Row>>, 'put'>
      : Resource<Row, K & keyof Row, F & keyof Row, O & keyof Row, Row>
    : never
