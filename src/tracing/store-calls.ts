import type { HandlerStores } from '../store/store.ts'
import { StoreUnavailable } from '../store/unavailable.ts'

/** A call of a store, with the times of `performance.now()`. */
export interface StoreCall {
  table: string
  operation: string
  fromMs: number
  /** Undefined while it runs. */
  toMs: number | undefined
  /** Why it failed. */
  failed: string | undefined
}

/** What the methods of a table do, in the words of SQL. */
const operations: Readonly<Record<string, string>> = {
  list: 'SELECT',
  find: 'SELECT',
  add: 'INSERT',
  addOnce: 'INSERT',
  put: 'INSERT',
  replace: 'UPDATE',
  patch: 'UPDATE',
  remove: 'DELETE',
}

/** Stores that tell of each call of a method. */
export function watchedStores(stores: HandlerStores, onCall: (call: StoreCall) => void): HandlerStores {
  const tables = Object.entries(stores as object).flatMap(([table, methods]) =>
    typeof methods === 'object' ? [[table, watched(table, methods as Methods, onCall)] as const] : [],
  )
  return Object.fromEntries(tables) as unknown as HandlerStores
}

type Methods = Readonly<Record<string, (...values: unknown[]) => Promise<unknown>>>

function watched(table: string, methods: Methods, onCall: (call: StoreCall) => void): Methods {
  const named = Object.entries(operations).flatMap(([name, operation]) => {
    const method = methods[name]
    return method ? [[name, { operation, method }] as const] : []
  })
  return Object.fromEntries(
    named.map(([name, { operation, method }]) => [
      name,
      async (...values: unknown[]) => {
        const call: StoreCall = { table, operation, fromMs: performance.now(), toMs: undefined, failed: undefined }
        onCall(call)
        try {
          return await method(...values)
        } catch (error) {
          call.failed = error instanceof StoreUnavailable ? error.reason : 'error'
          throw error
        } finally {
          call.toMs = performance.now()
        }
      },
    ]),
  )
}
