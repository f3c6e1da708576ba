import { methods, type Node, type Path } from './tree.ts'

/** What an object of OpenAPI is, which decides what its keys mean. */
export type Kind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'callback'
  | 'parameter'
  | 'body'
  | 'response'
  | 'media'
  | 'encoding'
  | 'schema'

type Shape = 'one' | 'list' | 'map'

/** The objects inside an object by their keys: one, a list of them, or a mapping from names to them. */
type Inside = Readonly<Record<string, readonly [Shape, Kind]>>

const each = (shape: Shape, kind: Kind, keys: Iterable<string>): Inside =>
  Object.fromEntries(Array.from(keys, (key) => [key, [shape, kind]]))

/** The kinds of objects of OpenAPI 3.1 and 3.2 that contain schemas, by the keys of their parents. */
const inside: Readonly<Record<Kind, Inside>> = {
  document: { paths: ['map', 'pathItem'], webhooks: ['map', 'pathItem'], components: ['one', 'components'] },
  components: {
    schemas: ['map', 'schema'],
    responses: ['map', 'response'],
    parameters: ['map', 'parameter'],
    headers: ['map', 'parameter'],
    requestBodies: ['map', 'body'],
    callbacks: ['map', 'callback'],
    pathItems: ['map', 'pathItem'],
    mediaTypes: ['map', 'media'],
  },
  pathItem: {
    parameters: ['list', 'parameter'],
    additionalOperations: ['map', 'operation'],
    ...each('one', 'operation', [...methods, 'query']),
  },
  operation: {
    parameters: ['list', 'parameter'],
    requestBody: ['one', 'body'],
    responses: ['map', 'response'],
    callbacks: ['map', 'callback'],
  },
  callback: {},
  parameter: { schema: ['one', 'schema'], content: ['map', 'media'] },
  body: { content: ['map', 'media'] },
  response: { headers: ['map', 'parameter'], content: ['map', 'media'] },
  media: { schema: ['one', 'schema'], itemSchema: ['one', 'schema'], encoding: ['map', 'encoding'] },
  encoding: { headers: ['map', 'parameter'] },
  schema: {
    ...each('one', 'schema', ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then']),
    ...each('one', 'schema', ['else', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema']),
    ...each('list', 'schema', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
    ...each('map', 'schema', ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']),
  },
}

/** Makes what stands in the copy for an object, or for a schema that is `true` or `false`. Its parts are made before. */
type Make = (value: Node | boolean, kind: Kind, at: Path) => unknown

/** A copy of a document of OpenAPI 3.1 or 3.2 in which each object is made anew. Objects that are shared stay shared. */
export function rewritten(root: unknown, make: Make): unknown {
  const made = new Map<string, Map<object, unknown>>()
  return of(root, 'document', [])

  function of(value: unknown, kind: Kind, at: Path): unknown {
    if (typeof value === 'boolean' && kind === 'schema') return make(value, kind, at)
    if (!isMapping(value)) return value
    const use = kind === 'media' ? `media ${at.at(-1) ?? ''}` : kind
    const known = made.get(use) ?? new Map<object, unknown>()
    made.set(use, known)
    if (known.has(value)) return known.get(value)
    const copy = Object.entries(value).map(([key, child]): [string, unknown] => [key, inKey(kind, child, [...at, key])])
    const result = make(Object.fromEntries(copy), kind, at)
    known.set(value, result)
    return result
  }

  function inKey(kind: Kind, value: unknown, at: Path): unknown {
    const key = at.at(-1) ?? ''
    if (kind === 'callback') return key.startsWith('x-') ? value : of(value, 'pathItem', at)
    const [shape, inner] = (Object.hasOwn(inside[kind], key) ? inside[kind][key] : undefined) ?? []
    if (inner === undefined) return value
    if (shape === 'one') return of(value, inner, at)
    if (shape === 'list') {
      return Array.isArray(value) ? value.map((item, index) => of(item, inner, [...at, String(index)])) : value
    }
    if (!isMapping(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, of(child, inner, [...at, name])]))
  }
}

function isMapping(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
