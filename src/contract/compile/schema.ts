import type { PlaceText } from '../document/document.ts'
import { numericKeyword } from './numbers.ts'
import { keyedByName } from '../document/tree.ts'

/** A schema of the dereferenced contract: plain values, which may contain themselves. */
export type Schema = Record<string, unknown>

/** Keywords that describe a value and do not check it. */
const annotations = new Set([
  'title',
  'description',
  'example',
  'externalDocs',
  'deprecated',
  'xml',
  'discriminator',
  'readOnly',
  'writeOnly',
])

/**
 * A copy of a schema, or of a value that contains schemas such as an operation, for the validators. Numbers are checked
 * only by the numeric keyword; annotations and extensions are left out. With `closed`, an object without
 * `additionalProperties` allows none, so that a test finds properties that a serializer would silently drop.
 */
export function validationSchema<T>(schema: T, { closed }: { closed: boolean }): T {
  const inProgress = new Map<object, unknown>()
  return copy(schema, undefined, closed) as T

  function copy(value: unknown, within: string | undefined, close: boolean): unknown {
    if (typeof value !== 'object' || value === null) return value
    const known = inProgress.get(value)
    if (known) return known
    if (Array.isArray(value)) return value.map((item) => copy(item, undefined, close && within !== 'allOf'))
    const node = value as Schema
    const isSchema = !keyedByName.has(within ?? '')
    const isNumber = isSchema && node[numericKeyword] !== undefined
    const result: Schema = {}
    inProgress.set(value, result)
    for (const [key, child] of Object.entries(node)) {
      if (isSchema && (annotations.has(key) || (key.startsWith('x-') && key !== numericKeyword))) continue
      if (isNumber && (key === 'type' || key === 'format' || key === 'nullable')) continue
      // copied, since openapi-backend takes a value that it meets twice for a cycle
      if (isSchema && (key === 'default' || key === 'enum' || key === numericKeyword))
        result[key] = structuredClone(child)
      else result[key] = copy(child, isSchema ? key : undefined, close)
    }
    inProgress.delete(value)
    if (isSchema && close && node.type === 'object' && isPlain(node)) result.additionalProperties ??= false
    return result
  }
}

/** Whether one schema has all properties of an object, so that it can be closed. */
function isPlain(node: Schema): boolean {
  return !('allOf' in node || 'anyOf' in node || 'oneOf' in node)
}

/** Keywords that a serializer is built from. */
const structural = new Set([
  'type',
  'format',
  'nullable',
  'properties',
  'items',
  'required',
  'additionalProperties',
  'allOf',
])

/**
 * A copy of a response's schema for fast-json-stringify. A schema that it cannot write exactly throws an error that
 * begins with `place`.
 */
export function serializerSchema(schema: Schema, place: PlaceText): Schema {
  const ancestors = new Set<object>()
  return copy(schema)

  function copy(node: Schema): Schema {
    if (ancestors.has(node)) throw new Error(`${place()} A response schema must not contain itself.`)
    const choice = ['oneOf', 'anyOf', 'not'].find((keyword) => keyword in node)
    if (choice) throw new Error(`${place()} A response schema must not use ${choice}; it cannot be serialized exactly.`)
    if (node.type === undefined && node.allOf === undefined) {
      throw new Error(
        `${place()} A response schema needs a type throughout; without one it cannot be serialized exactly.`,
      )
    }
    const { additionalProperties } = node
    if (additionalProperties === true || (isSchemaObject(additionalProperties) && !additionalProperties.type)) {
      throw new Error(`${place()} additionalProperties in a response schema need a type, to be serialized exactly.`)
    }
    ancestors.add(node)
    const result: Schema = {}
    for (const [keyword, value] of Object.entries(node)) {
      if (structural.has(keyword)) result[keyword] = child(keyword, value)
    }
    ancestors.delete(node)
    return result
  }

  function child(keyword: string, value: unknown): unknown {
    if (keyword === 'properties') {
      return Object.fromEntries(
        Object.entries(value as Schema).map(([name, property]) => [name, copy(property as Schema)]),
      )
    }
    if (keyword === 'allOf') return (value as Schema[]).map(copy)
    return isSchemaObject(value) ? copy(value) : value
  }
}

function isSchemaObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
