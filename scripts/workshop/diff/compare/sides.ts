import type { ContractDocument } from '../../../../src/contract/model/files/document.ts'
import { requireReferences } from '../../../../src/contract/rules/references.ts'
import {
  listOf,
  nodeOf,
  operationsOf,
  type Node,
  type OperationNode,
  type Path,
} from '../../../../src/contract/model/tree.ts'

/** An operation of one of two contracts that are compared. */
export interface PairedOperation extends OperationNode {
  /** Its name in the older contract, which may have another path for it. */
  key: string
}

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
  const all = operationsOf(document.root)
  const named = new Set(all.map(({ name }) => name))
  const left = [...(before?.operations.values() ?? [])].filter(({ name }) => !named.has(name))
  const byShape = new Map(left.map((operation) => [shapeOf(operation.name), operation.key]))
  const byAddress =
    before && new Map(left.map((operation) => [absolute(before.document.root, operation), operation.key]))
  const taken = new Set<string>()
  const keyOf = (operation: OperationNode): string => {
    if (before?.operations.has(operation.name)) return operation.name
    const candidates = [byShape.get(shapeOf(operation.name)), byAddress?.get(absolute(document.root, operation))]
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

/** The servers of an operation, with their paths in the contract: its own, else those of its path, else those of all. */
export function serversOf(root: unknown, { operation, item, at }: OperationNode): { server: Node; at: Path }[] {
  const levels: [unknown, Path][] = [
    [operation.servers, at],
    [item.servers, at.slice(0, -1)],
    [nodeOf(root).servers, []],
  ]
  const [servers, owner] = levels.find(([list]) => listOf(list).length > 0) ?? [[{ url: '/' }], []]
  return listOf(servers).map((server, index) => ({ server: nodeOf(server), at: [...owner, 'servers', String(index)] }))
}

/** The address of a server with the defaults of its variables, without a slash at the end. */
export function addressOf({ url, variables }: Node): string {
  return String(url)
    .replaceAll(/\{([^}]*)\}/g, (_, name: string) => String(nodeOf(nodeOf(variables)[name]).default))
    .replace(/\/+$/, '')
}

/** The method and the path of an operation with the path of its first server. */
function absolute(root: unknown, operation: OperationNode): string {
  const [first] = serversOf(root, operation)
  const path = addressOf(first?.server ?? { url: '' }).replace(/^[a-z+.-]*:\/\/[^/]*/i, '')
  return `${operation.method} ${shapeOf(path + operation.path)}`
}
