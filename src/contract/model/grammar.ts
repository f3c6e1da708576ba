import { applicators } from './keywords.ts'
import type { Node } from './node.ts'
import { Value } from './value.ts'

/** The methods that a path item of OpenAPI 3.0 to 3.2 names, in lower case; 3.2 also names `query`. */
export const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

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

/** Keys that say how the parts of a body are written: by their names, and in OpenAPI 3.2 also by their positions. */
const encodings = { encoding: 'encoding{}', prefixEncoding: 'encoding', itemEncoding: 'encoding' } as const

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
  media: { schema: 'schema', itemSchema: 'schema', examples: 'example{}', ...encodings },
  encoding: { headers: 'header{}', ...encodings },
  callback: {},
  example: {},
  link: {},
  securityScheme: {},
  schema: Object.fromEntries(
    Object.entries(applicators).map(([keyword, { holds }]) => [keyword, holds === 'schema{}' ? holds : 'schema']),
  ),
}

/** Keys on which no request and no answer depends: texts for people, examples, and what is described and not sent. */
const informative: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  document: ['info', 'tags', 'externalDocs', 'webhooks'],
  components: ['examples', 'links', 'callbacks'],
  pathItem: ['summary', 'description'],
  operation: ['summary', 'description', 'tags', 'externalDocs', 'callbacks'],
  parameter: ['description', 'example', 'examples'],
  header: ['description', 'example', 'examples'],
  requestBody: ['description'],
  response: ['summary', 'description', 'links'],
  media: ['example', 'examples'],
  schema: ['title', 'description', 'externalDocs', 'example', 'examples', 'xml', 'deprecated', '$comment'],
  securityScheme: ['description', 'flows', 'openIdConnectUrl', 'oauth2MetadataUrl', 'bearerFormat', 'deprecated'],
}

/** The parts of a node that are more than data. */
export function partsIn(node: Node, kind: Kind): PartsOfKey[] {
  const known = keysOf.get(kind)
  const found: PartsOfKey[] = []
  for (const key of Object.keys(node)) {
    // the paths of a callback are its keys
    const part = kind === 'callback' && !key.startsWith('x-') ? pathItem : known?.get(key)
    if (part) found.push({ key, value: node[key], ...part })
  }
  return found
}

/** What stands under a key: one part or a list of them, or a mapping from names to them. */
interface PartsOfKey {
  key: string
  value: unknown
  kind: Kind
  isMap: boolean
}

const pathItem = { kind: 'pathItem', isMap: false } as const

const keysOf = new Map(
  Object.entries(parts).map(([kind, keys]) => {
    const read = Object.entries(keys).map(([key, part]): [string, Pick<PartsOfKey, 'kind' | 'isMap'>] => {
      const isMap = part.endsWith('{}')
      return [key, { kind: (isMap ? part.slice(0, -2) : part) as Kind, isMap }]
    })
    return [kind as Kind, new Map(read)]
  }),
)

/** The keys under which parts stand by names. */
export const mappings: readonly string[] = Object.values(parts).flatMap((keys) =>
  Object.entries(keys).flatMap(([key, part]) => (part.endsWith('{}') ? key : [])),
)

/** What stands at a place of a contract; undefined for data, and for what OpenAPI does not know. */
export interface Placed {
  kind: Kind
  /** Whether the place has one part, and not a list or mapping of parts. */
  isPart: boolean
}

/** Finds out what stands at the place of a value. The keys of a callback are addresses, so its path items are found too. */
export function placeOf({ root, at }: Pick<Value, 'root' | 'at'>): Placed | undefined {
  let kind: Kind = 'document'
  let isMap = false
  let value = root
  for (const key of at) {
    const inner = Value.of(value).get(key)
    if (isMap) isMap = false
    else if (!Array.isArray(value)) {
      const part: { kind: Kind; isMap: boolean } | undefined = partsIn({ [key]: inner }, kind)[0]
      if (!part) return undefined
      ;({ kind, isMap } = part)
    }
    value = inner
  }
  return { kind, isPart: !isMap && !Array.isArray(value) }
}

/** Whether no request and no answer depends on what stands at a place of a contract. */
export function isInformative({ root, at }: Pick<Value, 'root' | 'at'>): boolean {
  return at.some((key, index) => {
    const owner = { root, at: at.slice(0, index) }
    const placed = placeOf(owner)
    if (placed?.isPart === true) return informative[placed.kind]?.includes(key) === true
    return key === 'description' && isOfServers(owner)
  })
}

/** Whether a place is of a server, or of one of its variables. */
function isOfServers({ root, at }: Pick<Value, 'root' | 'at'>): boolean {
  const index = at.indexOf('servers')
  const depth = at.length - index
  return index >= 0 && (depth === 2 || depth === 4) && placeOf({ root, at: at.slice(0, index) })?.isPart === true
}
