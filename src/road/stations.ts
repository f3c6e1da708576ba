import type { CompiledOperation, Contract, RawReply, ValidRequest } from '../contract/compiled.ts'
import type { Handlers } from '../contract/operation.ts'
import { messageOf } from '../failure.ts'
import type { HandlerStores, Once } from '../store/store.ts'

/** An operation with the function that answers it. */
export interface Station {
  operation: CompiledOperation
  handle: (
    request: ValidRequest & { address: string; keyId: string; once: Once | undefined; now: number },
    stores: HandlerStores,
  ) => Promise<RawReply>
}

/**
 * Pairs each operation with its handler, or with the station that `fallback` returns for it if it has none. Throws for
 * a handler without an operation, and for operations with neither, a line for each.
 */
export function stationsOf(
  { operations }: Contract,
  {
    handlers,
    fallback = withoutHandler,
  }: { handlers: Partial<Handlers>; fallback?: ((operation: CompiledOperation) => Station) | undefined },
): ReadonlyMap<string, Station> {
  // the validators guarantee the types of `operation.ts`, which the compiler cannot know
  const table = handlers as unknown as Readonly<Record<string, Station['handle'] | undefined>>
  for (const operationId of Object.keys(table)) {
    if (!operations.has(operationId)) throw new Error(`The handler ${operationId} has no operation in the contract.`)
  }
  const stations = new Map<string, Station>()
  const faults: string[] = []
  for (const operation of operations.values()) {
    const { operationId } = operation
    const handle = Object.hasOwn(table, operationId) ? table[operationId] : undefined
    try {
      stations.set(operationId, handle ? { operation, handle } : fallback(operation))
    } catch (error) {
      faults.push(messageOf(error))
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return stations
}

function withoutHandler({ operationId }: CompiledOperation): never {
  throw new Error(`The operation ${operationId} has no handler.`)
}
