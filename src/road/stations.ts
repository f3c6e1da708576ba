import { notImplemented } from '../api-error.ts'
import type { ContractRouter } from '../contract/exchange/router.ts'
import type { CompiledOperation, Contract, RawReply, ValidRequest } from '../contract/compiled.ts'
import type { Handlers } from '../contract/operation.ts'
import { messageOf } from '../failure.ts'
import type { Once } from '../store/resource.ts'
import type { HandlerStores } from '../store/store.ts'
import type { When } from './conditions.ts'

/** What a handler gets beside the values of the request. */
export interface Given {
  address: string
  keyId: string
  once: Once | undefined
  when: When | undefined
  allows: CompiledOperation['allows']
  now: number
}

/** An operation with the function that answers it. */
export interface Station extends CompiledOperation {
  handle: (request: ValidRequest & Given, stores: HandlerStores) => Promise<RawReply>
}

/**
 * The contract's router with a handler for each operation, or the station that `fallback` returns for it if it has none.
 * Throws for a handler without an operation, and for operations with neither, a line for each.
 */
export function stationsOf(
  { operations, router }: Contract,
  {
    handlers,
    fallback = withoutHandler,
  }: { handlers: Partial<Handlers>; fallback?: ((operation: CompiledOperation) => Station) | undefined },
): ContractRouter<Station> {
  // the validators guarantee the types of `operation.ts`, which the compiler cannot know
  const table = handlers as unknown as Readonly<Record<string, Station['handle'] | undefined>>
  for (const operationId of Object.keys(table)) {
    if (!operations.has(operationId)) throw new Error(`The handler ${operationId} has no operation in the contract.`)
  }
  const stations = new Map<CompiledOperation, Station>()
  const faults: string[] = []
  for (const operation of operations.values()) {
    const { operationId, unserved } = operation
    if (unserved !== undefined) continue
    const handle = Object.hasOwn(table, operationId) ? table[operationId] : undefined
    try {
      stations.set(operation, handle ? { ...operation, handle } : fallback(operation))
    } catch (error) {
      faults.push(messageOf(error))
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return router.map((operation) => stations.get(operation) ?? withoutAnswer(operation))
}

/** The station of an operation that is not served, which tells why. */
function withoutAnswer(operation: CompiledOperation): Station {
  const { unserved } = operation
  if (unserved === undefined) return withoutHandler(operation)
  return { ...operation, handle: () => Promise.reject(notImplemented(`This operation is not served: ${unserved}`)) }
}

function withoutHandler({ operationId }: CompiledOperation): never {
  throw new Error(`The operation ${operationId} has no handler.`)
}
