import build from 'fast-json-stringify'
import { stringify } from 'lossless-json'
import { isNode } from '../../model/node.ts'
import type { Schema } from '../../model/schema.ts'
import { shapeOf, type Shape } from '../../model/shape.ts'

export type Serialize = (body: unknown) => string

/** A schema as fast-json-stringify takes it. */
type SerializerSchema = Record<string, unknown>

/** A larger schema is written without a compiled function, which would take too long to compile. */
const compiledSize = 2000

/**
 * Compiles schemas of responses into functions that write bodies. They write each digit of a `bigint`, and leave out
 * fields that the schema does not declare. Equal schemas share one function; most failures do. Quick ones are not compiled.
 */
export function serializers({ quick }: { quick: boolean }): (schema: Schema | undefined) => Serialize {
  const known = new Map<string, Serialize>()
  const writerOf = writers()
  return (schema) => {
    if (!schema) return exactJson
    const plain = schema.size <= compiledSize ? serializerSchema(schema) : undefined
    if (!plain) return writerOf(shapeOf(schema))
    const name = JSON.stringify(plain)
    const serialize = known.get(name) ?? (quick ? undefined : builtFrom(plain)) ?? writerOf(shapeOf(schema))
    known.set(name, serialize)
    return serialize
  }
}

/** Undefined for the parts of an `allOf` that fast-json-stringify cannot merge into one, such as of two types. */
function builtFrom(schema: SerializerSchema): Serialize | undefined {
  try {
    return build(schema)
  } catch {
    return undefined
  }
}

/** Keywords that a serializer is built from. */
const structural = ['type', 'format', 'nullable', 'additionalProperties']

/** Keywords that a serializer could not be built from. */
const inexactKeywords = [
  ...['oneOf', 'anyOf', 'not', 'if', 'dependentSchemas', 'patternProperties', 'prefixItems'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
]

/**
 * A copy of a schema for fast-json-stringify; undefined when that would not write its values exactly. `around` are
 * all schemas that hold for the same value.
 */
function serializerSchema(schema: Schema, around = schema.parts): SerializerSchema | undefined {
  if (!isExact(schema, around)) return undefined
  const { properties, items, required } = schema
  const additional = schema.others('additionalProperties')
  const allOf = schema.schemas('allOf')
  const result: SerializerSchema = {}
  let isWhole = true
  const exact = (inner: Schema, beside?: readonly Schema[]): SerializerSchema | undefined => {
    const copy = serializerSchema(inner, beside)
    isWhole &&= copy !== undefined
    return copy
  }
  for (const keyword of structural) if (schema.has(keyword)) result[keyword] = schema.get(keyword)
  if (schema.has('required')) result.required = required.filter((name) => !properties.get(name)?.isWriteOnly)
  if (schema.has('properties'))
    result.properties = Object.fromEntries(Array.from(properties, ([name, inner]) => [name, exact(inner)]))
  if (allOf.length > 0) result.allOf = allOf.map((part) => exact(part, around))
  if (items) result.items = exact(items)
  if (typeof additional === 'object') {
    result.additionalProperties = exact(additional)
    // without a type of its own nothing is written of it
    isWhole &&= additional.has('type')
  }
  return isWhole ? result : undefined
}

/** Whether fast-json-stringify writes what a schema says itself. */
function isExact(schema: Schema, around: readonly Schema[]): boolean {
  const type = schema.get('type')
  const { properties, isNullable } = schema
  const additional = schema.others('additionalProperties')
  const hasParts = schema.schemas('allOf').length > 0
  if (Array.isArray(type) || inexactKeywords.some((keyword) => schema.has(keyword))) return false
  if (type === undefined && !hasParts) return false
  if (isNullable && (type === undefined || hasParts)) return false
  if (additional === true || (type === 'array' && !schema.items)) return false
  // the compiled function would read them from every object
  for (const name of properties.keys()) if (name in Object.prototype) return false
  if (type === 'object' && !hasParts && properties.size === 0 && typeof additional !== 'object') return false
  // it writes only what has a schema
  return schema.required.every((name) => around.some((part) => part.properties.has(name)))
}

/**
 * Functions that write bodies of any schema, also of one that contains itself. A field that no part of the schema
 * declares is left out, unless the schema describes such fields or none at all.
 */
function writers(): (shape: Shape) => Serialize {
  const known = new Map<string, Serialize>()
  return writerOf

  function writerOf(shape: Shape): Serialize {
    const { key } = shape
    let write = known.get(key)
    if (write) return write
    // compiled when it is called, since it may contain itself
    const later = (value: unknown): string => (write ??= compiled(shape))(value)
    known.set(key, later)
    return later
  }

  function compiled({ properties, items, firstItems, patterns, others, isOpen, required }: Shape): Serialize {
    const fields = new Map(Array.from(properties, ([name, field]) => [name, writerOf(field)] as const))
    const item = items ? writerOf(items) : exactJson
    const first = firstItems.map(writerOf)
    const byPattern = patterns.map(({ pattern, shape }) => ({ pattern, write: writerOf(shape) }))
    const other = others ? writerOf(others) : exactJson
    const takesOthers = (fields.size === 0 && byPattern.length === 0) || isOpen
    const writerFor = (name: string): Serialize | undefined =>
      fields.get(name) ??
      byPattern.find(({ pattern }) => pattern.test(name))?.write ??
      (takesOthers || required.has(name) ? other : undefined)
    return (value) => {
      if (Array.isArray(value)) return `[${value.map((one, index) => (first[index] ?? item)(one)).join()}]`
      if (!isNode(value) || typeof value.toJSON === 'function') return exactJson(value)
      const written: string[] = []
      for (const [name, field] of Object.entries(value)) {
        const write = writerFor(name)
        if (field !== undefined && write) written.push(`${JSON.stringify(name)}:${write(field)}`)
      }
      return `{${written.join()}}`
    }
  }
}

/** A value as JSON with every digit of a `bigint`. */
function exactJson(value: unknown): string {
  return stringify(value) ?? 'null'
}
