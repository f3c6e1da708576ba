import { createRequire } from 'node:module'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Kind } from '../model/grammar.ts'
import { kept } from '../../kept.ts'
import { isNode, type Node } from '../model/node.ts'
import { Value } from '../model/value.ts'

/** A schema of JSON Schema, as those of OpenAPI itself are written. `true` and `false` read as schemas without keywords. */
export interface JsonSchema extends Node {
  $ref?: string
  type?: string | string[]
  enum?: readonly unknown[]
  required?: readonly string[]
  minimum?: number
  exclusiveMinimum?: number | boolean
  properties?: Schemas
  patternProperties?: Schemas
  dependentSchemas?: Schemas
  allOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  if?: JsonSchema
  then?: JsonSchema
  else?: JsonSchema
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** A schema with the definitions that it refers to, under the name of its draft. */
interface Vocabulary extends JsonSchema {
  $defs?: Schemas
  definitions?: Schemas
}

/** OpenAPI's own JSON Schema of a kind of part, for the part alone: the parts in it are judged by their own. */
export interface Definition {
  faultsOf: (part: Node) => readonly ErrorObject[]
  /** The keys that a part of the kind may have, in any of its forms. */
  keys: readonly string[]
}

type Version = '3.0' | '3.1' | '3.2'

const require = createRequire(import.meta.url)

const files: Readonly<Record<Version, () => Vocabulary>> = {
  '3.0': () => require('@seriousme/openapi-schema-validator/schemas/v3.0/schema.json') as Vocabulary,
  '3.1': () => require('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json') as Vocabulary,
  '3.2': () => require('@seriousme/openapi-schema-validator/schemas/v3.2/schema.json') as Vocabulary,
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
  return kept(known, version, () => compiled(version as Version))
}

function compiled(version: Version): (kind: Kind) => Definition {
  const isFirst = version === '3.0'
  const { $defs, definitions, $id: _, id: __, $schema: ___, ...document } = files[version]()
  const all: Schemas = {
    ...($defs ?? definitions),
    [isFirst ? 'Document' : 'document']: document,
    ...(isFirst ? {} : { schema: schemaDefinition() }),
  }
  const cut = Object.fromEntries(
    Object.entries(all).map(([name, one]) => [name, apart(discriminated(one, all)) as JsonSchema]),
  )
  const options = {
    allErrors: true,
    strict: false,
    strictNumbers: false,
    verbose: true,
    validateFormats: true,
    // OpenAPI has judged its schemas
    validateSchema: false,
    code: { optimize: false },
  } as const
  const ajv = isFirst ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv, ['uri', 'uri-reference', 'email'])
  // of regular expressions and media types, rules of our own say more
  for (const format of ['regex', 'media-range']) ajv.addFormat(format, true)
  ajv.addSchema({ $id: 'openapi', $defs: cut })
  const made = new Map<Kind, Definition>()
  return (kind) =>
    kept(made, kind, () => {
      const name = names[kind][isFirst ? 0 : 1]
      const validate = ajv.getSchema(`openapi#/$defs/${name}`) as ValidateFunction
      return {
        faultsOf: (part) => (validate(part) ? [] : (validate.errors ?? [])),
        keys: [...keysIn(cut[name] ?? {}, cut)],
      }
    })
}

const ofParts = new Set(Object.values(names).flat())

/** A definition in which each reference to another kind of part is any object. */
function apart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(apart)
  if (!isNode(schema)) return schema
  // a mapping of properties may have one of this name
  const types = Array.isArray(schema.oneOf) ? schema.oneOf.map(partType) : []
  if (types.length > 0 && !types.includes(undefined)) return { type: [...new Set(types.flatMap((type) => type ?? []))] }
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
function partType({ $ref, type }: JsonSchema): string[] | undefined {
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
function discriminated(schema: JsonSchema, all: Schemas): JsonSchema {
  const { oneOf = [], ...rest } = schema
  const alternatives = oneOf.map((one) => resolved(one, all))
  const values = (one: JsonSchema, key: string): readonly unknown[] => one.properties?.[key]?.enum ?? []
  const key = Object.keys(alternatives[0]?.properties ?? {}).find((name) =>
    alternatives.every((one) => values(one, name).length > 0),
  )
  if (key === undefined) return schema
  const conditions = alternatives.map((one) => ({
    if: { properties: { [key]: { enum: values(one, key) } }, required: [key] },
    then: one,
  }))
  const allowed = { properties: { [key]: { enum: alternatives.flatMap((one) => values(one, key)) } }, required: [key] }
  return { ...rest, allOf: [...(rest.allOf ?? []), allowed, ...conditions] }
}

function resolved(schema: JsonSchema, all: Schemas): JsonSchema {
  return schema.$ref === undefined ? schema : (all[schema.$ref.replace(/^.*\//, '')] ?? {})
}

/** What JSON Schema 2020-12 says of a schema, and OpenAPI of the keywords that it adds. */
function schemaDefinition(): JsonSchema {
  const ajv = new Ajv2020()
  const vocabularies = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content']
  const all = vocabularies.map((name) => {
    const id = `https://json-schema.org/draft/2020-12/meta/${name}`
    return inPlace(ajv.getSchema(id)?.schema as Vocabulary)
  })
  const { Discriminator = {}, XML = {}, ExternalDocumentation = {} } = files['3.0']().definitions ?? {}
  const together = ['attribute', 'wrapped'].map((key) => ({ not: { required: ['nodeType', key] } }))
  const xml = { ...XML, properties: { ...XML.properties, nodeType: { type: 'string' } }, allOf: together }
  const properties: Record<string, JsonSchema> = Object.fromEntries(
    all.flatMap((one) => Object.entries(one.properties ?? {})),
  )
  // references are judged by their own rule, and exclusive limits by the rule of dialects
  for (const key of ['$ref', '$dynamicRef', '$recursiveRef', 'exclusiveMinimum', 'exclusiveMaximum'])
    properties[key] = {}
  return {
    type: ['object', 'boolean'],
    properties: { ...properties, discriminator: Discriminator, xml, externalDocs: ExternalDocumentation },
  }
}

/** A vocabulary in one piece: its own definitions in their places, and any schema for what is a schema. */
function inPlace({ properties, $defs = {} }: Vocabulary): JsonSchema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isNode(value)) return value
    if (typeof value.$dynamicRef === 'string') return { type: ['object', 'boolean'] }
    if (typeof value.$ref === 'string') {
      const { $ref, ...rest } = value
      return { ...(copy($defs[$ref.replace(/^.*\//, '')]) as Node), ...(copy(rest) as Node) }
    }
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(child)]))
  }
  return copy({ properties }) as JsonSchema
}

/** The names of properties that a definition has, also where a condition holds. */
function keysIn(schema: JsonSchema, all: Schemas): Set<string> {
  const { $ref, properties = {}, patternProperties = {}, dependentSchemas = {}, allOf = [] } = schema
  const referred = $ref === undefined ? undefined : Value.of(all).get(...$ref.split('/').slice(2))
  const parts = [...allOf, schema.if, schema.then, schema.else, referred as JsonSchema | undefined]
  const found = new Set(Object.keys(properties))
  for (const part of [...parts, ...Object.values(dependentSchemas)])
    for (const key of part === undefined ? [] : keysIn(part, all)) found.add(key)
  for (const pattern of Object.keys(patternProperties))
    for (const [, list = ''] of pattern.matchAll(/^\^\((?:\?:)?([a-z|]+)\)\$$/g))
      list.split('|').forEach((key) => found.add(key))
  return found
}
