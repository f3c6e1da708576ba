import { kept } from '../kept.ts'
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
  const watched: Record<string, Methods> = {}
  for (const { table, methods } of kept(tables, stores, () => tablesOf(stores))) {
    const own: Record<string, Method> = {}
    for (const { name, operation, method } of methods) own[name] = told(method, { table, operation }, onCall)
    watched[table] = own
  }
  return watched as unknown as HandlerStores
}

type Method = (...values: unknown[]) => Promise<unknown>
type Methods = Readonly<Record<string, Method>>

interface Table {
  table: string
  methods: readonly { name: string; operation: string; method: Method }[]
}

/** What traces watch, listed once for each service. */
const tables = new WeakMap<HandlerStores, readonly Table[]>()

function tablesOf(stores: HandlerStores): Table[] {
  return Object.entries(stores as object).flatMap(([table, known]: [string, unknown]) => {
    if (typeof known !== 'object') return []
    const methods = Object.entries(operations).flatMap(([name, operation]) => {
      const method = (known as Methods)[name]
      return method ? [{ name, operation, method }] : []
    })
    return [{ table, methods }]
  })
}

function told(method: Method, what: Pick<StoreCall, 'table' | 'operation'>, onCall: (call: StoreCall) => void): Method {
  return async (...values) => {
    const { table, operation } = what
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
  }
}
