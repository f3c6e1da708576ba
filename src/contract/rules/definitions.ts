import { createRequire } from 'node:module'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Kind } from '../model/grammar.ts'
import { entriesOf, isNode, listOf, nodeOf, type Node } from '../model/node.ts'

/** OpenAPI's own JSON Schema of a kind of part, for the part alone: the parts in it are judged by their own. */
export interface Definition {
  faultsOf: (part: Node) => readonly ErrorObject[]
  /** The keys that a part of the kind may have, in any of its forms. */
  keys: readonly string[]
}

type Version = '3.0' | '3.1' | '3.2'

const require = createRequire(import.meta.url)

const files: Readonly<Record<Version, () => Node>> = {
  '3.0': () => require('@seriousme/openapi-schema-validator/schemas/v3.0/schema.json') as Node,
  '3.1': () => require('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json') as Node,
  '3.2': () => require('@seriousme/openapi-schema-validator/schemas/v3.2/schema.json') as Node,
}

/** The names of the definitions of kinds: in the schema of OpenAPI 3.0, and in those of 3.1 and 3.2. */
const names: Readonly<Record<Kind, readonly [string, string]>> = {
  document: ['Document', 'document'],
  components: ['Components', 'components'],
  pathItem: ['PathItem', 'path-item'],
  operation: ['Operation', 'operation'],
  parameter: ['Parameter', 'parameter'],
  requestBody: ['RequestBody', 'request-body'],
  media: ['MediaType', 'media-type'],
  encoding: ['Encoding', 'encoding'],
  response: ['Response', 'response'],
  callback: ['Callback', 'callbacks'],
  header: ['Header', 'header'],
  example: ['Example', 'example'],
  link: ['Link', 'link'],
  schema: ['Schema', 'schema'],
  securityScheme: ['SecurityScheme', 'security-scheme'],
}

const known = new Map<string, (kind: Kind) => Definition>()

/** The definitions of a version such as `3.1`, each compiled when it is first asked for. */
export function definitionsOf(version: string): (kind: Kind) => Definition {
  const made = known.get(version) ?? compiled(version as Version)
  known.set(version, made)
  return made
}

function compiled(version: Version): (kind: Kind) => Definition {
  const isFirst = version === '3.0'
  const { $defs, definitions, $id: _, id: __, $schema: ___, ...document } = files[version]()
  const all: Node = { ...nodeOf($defs ?? definitions), [isFirst ? 'Document' : 'document']: document }
  if (!isFirst) all.schema = schemaDefinition()
  const cut = Object.fromEntries(Object.entries(all).map(([name, one]) => [name, apart(discriminated(one, all))]))
  const options = {
    allErrors: true,
    strict: false,
    strictNumbers: false,
    verbose: true,
    validateFormats: true,
  } as const
  const ajv = isFirst ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv, ['uri', 'uri-reference', 'email'])
  // of regular expressions and media types, rules of our own say more
  for (const format of ['regex', 'media-range']) ajv.addFormat(format, true)
  ajv.addSchema({ $id: 'openapi', $defs: cut })
  const made = new Map<Kind, Definition>()
  return (kind) => {
    const before = made.get(kind)
    if (before) return before
    const name = names[kind][isFirst ? 0 : 1]
    const validate = ajv.getSchema(`openapi#/$defs/${name}`) as ValidateFunction
    const definition: Definition = {
      faultsOf: (part) => (validate(part) ? [] : (validate.errors ?? [])),
      keys: [...keysIn(cut[name], cut)],
    }
    made.set(kind, definition)
    return definition
  }
}

const ofParts = new Set(Object.values(names).flat())

/** A definition in which each reference to another kind of part is any object. */
function apart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(apart)
  if (!isNode(schema)) return schema
  const alternatives = listOf(schema.oneOf)
  if (alternatives.length > 0 && alternatives.every((one) => partType(nodeOf(one)) !== undefined)) {
    return { type: [...new Set(alternatives.flatMap((one) => partType(nodeOf(one)) ?? []))] }
  }
  if (typeof schema.$ref === 'string' && partType(schema)) return { type: partType(schema) }
  // as draft 4 writes an exclusive limit
  if (schema.exclusiveMinimum === true) return { type: schema.type, exclusiveMinimum: schema.minimum }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      typeof value === 'string' ? [key, value.replace('#/definitions/', '#/$defs/')] : [key, apart(value)],
    ),
  )
}

