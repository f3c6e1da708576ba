import { entriesOf, isNode, isReference, methods, nodeOf, type Node, type Path } from './tree.ts'
import { isOfJsonSchema } from './version.ts'

/** A kind of part of a contract, as OpenAPI names it, in lower camel case. */
export type Kind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'media'
  | 'encoding'
  | 'response'
  | 'callback'
  | 'header'
  | 'example'
  | 'link'
  | 'schema'
  | 'securityScheme'

/** The kinds that components hold, with the name of their section. */
export const sections: Readonly<Partial<Record<Kind, string>>> = {
  schema: 'schemas',
  response: 'responses',
  parameter: 'parameters',
  example: 'examples',
  requestBody: 'requestBodies',
  header: 'headers',
  securityScheme: 'securitySchemes',
  link: 'links',
  callback: 'callbacks',
}

/** The parts of each kind by their keys: one part, a list of them, or `{}` for a mapping from names. */
const parts: Readonly<Record<Kind, Readonly<Record<string, Kind | `${Kind}{}`>>>> = {
  document: { paths: 'pathItem{}', webhooks: 'pathItem{}', components: 'components' },
  components: {
    ...Object.fromEntries(Object.entries(sections).map(([kind, section]) => [section, `${kind as Kind}{}` as const])),
    pathItems: 'pathItem{}',
    mediaTypes: 'media{}',
  },
  pathItem: {
    ...Object.fromEntries([...methods, 'query'].map((method) => [method, 'operation' as const])),
    additionalOperations: 'operation{}',
    parameters: 'parameter',
  },
  operation: {
    parameters: 'parameter',
    requestBody: 'requestBody',
    responses: 'response{}',
    callbacks: 'callback{}',
  },
  parameter: { schema: 'schema', content: 'media{}', examples: 'example{}' },
  header: { schema: 'schema', content: 'media{}', examples: 'example{}' },
  requestBody: { content: 'media{}' },
  response: { headers: 'header{}', content: 'media{}', links: 'link{}' },
  media: { schema: 'schema', itemSchema: 'schema', examples: 'example{}', encoding: 'encoding{}' },
  encoding: { headers: 'header{}' },
  callback: {},
  example: {},
  link: {},
  securityScheme: {},
  schema: {
    ...Object.fromEntries(
      ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas'].map((key) => [
        key,
        'schema{}' as const,
      ]),
    ),
    ...Object.fromEntries(
      [
        ...['items', 'prefixItems', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
        ...['contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
      ].map((key) => [key, 'schema' as const]),
    ),
  },
}

/** The parts of a node that are more than data. */
export function partsIn(node: Node, kind: Kind): { key: string; value: unknown; kind: Kind; isMap: boolean }[] {
  return Object.entries(node).flatMap(([key, value]) => {
    // the paths of a callback are its keys
    const part = kind === 'callback' && !key.startsWith('x-') ? 'pathItem' : ownOf(parts[kind], key)
    if (part === undefined) return []
    const isMap = part.endsWith('{}')
    return [{ key, value, kind: (isMap ? part.slice(0, -2) : part) as Kind, isMap }]
  })
}

/**
 * Visits each object of a contract that is more than data, parents first. Keys beside a `$ref` are ignored, except in
 * OpenAPI 3.1.
 */
export function visitParts(root: unknown, visit: (part: Node, kind: Kind, at: Path) => void): void {
  const hasSiblings = isOfJsonSchema(root)
  const enter = (value: unknown, kind: Kind, at: Path): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) enter(item, kind, [...at, String(index)])
    }
    if (!isNode(value)) return
    visit(value, kind, at)
    if (isReference(value) && !hasSiblings) return
    for (const { key, value: part, kind: of, isMap } of partsIn(value, kind)) {
      if (!isMap) enter(part, of, [...at, key])
      else for (const [name, one] of entriesOf(part)) enter(one, of, [...at, key, name])
    }
  }
  enter(root, 'document', [])
}

function ownOf<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** What stands at a place of a contract; undefined for data, and for what OpenAPI does not know. */
export interface Placed {
  kind: Kind
  /** Whether the place has one part, and not a list or mapping of parts. */
  isPart: boolean
}

/** Finds out what stands at a place. The keys of a callback are addresses, so its path items are found as well. */
export function kindAt(root: unknown, path: Path): Placed | undefined {
  let kind: Kind = 'document'
  let isMap = false
  let value: unknown = root
  for (const key of path) {
    if (isMap) isMap = false
    else if (!Array.isArray(value)) {
      const part: { kind: Kind; isMap: boolean } | undefined = partsIn({ [key]: nodeOf(value)[key] }, kind)[0]
      if (!part) return undefined
      ;({ kind, isMap } = part)
    }
    value = nodeOf(value)[key]
  }
  return { kind, isPart: !isMap && !Array.isArray(value) }
}
