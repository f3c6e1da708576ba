import { methods, type Kind } from './grammar.ts'
import { entriesOf, isNode, nodeOf, type Node, type Path, type Spot } from './node.ts'
import { isReference, targetOf } from './reference.ts'
import { visit as visitParts_ } from './visit.ts'

export * from './node.ts'
export * from './reference.ts'
export { methods }

export function visitParts(root: unknown, enter: (part: Node, kind: Kind, at: Path) => void): void {
  visitParts_(root, ({ node, kind, at }) => {
    enter(node, kind, at)
  })
}

/** An operation as the contract has it, which may be invalid. */
export interface OperationNode {
  /** The name in messages: `GET /pets/{petId}`. */
  name: string
  path: string
  method: string
  operation: Node
  /** The path item with the operation, and with what all operations of the path share. */
  item: Node
  at: Path
}

/** Keywords whose value is a mapping from names, not from keywords. */
export const keyedByName = new Set([
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'links', 'callbacks', 'properties', 'mapping'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'scopes', 'variables'],
  ...['webhooks', 'pathItems', 'patternProperties', 'dependentSchemas', '$defs'],
])

/** Keywords whose value is data, which may look like a part of the contract. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const'])

type Visit = (node: Node, at: Path) => void

/** Visits each node in a value, parents first. Keys beside a `$ref` are ignored, as OpenAPI 3.0 says. */
export function walk(start: Spot, visit: Visit): void {
  descend(start, false, (node, at) => {
    visit(node, at)
    return !isReference(node)
  })
}

/**
 * Visits each node in a value and behind its references, parents first. Nodes in `seen` are skipped, and added to it.
 */
export function walkThrough(root: unknown, start: Spot, visit: Visit, seen: Set<Node>): void {
  const enter = (node: Node, at: Path): boolean => {
    if (isReference(node)) {
      const target = targetOf(root, node, at)
      if (target) descend({ at: target.at, value: target.node }, false, enter)
      return false
    }
    if (seen.has(node)) return false
    seen.add(node)
    visit(node, at)
    return true
  }
  descend(start, false, enter)
}

/** `enter` returns whether to visit the nodes in a node. */
function descend({ at, value }: Spot, keysAreNames: boolean, enter: (node: Node, at: Path) => boolean): void {
  if (typeof value !== 'object' || value === null) return
  const hasKeywords = !keysAreNames && !Array.isArray(value)
  if (hasKeywords && !enter(value as Node, at)) return
  for (const [key, child] of Object.entries(value) as [string, unknown][]) {
    if (hasKeywords && (data.has(key) || key.startsWith('x-'))) continue
    const named = hasKeywords && keyedByName.has(key) && !Array.isArray(child)
    descend({ at: [...at, key], value: child }, named, enter)
  }
}

/** The operations of a contract in its order, also those behind a `$ref` of a path. */
export function operationsOf(root: unknown): OperationNode[] {
  return entriesOf(nodeOf(root).paths).flatMap(([path, value]) => {
    const item = targetOf(root, value, ['paths', path])
    return entriesOf(item?.node).flatMap(([method, operation]) => {
      if (!item || !methods.has(method) || !isNode(operation)) return []
      const name = `${method.toUpperCase()} ${path}`
      return { name, path, method, operation, item: item.node, at: [...item.at, method] }
    })
  })
}

/** A reference, with the path of its node, and with the keys beside it. */
export interface FoundReference {
  node: unknown
  reference: string
  at: Path
  siblings: string[]
}

/** The references in a value. What looks like one in an example, an extension and the like is data. */
export function referencesIn(start: Spot): FoundReference[] {
  const found: FoundReference[] = []
  const add = (node: unknown, at: Path): void => {
    if (!isReference(node)) return
    found.push({ node, reference: node.$ref, at, siblings: Object.keys(node).filter((key) => key !== '$ref') })
  }
  walk(start, (node, at) => {
    add(node, at)
    // an example by name may be a reference; what it says is data
    for (const [name, example] of entriesOf(node.examples)) add(example, [...at, 'examples', name])
  })
  return found
}
