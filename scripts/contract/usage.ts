import type { ContractDocument } from '../../src/contract/document/document.ts'
import { keyedByName, type Node } from '../../src/contract/document/tree.ts'

/** Keys from the root of a contract to something in it. */
export type Path = readonly string[]

/** Something in a contract and where it stands. */
export interface Spot {
  at: Path
  value: unknown
}

export interface Operation {
  /** As messages call it: `GET /pets/{petId}`. */
  name: string
  /** Its name in the older of two contracts, which may have other names for the path parameters. */
  key: string
  /** The path as the contract writes it. */
  path: string
  at: Path
  value: Node
}

export type Direction = 'request' | 'response'

/** The keys of the operations that use something, and whether in their requests or responses. */
export interface Reached {
  keys: ReadonlySet<string>
  directions: ReadonlySet<Direction>
}

/** A contract, its operations, and which of them use what. */
export interface Side {
  document: ContractDocument
  operations: ReadonlyMap<string, Operation>
  reach: (path: Path) => Reached
}

/** The keys of a path's operations. */
export const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/** Under these keys an object's own keys are names and not keywords. */
export const named = new Set([
  ...keyedByName,
  ...['requestBodies', 'securitySchemes', 'callbacks', 'links', 'encoding', 'variables', 'mapping', 'scopes'],
])

/** Under these keys stands data of the contract's author. Variables and mappings are read here, as names with values. */
const data = new Set(['example', 'examples', 'default', 'enum'])

/**
 * Reads what a contract's operations are and use; they get the keys of the same operations in the contract `before`.
 * A $ref that leads nowhere throws an error that names its place.
 */
export function sideOf(document: ContractDocument, before?: Side): Side {
  checkReferences(document)
  const { root } = document
  const operations = operationsOf(root, before?.operations)
  return { document, operations, reach: reachOf(root, [...operations.values()]) }
}

function operationsOf(root: unknown, before = new Map<string, Operation>() as Side['operations']): Side['operations'] {
  const all = Object.entries(nodeOf(nodeOf(root).paths)).flatMap(([path, item]) => {
    const { at, value } = follow(root, { at: ['paths', path], value: item })
    return Object.entries(nodeOf(value)).flatMap(([method, operation]) => {
      if (!methods.has(method)) return []
      const name = `${method.toUpperCase()} ${path}`
      return [{ name, key: name, path, at: [...at, method], value: nodeOf(operation) }]
    })
  })
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

/** What stays of a name when the path parameters get other names. */
function shapeOf(name: string): string {
  return name.replaceAll(/\{[^}]*\}/g, '{}')
}

function reachOf(root: unknown, operations: readonly Operation[]): Side['reach'] {
  const used = new Map<string, Map<string, Set<Direction>>>()
  const targets = new Map<string, string[]>()
  const security = nodeOf(root).security

  const use = (pointer: string, key: string, direction: Direction): boolean => {
    const users = entry(used, pointer, () => new Map<string, Set<Direction>>())
    const directions = entry(users, key, () => new Set<Direction>())
    if (directions.has(direction)) return false
    directions.add(direction)
    return true
  }
  const spread = (value: unknown, key: string, direction: Direction): void => {
    const open = referencesIn(value)
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      const target = locate(root, referencePath(reference))
      const pointer = pointerOf(target.at)
      if (!use(pointer, key, direction)) continue
      open.push(...entry(targets, pointer, () => referencesIn(target.value)))
    }
  }
  for (const { key, at, value } of operations) {
    const { responses, ...request } = value
    spread(nodeOf(locate(root, at.slice(0, -1)).value).parameters, key, 'request')
    spread(request, key, 'request')
    spread(responses, key, 'response')
    for (const requirement of listOf(value.security ?? security)) {
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

/** Whether a place is in the operation itself, or in what every operation or every one of its path has. */
function isWithin([first, path, method]: Path, { at, value }: Operation): boolean {
  if (first === 'servers') return value.servers === undefined
  if (first === 'security') return value.security === undefined
  if (first !== 'paths' || path !== at[1]) return false
  return method === undefined || method === at[2] || !methods.has(method)
}

function checkReferences({ root, place }: ContractDocument): void {
  visitReferences(root, [], (reference, path) => {
    const said = `${place([...path, '$ref'])} The $ref ${JSON.stringify(reference)}`
    if (!reference.startsWith('#'))
      throw new Error(`${said} leads out of this file; only those within it are followed.`)
    let found: unknown
    try {
      found = follow(root, { at: path, value: { $ref: reference } }).value
    } catch {
      throw new Error(`${said} leads round in a circle.`)
    }
    if (found === undefined) throw new Error(`${said} leads nowhere.`)
  })
}

function referencesIn(value: unknown): string[] {
  const references: string[] = []
  visitReferences(value, [], (reference) => references.push(reference))
  return references
}

function visitReferences(
  value: unknown,
  path: Path,
  visit: (reference: string, path: Path) => void,
  keysAreNames = false,
): void {
  if (typeof value !== 'object' || value === null) return
  if (!keysAreNames && isReference(value)) {
    visit(value.$ref, path)
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (!keysAreNames && (data.has(key) || key.startsWith('x-'))) continue
    visitReferences(child, [...path, key], visit, !keysAreNames && named.has(key) && !Array.isArray(child))
  }
}

/** Where a path leads when the references on its way are followed; beyond its end there is undefined. */
export function locate(root: unknown, path: Path, hops = 0): Spot {
  let spot: Spot = { at: [], value: root }
  for (const key of path) {
    const { at, value } = follow(root, spot, hops)
    spot = { at: [...at, key], value: Object.hasOwn(nodeOf(value), key) ? nodeOf(value)[key] : undefined }
  }
  return spot
}

/** What a spot refers to in the end, or the spot itself. */
export function follow(root: unknown, spot: Spot, hops = 0): Spot {
  if (!isReference(spot.value)) return spot
  if (hops > 100) throw new Error('A $ref leads round in a circle.')
  return follow(root, locate(root, referencePath(spot.value.$ref), hops + 1), hops + 1)
}

export function isReference(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/** The keys of a JSON pointer such as `#/paths/~1pets`. */
export function pathOf(pointer: string): string[] {
  const keys = pointer.replace(/^#?\/?/, '')
  return keys === '' ? [] : keys.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function pointerOf(path: Path): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** In a reference the pointer is a fragment of a URL (RFC 6901, section 6). */
function referencePath(reference: string): string[] {
  try {
    return pathOf(decodeURIComponent(reference))
  } catch {
    return pathOf(reference)
  }
}

/** A value as an object, empty when it is none. Lists have their indexes as keys. */
export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, fresh: () => Value): Value {
  const present = map.get(key)
  if (present !== undefined) return present
  const value = fresh()
  map.set(key, value)
  return value
}
