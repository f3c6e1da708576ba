import type { ContractDocument } from '../../src/contract/document/document.ts'
import type { Node } from '../../src/contract/document/tree.ts'
import { follow as followReference, methods } from './usage.ts'

/** An operation as its contract has it, whether or not it is sound. */
export interface OperationNode {
  /** Such as `GET /pets`. */
  name: string
  path: string
  method: string
  operation: Node
  /** What stands beside the operation, for all operations of the path. */
  item: Node
  /** Where the operation stands. */
  at: readonly string[]
}

export function operationsOf({ root }: Pick<ContractDocument, 'root'>): OperationNode[] {
  return entriesOf(root.paths).flatMap(([path, item]) =>
    [...methods].flatMap((method) => {
      const operation = isNode(item) ? item[method] : undefined
      if (!isNode(item) || !isNode(operation)) return []
      return { name: `${method.toUpperCase()} ${path}`, path, method, operation, item, at: ['paths', path, method] }
    }),
  )
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names and values of what may be a mapping. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isNode(value) ? Object.entries(value) : []
}

/** A value with its place, and for a local `$ref` what it leads to; undefined when that is nothing or no mapping. */
export function follow(
  root: unknown,
  value: unknown,
  at: readonly string[],
): { node: Node; at: readonly string[] } | undefined {
  try {
    const spot = followReference(root, { at, value })
    return isNode(spot.value) ? { node: spot.value, at: spot.at } : undefined
  } catch {
    // it leads round in a circle
    return undefined
  }
}

/** Visits a value and all it holds, through local references, each place once. */
export function reach(
  root: unknown,
  start: unknown,
  at: readonly string[],
  visit: (node: Node, at: readonly string[]) => void,
  seen = new Set<object>(),
): void {
  if (Array.isArray(start)) {
    for (const [index, item] of start.entries()) reach(root, item, [...at, String(index)], visit, seen)
    return
  }
  const found = follow(root, start, at)
  if (!found || seen.has(found.node)) return
  seen.add(found.node)
  visit(found.node, found.at)
  const namesProperties = found.at.at(-1) === 'properties'
  for (const [key, child] of Object.entries(found.node)) {
    const isData = key.startsWith('x-') || key === 'example' || key === 'examples'
    if (namesProperties || !isData) reach(root, child, [...found.at, key], visit, seen)
  }
}
