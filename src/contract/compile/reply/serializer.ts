import build from 'fast-json-stringify'
import { stringify } from 'lossless-json'
import { entriesOf, isNode, isReference, listOf, nodeOf, targetOf, type Node } from '../../model/tree.ts'
import {
  firstItemsOf,
  isOpen,
  itemsOf,
  othersOf,
  partsOf,
  patternsOf,
  propertiesOf,
  together,
} from '../schemas/parts.ts'
import { sizes } from '../schemas/schema.ts'

export type Serialize = (body: unknown) => string

/** A larger schema is written without a compiled function, which would take too long to compile. */
const compiledSize = 2000

/**
 * Compiles schemas of responses into functions that write bodies. They write each digit of a `bigint`, and leave out
 * fields that the schema does not declare. Equal schemas share one function; most failures do.
 */
export function serializers(root: unknown): (schema: unknown) => Serialize {
  const known = new Map<string, Serialize>()
  const sizeOf = sizes(root)
  const write = writers(root)
  return (schema) => {
    const plain = sizeOf(schema) <= compiledSize ? serializerSchema(root, schema) : undefined
    if (!plain) return write(schema)
    const name = JSON.stringify(plain)
    const serialize = known.get(name) ?? build(plain)
    known.set(name, serialize)
    return serialize
  }
}

/** Keywords that a serializer is built from. */
const structural = new Set(['type', 'format', 'nullable', 'additionalProperties'])

/** Keywords that a serializer could not be built from. */
const inexactKeywords = [
  ...['oneOf', 'anyOf', 'not', 'if', 'dependentSchemas', 'patternProperties', 'prefixItems'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
]

/** A copy of a schema for fast-json-stringify; undefined when that would not write its values exactly. */
function serializerSchema(root: unknown, schema: unknown, around = partsOf(root, schema)): Node | undefined {
  const node = targetOf(root, schema)?.node
  if (!node) return undefined
  const { type, allOf, nullable, properties, required, additionalProperties, items } = node
  if (Array.isArray(type) || inexactKeywords.some((keyword) => keyword in node)) return undefined
  const parts = listOf(allOf)
  if (type === undefined && parts.length === 0) return undefined
  if (nullable === true && (type === undefined || parts.length > 0)) return undefined
  if (additionalProperties === true || (type === 'array' && !isNode(items))) return undefined
  const fields = entriesOf(properties)
  // the compiled function would read them from every object
  if (fields.some(([name]) => name in Object.prototype)) return undefined
  if (type === 'object' && parts.length === 0 && fields.length === 0 && !isNode(additionalProperties)) return undefined

  // it writes only what has a schema
  if (listOf(required).some((name) => !around.some((part) => Object.hasOwn(nodeOf(part.properties), String(name)))))
    return undefined

  const result: Node = {}
  const isWriteOnly = (name: unknown): boolean =>
    fields.some(([field, schema]) => field === name && targetOf(root, schema)?.node.writeOnly === true)
  const inexact: unknown[] = []
  const exact = (value: unknown, beside?: Node[]): Node | undefined => {
    const copy = serializerSchema(root, value, beside)
    if (!copy) inexact.push(value)
    return copy
  }
  for (const [keyword, value] of Object.entries(node)) if (structural.has(keyword)) result[keyword] = value
  if (required !== undefined) result.required = listOf(required).filter((name) => !isWriteOnly(name))
  if (properties !== undefined)
    result.properties = Object.fromEntries(fields.map(([name, value]) => [name, exact(value)]))
  if (parts.length > 0) result.allOf = parts.map((part) => exact(part, around))
  if (isNode(items)) result.items = exact(items)
  if (isNode(additionalProperties)) {
    result.additionalProperties = exact(additionalProperties)
    // without a type of its own nothing is written of it
    if (!('type' in nodeAt(root, additionalProperties))) return undefined
  }
  return inexact.length === 0 ? result : undefined
}

function nodeAt(root: unknown, value: unknown): Node {
  return targetOf(root, value)?.node ?? {}
}

/**
 * Functions that write bodies of any schema, also of one that contains itself. A field that no part of the schema
 * declares is left out, unless the schema describes such fields or none at all.
 */
function writers(root: unknown): (schema: unknown) => Serialize {
  const known = new Map<unknown, Serialize>()
  return writerOf

  function writerOf(schema: unknown): Serialize {
    const node = isReference(schema) ? (targetOf(root, schema)?.node ?? schema) : schema
    let write = known.get(node)
    const first = (value: unknown): string => (write ??= compiled(node))(value)
    if (!write) known.set(node, first)
    return first
  }

  function compiled(schema: unknown): Serialize {
    const parts = partsOf(root, schema)
    const fields = new Map(
      Array.from(propertiesOf(parts), ([name, schemas]) => [name, writerOf(together(schemas))] as const),
    )
    const items = itemsOf(parts)
    const item = items.length > 0 ? writerOf(together(items)) : exactJson
    const firstItems = firstItemsOf(parts).map((schemas) => writerOf(together(schemas)))
    const patterns = patternsOf(parts).map(([pattern, schema]) => ({ pattern, write: writerOf(schema) }))
    const others = othersOf(parts)
    const other = others.length > 0 ? writerOf(together(others)) : exactJson
    const takesOthers = (fields.size === 0 && patterns.length === 0) || isOpen(parts)
    const required = new Set(parts.flatMap((part) => listOf(part.required)))
    const writerFor = (name: string): Serialize | undefined =>
      fields.get(name) ??
      patterns.find(({ pattern }) => pattern.test(name))?.write ??
      (takesOthers || required.has(name) ? other : undefined)
    return (value) => {
      if (Array.isArray(value)) return `[${value.map((one, index) => (firstItems[index] ?? item)(one)).join()}]`
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
