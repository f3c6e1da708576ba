import type { Document } from 'openapi-backend'
import { exactText, isNumber } from '../../../integers.ts'
import { transform } from '../transform.ts'
import { inPlace } from '../keywords.ts'
import { isNode, listOf, type Node } from '../node.ts'
import { isReference } from '../reference.ts'
import { isOfJsonSchema } from '../version.ts'

/** Whether a schema allows nothing but null. */
export function isNull(schema: unknown): boolean {
  return isNode(schema) && (schema.type === 'null' || exactText(schema.enum) === '[null]')
}

/**
 * A document in the one dialect that the rest reads: schemas of OpenAPI 3.0, with the keywords of JSON Schema 2020-12
 * that OpenAPI 3.0 does not have. Keywords that OpenAPI 3.1 writes in another way are normalized where they stand, so that
 * paths stay the same. A document of OpenAPI 3.0 is returned as it is.
 */
export function inOneDialect(source: Document): Document {
  if (!isOfJsonSchema(source)) return source
  return transform(source, (value, kind, at) => {
    if (kind === 'schema') return schemaOf(value, at.at(-1) ?? '')
    return kind === 'media' && typeof value === 'object' ? mediaOf(value, at.at(-1) ?? '') : value
  }) as Document
}

/** Keywords that may be `true` or `false` in the dialect. */
const mayBeBoolean = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']

/** Keys that may stand beside a `$ref` and say nothing of values. */
const annotations = new Set([
  '$ref',
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  '$comment',
])

function schemaOf(value: Node | boolean, keyword: string): unknown {
  if (typeof value === 'boolean') return mayBeBoolean.includes(keyword) ? value : value ? {} : { not: {} }
  // OpenAPI 3.1 has no such keyword, so it must not count as that of 3.0
  const { nullable: _, ...node } = value
  if (isReference(node)) {
    const { $ref, ...siblings } = node as Node
    if (Object.keys(siblings).every((key) => annotations.has(key) || key.startsWith('x-'))) return node
    return schemaOf({ ...siblings, allOf: [...listOf(siblings.allOf), { $ref }] }, keyword)
  }
  if (Array.isArray(node.examples) && node.examples.length > 0) node.example ??= node.examples[0]
  normalizeConst(node)
  normalizeTypes(node)
  normalizeLimit(node, 'minimum', 'exclusiveMinimum')
  normalizeLimit(node, 'maximum', 'exclusiveMaximum')
  normalizeContent(node)
  return node
}

function normalizeConst(node: Node): void {
  if (!Object.hasOwn(node, 'const')) return
  const { const: only, enum: values } = node
  const isIn = !Array.isArray(values) || values.some((one) => exactText([one]) === exactText([only]))
  node.enum = isIn ? [only] : []
  delete node.const
}

/** One type instead of a list of one, and `nullable` for null where no schema applies in place that null must fit too. */
function normalizeTypes(node: Node): void {
  if (!Array.isArray(node.type)) return
  const types: unknown[] = node.type
  const others = types.filter((type) => type !== 'null')
  const isApart = others.length < types.length && others.length > 0 && !inPlace.some((keyword) => keyword in node)
  if (isApart && (!Array.isArray(node.enum) || node.enum.includes(null))) node.nullable = true
  const kept = isApart ? others : types
  node.type = kept.length === 1 ? kept[0] : kept
}

/** The stricter of two limits, of which the exclusive one is a number, with `true` for an exclusive one. */
function normalizeLimit(node: Node, inclusive: 'minimum' | 'maximum', exclusive: string): void {
  const { [inclusive]: limit, [exclusive]: other } = node
  if (!isNumber(other)) {
    // not a limit in OpenAPI 3.1
    if (typeof other === 'boolean') Reflect.deleteProperty(node, exclusive)
    return
  }
  const isStricter = !isNumber(limit) || (inclusive === 'minimum' ? other >= limit : other <= limit)
  if (isStricter) Object.assign(node, { [inclusive]: other, [exclusive]: true })
  else Reflect.deleteProperty(node, exclusive)
}

/** Bytes, and their text in base64, as formats. */
function normalizeContent(node: Node): void {
  const { contentEncoding, contentMediaType, format } = node
  if (format !== undefined) return
  if (contentEncoding === 'base64') node.format = 'byte'
  else if (contentEncoding === undefined && typeof contentMediaType === 'string' && !isText(contentMediaType)) {
    node.type ??= 'string'
    node.format = 'binary'
  }
}

/** Whether values of a media type are text, and not bytes. */
function isText(mediaType: string): boolean {
  return /^text\/|json|xml|x-www-form-urlencoded/i.test(mediaType)
}

/** Bytes have no schema in OpenAPI 3.1, and neither has a part of a multipart body that is bytes. */
function mediaOf(media: Node, name: string): Node {
  const { schema } = media
  if (/^multipart\//i.test(name) && isNode(schema) && isNode(schema.properties)) {
    const fields = Object.entries(schema.properties)
    const properties = Object.fromEntries(fields.map(([key, field]) => [key, isEmpty(field) ? bytes : field]))
    return { ...media, schema: { ...schema, properties } }
  }
  if (!isText(name) && !name.includes('*') && (schema === undefined || isEmpty(schema))) {
    return { ...media, schema: bytes }
  }
  return media
}

const bytes: Node = { type: 'string', format: 'binary' }

function isEmpty(schema: unknown): boolean {
  return isNode(schema) && Object.keys(schema).every((key) => annotations.has(key) && key !== '$ref')
}
