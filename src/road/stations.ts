import type { CompiledOperation, Contract, RawReply, ValidRequest } from '../contract/compiled.ts'
import type { Handlers } from '../contract/operation.ts'
import type { HandlerStores } from '../store/store.ts'

/** An operation with the function that answers it. */
export interface Station {
  operation: CompiledOperation
  handle: (
    request: ValidRequest & { address: string; keyId: string; now: number },
    stores: HandlerStores,
  ) => Promise<RawReply>
}

/**
 * Pairs each operation with its handler, or with the station that `fallback` returns for it if it has none. Throws for
 * a handler without an operation, and for an operation with neither.
 */
export function stationsOf(
  { operations }: Contract,
  {
    handlers,
    fallback,
  }: { handlers: Partial<Handlers>; fallback?: ((operation: CompiledOperation) => Station) | undefined },
): ReadonlyMap<string, Station> {
  // the validators guarantee the types of `operation.ts`, which the compiler cannot know
  const table = handlers as unknown as Readonly<Record<string, Station['handle'] | undefined>>
  for (const operationId of Object.keys(table)) {
    if (!operations.has(operationId)) throw new Error(`The handler ${operationId} has no operation in the contract.`)
  }
  return new Map(
    Array.from(operations.values(), (operation) => {
      const { operationId } = operation
      const handle = Object.hasOwn(table, operationId) ? table[operationId] : undefined
      if (handle) return [operationId, { operation, handle }]
      if (!fallback) throw new Error(`The operation ${operationId} has no handler.`)
      return [operationId, fallback(operation)]
    }),
  )
}
