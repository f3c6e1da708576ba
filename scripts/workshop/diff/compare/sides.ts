import { modelOf } from '../../../../src/contract/model/model.ts'
import type { Server } from '../../../../src/contract/model/server.ts'
import type { ContractDocument } from '../../../../src/contract/model/files/document.ts'
import { requireReferences } from '../../../../src/contract/rules/references.ts'
import type { Node, Path } from '../../../../src/contract/model/node.ts'

/** An operation of one of two contracts that are compared. */
export interface PairedOperation {
  /** The name in messages: `GET /pets/{petId}`. */
  name: string
  path: string
  method: string
  operation: Node
  /** What all operations of its path share. */
  item: Node
  at: Path
  /** The servers that hold for it. */
  servers: readonly Server[]
  /** Its name in the older contract, which may have another path for it. */
  key: string
}

type OwnOperation = Omit<PairedOperation, 'key'>

export type Direction = 'request' | 'response'

/** A contract, and its operations by their keys. */
export interface Side {
  document: ContractDocument
  operations: ReadonlyMap<string, PairedOperation>
}

export interface Sides {
  base: Side
  head: Side
}

/**
 * Finds the operations of a contract. An operation gets the key that it has in the contract `before`: the one of the
 * same name, else of the same address. A $ref that leads nowhere throws an error that begins with its place.
 */
export function sideOf(document: ContractDocument, before?: Side): Side {
  requireReferences(document)
  const { operations, otherOperations } = modelOf(document)
  const all = [...operations, ...otherOperations].map(
    ({ name, path, method, node, item, at, servers }): OwnOperation => {
      return { name, path, method, operation: node, item: item.node, at, servers }
    },
  )
  const named = new Set(all.map(({ name }) => name))
  const left = [...(before?.operations.values() ?? [])].filter(({ name }) => !named.has(name))
  const byShape = new Map(left.map((operation) => [shapeOf(operation.name), operation.key]))
  const byAddress = before && new Map(left.map((operation) => [absolute(operation), operation.key]))
  const taken = new Set<string>()
  const keyOf = (operation: OwnOperation): string => {
    if (before?.operations.has(operation.name)) return operation.name
    const candidates = [byShape.get(shapeOf(operation.name)), byAddress?.get(absolute(operation))]
    const key = candidates.find((candidate) => candidate !== undefined && !taken.has(candidate)) ?? operation.name
    taken.add(key)
    return key
  }
  const paired = all.map((operation) => ({ ...operation, key: keyOf(operation) }))
  return { document, operations: new Map(paired.map((operation) => [operation.key, operation])) }
}

/** The same text with `{}` for each name in braces. */
export function shapeOf(text: string): string {
  return text.replaceAll(/\{[^}]*\}/g, '{}')
}

/** The address of a server without a slash at the end. */
export function addressOf({ address }: Server): string {
  return address.replace(/\/+$/, '')
}

/** The method and the path of an operation with the path of its first server. */
function absolute(operation: OwnOperation): string {
  const [first] = operation.servers
  const path = (first ? addressOf(first) : '').replace(/^[a-z+.-]*:\/\/[^/]*/i, '')
  return `${operation.method} ${shapeOf(path + operation.path)}`
}
