/** A node of a contract: an object whose keys are keywords of OpenAPI. */
export type Node = Record<string, unknown>

/** The keys from the root of a contract to a value in it. */
export type Path = readonly string[]

/** A value in a contract, with its path. */
export interface Spot {
  at: Path
  value: unknown
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

export const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

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

/**
 * A value if it is a node, or the node that it refers to. Undefined if there is none, also for a reference that leads
 * nowhere or round in a circle.
 */
export function targetOf(root: unknown, value: unknown, at: Path = []): { node: Node; at: Path } | undefined {
  try {
    const target = follow(root, { at, value })
    return isNode(target.value) ? { node: target.value, at: target.at } : undefined
  } catch {
    return undefined
  }
}

/**
 * The value that a reference leads to in the end, or the given value if it is none. Throws for a circle of references.
 */
export function follow(root: unknown, spot: Spot, open: readonly string[] = []): Spot {
  if (!isReference(spot.value)) return spot
  const reference = spot.value.$ref
  if (open.includes(reference)) throw new Error(`The $ref ${JSON.stringify(reference)} leads round in a circle.`)
  const followed = [...open, reference]
  return follow(root, locate(root, pathOfReference(reference), followed), followed)
}

/**
 * The value at a path, following references on the way but not the last one; undefined where the path does not exist.
 */
export function locate(root: unknown, path: Path, open: readonly string[] = []): Spot {
  let spot: Spot = { at: [], value: root }
  for (const key of path) {
    const { at, value } = follow(root, spot, open)
    spot = { at: [...at, key], value: Object.hasOwn(nodeOf(value), key) ? nodeOf(value)[key] : undefined }
  }
  return spot
}

export function isReference(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/** The keys of a JSON pointer such as `/paths/~1pets` (RFC 6901), or `#/paths/~1pets`. */
export function pathOf(pointer: string): string[] {
  const keys = pointer.replace(/^#?\/?/, '')
  return keys === '' ? [] : keys.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function pointerOf(path: Path): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The path in a reference, whose pointer may be percent-encoded as the fragment of a URL (RFC 6901, section 6). */
export function pathOfReference(reference: string): string[] {
  try {
    return pathOf(decodeURIComponent(reference))
  } catch {
    return pathOf(reference)
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. The keys of a list are its indexes. */
export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}

/** The keys and values of a value that may be a mapping. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isNode(value) ? Object.entries(value) : []
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
