import type { ContractDocument } from '../../src/contract/document/document.ts'
import {
  checkReferences,
  listOf,
  locate,
  methods,
  nodeOf,
  operationsOf,
  pathOfReference,
  pointerOf,
  referencesIn,
  type OperationNode,
  type Path,
} from '../../src/contract/document/tree.ts'

/** An operation of one of two contracts that are compared. */
export interface PairedOperation extends OperationNode {
  /** Its name in the older contract, which may have other names for the path parameters. */
  key: string
}

export type Direction = 'request' | 'response'

/** The keys of the operations that use something, and whether in their requests or responses. */
export interface Usage {
  keys: ReadonlySet<string>
  directions: ReadonlySet<Direction>
}

/** A contract, its operations by their keys, and which of them use what. */
export interface Side {
  document: ContractDocument
  operations: ReadonlyMap<string, PairedOperation>
  usage: (path: Path) => Usage
}

/**
 * Finds the operations of a contract and what they use. An operation gets the key that it has in the contract `before`.
 * A $ref that leads nowhere throws an error that begins with its place.
 */
export function sideOf(document: ContractDocument, before?: Side): Side {
  checkReferences(document)
  const { root } = document
  const operations = pairedOperations(operationsOf(root), before?.operations)
  return { document, operations, usage: usageOf(root, [...operations.values()]) }
}

function pairedOperations(
  all: readonly OperationNode[],
  before: Side['operations'] = new Map<string, PairedOperation>(),
): Side['operations'] {
  const names = new Set(all.map(({ name }) => name))
  const left = new Map([...before.keys()].filter((name) => !names.has(name)).map((name) => [shapeOf(name), name]))
  return new Map(
    all.map((operation) => {
      const shape = shapeOf(operation.name)
      const renamed = before.has(operation.name) ? undefined : left.get(shape)
      if (renamed !== undefined) left.delete(shape)
      const key = renamed ?? operation.name
      return [key, { ...operation, key }]
    }),
  )
}

/** The name without the names of its path parameters. */
function shapeOf(name: string): string {
  return name.replaceAll(/\{[^}]*\}/g, '{}')
}

function usageOf(root: unknown, operations: readonly PairedOperation[]): Side['usage'] {
  const used = new Map<string, Map<string, Set<Direction>>>()
  const targets = new Map<string, Path[]>()
  const security = nodeOf(root).security

  const use = (pointer: string, key: string, direction: Direction): boolean => {
    const users = entry(used, pointer, () => new Map<string, Set<Direction>>())
    const directions = entry(users, key, () => new Set<Direction>())
    if (directions.has(direction)) return false
    directions.add(direction)
    return true
  }
  const spread = (value: unknown, key: string, direction: Direction): void => {
    const open = pathsIn(value)
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const target = locate(root, path)
      const pointer = pointerOf(target.at)
      if (!use(pointer, key, direction)) continue
      open.push(...entry(targets, pointer, () => pathsIn(target.value)))
    }
  }
  for (const { key, operation, item } of operations) {
    const { responses, ...request } = operation
    spread(item.parameters, key, 'request')
    spread(request, key, 'request')
    for (const response of Object.values(nodeOf(responses))) spread(response, key, 'response')
    for (const requirement of listOf(operation.security ?? security)) {
      for (const name of Object.keys(nodeOf(requirement))) {
        use(pointerOf(['components', 'securitySchemes', name]), key, 'request')
      }
    }
  }

  return (path) => {
    const keys = new Set<string>()
    const directions = new Set<Direction>()
    for (const operation of operations) {
      if (!isWithin(path, operation)) continue
      keys.add(operation.key)
      directions.add(path[3] === 'responses' ? 'response' : 'request')
    }
    for (let length = 1; length <= path.length; length++) {
      for (const [key, ways] of used.get(pointerOf(path.slice(0, length))) ?? []) {
        keys.add(key)
        for (const way of ways) directions.add(way)
      }
    }
    return { keys, directions }
  }
}

/** Whether a path is inside the operation, or inside what it shares with all operations or with those of its path. */
function isWithin([first, path, method]: Path, { at, operation }: PairedOperation): boolean {
  if (first === 'servers') return operation.servers === undefined
  if (first === 'security') return operation.security === undefined
  if (first !== 'paths' || path !== at[1]) return false
  return method === undefined || method === at[2] || !methods.has(method)
}

/** Where the references of a value lead. */
function pathsIn(value: unknown): Path[] {
  return referencesIn({ at: [], value }).map(({ reference }) => pathOfReference(reference))
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, fresh: () => Value): Value {
  const present = map.get(key)
  if (present !== undefined) return present
  const value = fresh()
  map.set(key, value)
  return value
}
