import type { ContractDocument } from './document.ts'

/** A node of a contract: an object whose keys are keywords of OpenAPI. */
export type Node = Record<string, unknown>

/** Keys from the root of a contract to something in it. */
export type Path = readonly string[]

/** Something in a contract, and its path. */
export interface Spot {
  at: Path
  value: unknown
}

/** An operation as its contract has it, whether or not it is sound. */
export interface OperationNode {
  /** As messages call it: `GET /pets/{petId}`. */
  name: string
  path: string
  method: string
  operation: Node
  /** The path item that holds the operation, with what all operations of the path share. */
  item: Node
  at: Path
}

export const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/** Under these keywords an object's own keys are names and not keywords. */
export const keyedByName = new Set([
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'links', 'callbacks', 'properties', 'mapping'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'scopes', 'variables'],
])

/** Under these keywords stands data of the contract's author, which only looks like the contract. */
const data = new Set(['example', 'examples', 'default', 'enum'])

type Visit = (node: Node, at: Path) => void

/** Visits every node below a value, each before what it holds. What stands beside a `$ref` does not count (OpenAPI 3.0). */
export function walk(start: Spot, visit: Visit): void {
  descend(start, false, (node, at) => {
    visit(node, at)
    return !isReference(node)
  })
}

/** Visits every node that a value holds or refers to, each of them once, and no node that has been `seen`. */
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

/** `enter` says whether to go on to what a node holds. */
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

/** The operations of a contract, in its order. */
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

/** The references of a value, each with the path of its node. */
export function referencesIn(start: Spot): { reference: string; at: Path }[] {
  const found: { reference: string; at: Path }[] = []
  walk(start, (node, at) => {
    if (isReference(node)) found.push({ reference: node.$ref, at })
  })
  return found
}

/** Every `$ref` must lead to a part of the same document. One that does not throws an error that names its place. */
export function checkReferences({ root, place }: Pick<ContractDocument, 'root' | 'place'>): void {
  for (const { reference, at } of referencesIn({ at: [], value: root })) {
    const refuse = (what: string): never => {
      throw new Error(`${place([...at, '$ref'])} The $ref ${JSON.stringify(reference)} ${what}`)
    }
    if (!reference.startsWith('#')) refuse('leads out of this file; only those within it are followed.')
    let target: unknown
    try {
      target = follow(root, { at, value: { $ref: reference } }).value
    } catch {
      refuse('leads round in a circle.')
    }
    if (target === undefined) refuse('leads nowhere.')
  }
}

/**
 * A node, or the one that a reference leads to; undefined when it is none, or the reference leads nowhere or round in a
 * circle.
 */
export function targetOf(root: unknown, value: unknown, at: Path = []): { node: Node; at: Path } | undefined {
  try {
    const target = follow(root, { at, value })
    return isNode(target.value) ? { node: target.value, at: target.at } : undefined
  } catch {
    return undefined
  }
}

/** What a spot refers to in the end, or the spot itself. A reference that leads round in a circle throws. */
export function follow(root: unknown, spot: Spot, open: readonly string[] = []): Spot {
  if (!isReference(spot.value)) return spot
  const reference = spot.value.$ref
  if (open.includes(reference)) throw new Error(`The $ref ${JSON.stringify(reference)} leads round in a circle.`)
  const followed = [...open, reference]
  return follow(root, locate(root, pathOfReference(reference), followed), followed)
}

/** What stands at a path when the references on its way are followed; beyond the end there is undefined. */
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

/** In a reference the pointer is the fragment of a URL, and may be percent-encoded (RFC 6901, section 6). */
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

/** A value as an object, empty when it is none. Lists have their indexes as keys. */
export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}

/** Names and values of what may be a mapping. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isNode(value) ? Object.entries(value) : []
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