/** The types of what a definition refers to if that is a part, or a reference to one. */
function partType({ $ref, type }: Node): string[] | undefined {
  if (type === 'boolean') return ['boolean']
  const [, name = ''] = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(String($ref)) ?? []
  if (name === 'schema') return ['object', 'boolean']
  const isReference = name === 'Reference' || name.endsWith('-or-reference') || name === 'reference'
  return isReference || ofParts.has(name) ? ['object'] : undefined
}

/**
 * A definition whose alternatives are told apart by one property, each held against the one that is meant: `oneOf` says
 * nothing but that none fits.
 */
function discriminated(schema: unknown, all: Node): unknown {
  if (!isNode(schema)) return schema
  const { oneOf, ...rest } = schema
  const alternatives = listOf(oneOf).map((one) => nodeOf(resolved(one, all)))
  const values = (one: Node, key: string): unknown[] => listOf(nodeOf(nodeOf(one.properties)[key]).enum)
  const key = Object.keys(nodeOf(alternatives[0]?.properties)).find((name) =>
    alternatives.every((one) => values(one, name).length > 0),
  )
  if (key === undefined) return schema
  const conditions = alternatives.map((one) => ({
    if: { properties: { [key]: { enum: values(one, key) } }, required: [key] },
    then: one,
  }))
  const allowed = { properties: { [key]: { enum: alternatives.flatMap((one) => values(one, key)) } }, required: [key] }
  return { ...rest, allOf: [...listOf(rest.allOf), allowed, ...conditions] }
}

function resolved(schema: unknown, all: Node): unknown {
  const { $ref } = nodeOf(schema)
  return typeof $ref === 'string' ? all[$ref.replace(/^.*\//, '')] : schema
}

/** What JSON Schema 2020-12 says of a schema, and OpenAPI of the keywords that it adds. */
function schemaDefinition(): Node {
  const ajv = new Ajv2020()
  const vocabularies = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content']
  const all = vocabularies.map((name) => {
    const id = `https://json-schema.org/draft/2020-12/meta/${name}`
    return nodeOf(inPlace(nodeOf(ajv.getSchema(id)?.schema)))
  })
  const { definitions } = files['3.0']() as { definitions: Record<string, Node> }
  const { Discriminator = {}, XML = {}, ExternalDocumentation = {} } = definitions
  const together = ['attribute', 'wrapped'].map((key) => ({ not: { required: ['nodeType', key] } }))
  const xml = { ...XML, properties: { ...nodeOf(XML.properties), nodeType: { type: 'string' } }, allOf: together }
  const properties: Node = Object.fromEntries(all.flatMap((one) => entriesOf(one.properties)))
  // what is said of a reference, and by a rule of another dialect
  for (const key of ['$ref', '$dynamicRef', '$recursiveRef', 'exclusiveMinimum', 'exclusiveMaximum'])
    properties[key] = {}
  return {
    type: ['object', 'boolean'],
    properties: { ...properties, discriminator: Discriminator, xml, externalDocs: ExternalDocumentation },
  }
}

/** A vocabulary in one piece: its own definitions in their places, and any schema for what is a schema. */
function inPlace(vocabulary: Node): unknown {
  const own = nodeOf(vocabulary.$defs)
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isNode(value)) return value
    if (typeof value.$dynamicRef === 'string') return { type: ['object', 'boolean'] }
    if (typeof value.$ref === 'string') {
      const { $ref, ...rest } = value
      return { ...nodeOf(copy(own[$ref.replace(/^.*\//, '')])), ...nodeOf(copy(rest)) }
    }
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(child)]))
  }
  return copy({ properties: vocabulary.properties })
}

const ofPart = ['allOf', 'if', 'then', 'else']

/** The names of properties that a definition has, also where a condition holds. */
function keysIn(schema: unknown, all: Node): Set<string> {
  const node = nodeOf(schema)
  const found = new Set(Object.keys(nodeOf(node.properties)))
  const { $ref } = node
  const parts = ofPart.flatMap((keyword) => [node[keyword]].flat())
  const referred = typeof $ref === 'string' ? [at($ref, all)] : []
  for (const part of [...parts, ...referred, ...entriesOf(node.dependentSchemas).map(([, one]) => one)])
    for (const key of part === undefined ? [] : keysIn(part, all)) found.add(key)
  for (const pattern of Object.keys(nodeOf(node.patternProperties)))
    for (const [, list = ''] of pattern.matchAll(/^\^\((?:\?:)?([a-z|]+)\)\$$/g))
      list.split('|').forEach((key) => found.add(key))
  return found
}

function at($ref: string, all: Node): unknown {
  return $ref
    .split('/')
    .slice(2)
    .reduce<unknown>((value, key) => nodeOf(value)[key], all)
}
