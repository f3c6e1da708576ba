import { stringify } from 'lossless-json'
import type { Node, Path } from '../model/node.ts'
import { isReference } from '../model/reference.ts'
import { inside, type Part } from '../model/visit.ts'
import { type Level, rule } from './rule.ts'

const refused = 'The service would not start with it.'

/** Schemas are of JSON Schema 2020-12 in OpenAPI 3.1 and 3.2, and have the forms that their version gives them. */
export const dialect = rule({
  id: 'dialect',
  on: 'written',
  stage: 'structure',
  level: 'refused',
  check: ({ kind, node, at }, report, { model: { version, isJsonSchema } }) => {
    const add: Add = (key, message, level = 'refused', fix = refused) => {
      report([...at, key], message.replaceAll('{version}', version), { level, ...(level === 'noted' ? {} : { fix }) })
    }
    if (!isJsonSchema) {
      if (kind === 'schema' && !isReference(node)) ofEarlierSchema(node, add)
    } else if (kind === 'schema') ofSchema(node, at, add)
    else if (kind === 'document') ofDocument(node, add)
    else if (kind === 'pathItem' && at[0] === 'paths') ofPathItem(node, add)
    else if (kind === 'media' && node.itemSchema !== undefined)
      add('itemSchema', 'The items of a stream are not checked against itemSchema.', 'noted')
  },
})

type Add = (key: string, message: string, level?: Level, fix?: string) => void

const dialects = [
  /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//,
]

function isKnownDialect(uri: unknown): boolean {
  return uri === undefined || dialects.some((known) => typeof uri === 'string' && known.test(uri))
}

const otherDialect = 'Schemas of this dialect are not supported; only those of JSON Schema 2020-12.'

function ofDocument({ jsonSchemaDialect, $self }: Node, add: Add): void {
  if (!isKnownDialect(jsonSchemaDialect)) add('jsonSchemaDialect', otherDialect, 'unserved')
  if ($self !== undefined) add('$self', '$self is ignored: references are followed from this file.', 'noted')
}

function ofPathItem(item: Node, add: Add): void {
  if (item.query !== undefined) add('query', 'The method QUERY is not served: Node.js 20 does not read it.', 'unserved')
  if (item.additionalOperations !== undefined) {
    add('additionalOperations', 'Methods of additionalOperations are not served.', 'unserved')
  }
  if (isReference(item) && Object.keys(item).some((key) => !['$ref', 'summary', 'description'].includes(key))) {
    add('$ref', 'What stands beside the $ref of a path is not read; put all of it in one place.', 'unserved')
  }
}

function ofEarlierSchema({ items, exclusiveMinimum, exclusiveMaximum }: Node, add: Add): void {
  if (Array.isArray(items)) {
    const message = 'The items are a list, but OpenAPI 3.0 has one schema for all of them.'
    add('items', message, 'refused', 'Write one schema, with oneOf for several.')
  }
  for (const [keyword, value] of Object.entries({ exclusiveMinimum, exclusiveMaximum })) {
    if (typeof value !== 'number' && typeof value !== 'bigint') continue
    const inclusive = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'
    const message = `${keyword} is true or false in OpenAPI 3.0.`
    add(keyword, message, 'refused', `Write "${inclusive}: ${value}" with "${keyword}: true".`)
  }
}

function ofSchema(schema: Node, at: Path, add: Add): void {
  for (const [keyword, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[keyword] !== 'boolean') continue
    const limit = stringify(schema[inclusive] ?? 0) ?? '0'
    const fix = schema[keyword] ? `write "${keyword}: ${limit}" for "${inclusive}: ${limit}"` : 'take it away'
    add(keyword, `${keyword} is a number in OpenAPI {version}: ${fix}.`)
  }
  if (schema.nullable !== undefined) {
    const fix = schema.nullable === true ? `: write ${withNull(schema)}` : ''
    add('nullable', `nullable means nothing in OpenAPI {version}${fix}.`, 'warned', 'It is ignored as it stands.')
  }
  const { items, prefixItems } = schema
  if (Array.isArray(items)) {
    add('items', 'items is one schema in OpenAPI {version}: write prefixItems for the first items.')
  } else if (prefixItems !== undefined && !(Array.isArray(prefixItems) && prefixItems.length > 0)) {
    add('prefixItems', 'prefixItems is a list of schemas.')
  }
  ofReferences(schema, at, add)
  if (schema.contentSchema !== undefined) add('contentSchema', 'The content of a text is not checked.', 'noted')
}

/** The keywords that say where a `$ref` leads, and by which dialect. */
function ofReferences(schema: Node, at: Path, add: Add): void {
  if (!isKnownDialect(schema.$schema)) add('$schema', otherDialect, 'unserved')
  if (schema.$dynamicRef !== undefined) add('$dynamicRef', '$dynamicRef is not followed; write a $ref.', 'unserved')
  if (schema.$recursiveRef !== undefined) {
    add('$recursiveRef', '$recursiveRef means nothing in JSON Schema 2020-12; write a $ref.', 'noted')
  }
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    if (schema[keyword] !== undefined)
      add(keyword, `${keyword} is ignored: a $ref leads by the path of its target.`, 'noted')
  }
  if (schema.$id !== undefined) {
    const level = hasReference({ kind: 'schema', node: schema, at }) ? 'unserved' : 'noted'
    add('$id', '$id is ignored: references are followed from the root of the file.', level)
  }
}

function withNull({ type }: Node): string {
  return typeof type === 'string' ? `"type: [${type}, 'null']"` : `"anyOf: [..., { type: 'null' }]"`
}

function hasReference(part: Part): boolean {
  return isReference(part.node) || inside(part).some(hasReference)
}
