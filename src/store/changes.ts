import {
  StoreRefusal,
  type ChangeOptions,
  type Once,
  type PatchOptions,
  type Put,
  type Refusal,
  type Written,
} from './resource.ts'
import type { AnyRow } from './rows.ts'
import type { AnyTable } from './table.ts'

/** A change of the row with a key. Several may be made in one transaction, one after another. */
export interface Change {
  verb: 'insert' | 'update' | 'upsert' | 'delete'
  key: unknown
  once: Once | undefined
  /**
   * Gives the row as it will be, or as it was when it is removed, by how it is. Gives why nothing is written, and undefined
   * when nothing is there.
   */
  apply: (row: AnyRow | undefined) => AnyRow | Refusal | undefined
}

/** What comes of a change. */
export type Outcome = (Written<AnyRow> & { created?: boolean }) | Refusal | undefined

export function insertion(key: unknown, row: AnyRow, once?: Once): Change {
  return { verb: 'insert', key, once, apply: (there) => (there ? 'taken' : row) }
}

export function update(
  key: unknown,
  next: (row: AnyRow) => AnyRow | Refusal,
  { once, when }: ChangeOptions<AnyRow> = {},
): Change {
  return { verb: 'update', key, once, apply: (row) => row && (when && !when(row) ? 'changed' : next(row)) }
}

export function upsertion(
  key: unknown,
  row: AnyRow,
  { once, when }: ChangeOptions<AnyRow, AnyRow | undefined> = {},
): Change {
  return { verb: 'upsert', key, once, apply: (there) => (when && !when(there) ? 'changed' : row) }
}

export function removal(key: unknown, { once, when }: ChangeOptions<AnyRow> = {}): Change {
  return { verb: 'delete', key, once, apply: (row) => row && (when && !when(row) ? 'changed' : row) }
}

/** Throws a refusal. */
export function admitted(outcome: Outcome): Written<AnyRow> | undefined {
  if (typeof outcome === 'string') throw new StoreRefusal(outcome)
  return outcome
}

/** The verbs of a resource that change a row, by the engine's `change`. */
export function changing(
  { key, columns }: AnyTable,
  change: (change: Change) => Promise<Outcome>,
): {
  replace: (row: AnyRow, options?: ChangeOptions<AnyRow>) => Promise<Written<AnyRow> | undefined>
  put: (row: AnyRow, options?: ChangeOptions<AnyRow, AnyRow | undefined>) => Promise<Put<AnyRow>>
  patch: (key: unknown, changes: unknown, options?: PatchOptions<AnyRow>) => Promise<Written<AnyRow> | undefined>
  remove: (key: unknown, options?: ChangeOptions<AnyRow>) => Promise<Written<AnyRow> | undefined>
} {
  const needed = Object.keys(columns).filter((property) => columns[property]?.optional === false)
  return {
    replace: async (row, options) => admitted(await change(update(row[key], () => row, options))),
    put: async (row, options) => {
      const put = admitted(await change(upsertion(row[key], row, options))) as Written<AnyRow>
      return { created: false, ...put }
    },
    patch: async (value, changes, { fits, ...options } = {}) => {
      const next = (row: AnyRow): AnyRow | Refusal => {
        const result: AnyRow = { ...(merged(row, changes) as AnyRow), [key]: value }
        return needed.some((property) => result[property] === undefined) || fits?.(result) === false ? 'unfit' : result
      }
      return admitted(await change(update(value, next, options)))
    },
    remove: async (value, options) => admitted(await change(removal(value, options))),
  }
}

/** Merges a patch into a value (RFC 7396). */
export function merged(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: AnyRow = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) Reflect.deleteProperty(result, name)
    // defined, since a member may be called `__proto__`
    else
      Object.defineProperty(result, name, own(merged(Object.hasOwn(result, name) ? result[name] : undefined, change)))
  }
  return result
}

function own(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}
