import { kept } from '../kept.ts'
import { generateSync } from 'json-schema-faker'
import { discriminated } from '../contract/model/discriminator.ts'
import type { Node } from '../contract/model/node.ts'
import type { Schema } from '../contract/model/schema.ts'
import { readable } from './readable.ts'

/** How many values are made up for a schema before the mock gives up. */
const attempts = 12
/** How many of them have values that people can read. */
const readableAttempts = 6

/**
 * Functions that make up values for a schema of a contract. The first one uses the examples and defaults in the schema.
 * The values are the same at every start. They are not always valid.
 */
export function samplers(schema: Schema): (() => unknown)[] {
  const maxDepth = fullDepth(schema)
  return Array.from({ length: attempts }, (_, attempt) => () => {
    const examples = attempt === 0
    // an added limit may contradict another part of an `allOf`
    const way: Way = { small: attempt % 2 === 0, nulls: attempt === 5 || attempt === 7 }
    return generateSync(jsonSchema(schema, way), {
      seed: attempt,
      // of alternatives that overlap, one item may be valid where three are not
      maxDefaultItems: attempt < 4 ? 3 : 1,
      // in the end only what is required, to any depth that a schema needs
      ...(attempt < attempts - 2 ? { alwaysFakeOptionals: true, maxDepth } : { optionalsProbability: 0, maxDepth: 30 }),
      useDefaultValue: examples,
      useExamplesValue: examples,
      formats: { byte: () => 'YW5pbWFs', duration: () => 'P1DT12H' },
      outputTransform: (value, made, pointer) => {
        const node = made as Node
        const isGiven = examples && (node.examples ?? node.default) !== undefined
        // a random value may be valid where one that people can read is not
        const isRandom = isGiven || attempt >= readableAttempts
        return written(isRandom ? value : readable(value, node, pointer, attempt), node)
      },
      refResolver: ($ref) => jsonSchema(schema.refer($ref), way),
    })
  })
}

/** The most parts of a value that is made up with all that it may have, about. */
const maxParts = 1000
const depths = [10, 8, 6, 5, 4, 3, 2]

/** The depth down to which a value has all that it may have: in schemas that name many others only the upper levels. */
function fullDepth(schema: Schema): number {
  const known = new Map<Schema, Map<number, number>>()
  const partsAt = ({ target }: Schema, depth: number): number => {
    if (depth < -10) return 1
    const ofTarget = kept(known, target, () => new Map<number, number>())
    const sum = (schemas: Schema[]): number => schemas.reduce((all, one) => all + partsAt(one, depth - 1), 0)
    const { items } = target
    return kept(ofTarget, depth, () => 1 + sum(ownParts(target, depth > 0)) + 3 * sum(items ? [items] : []))
  }
  return depths.find((depth) => partsAt(schema, depth) <= maxParts) ?? 1
}

/** The keywords whose schemas, or one of them, make up the value together. */
const combining = ['allOf', 'anyOf', 'oneOf']

/** The schemas of the parts of an object, or of those that it must have, and those that it combines. */
function ownParts(schema: Schema, isFull: boolean): Schema[] {
  const { properties, required } = schema
  const names = isFull ? [...properties.keys()] : required
  return [
    ...names.flatMap((name) => properties.get(name) ?? []),
    ...schema.held(isFull ? [...combining, 'additionalProperties'] : combining),
  ]
}

/** A value as it is answered: large integers with each digit, and multiples of a fraction without a rest of rounding. */
function written(value: unknown, { type, multipleOf }: Node): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (!Number.isInteger(value)) return multipleOf === undefined ? value : Number(value.toPrecision(15))
  return [type].flat().includes('integer') ? BigInt(value) : value
}

/**
 * How a value is made up: numbers get limits that they lack, and what may be null is null, as another part may demand. Null
 * beside alternatives is left out, since other validators do not accept it.
 */
interface Way {
  small: boolean
  nulls: boolean
}

/** A copy of a schema, translated from OpenAPI 3.0 to JSON Schema. */
function jsonSchema(schema: Schema, way: Way): Node {
  if (way.nulls && schema.isNullable && schema.held(combining).length === 0) return { type: 'null' }
  const named = namedAlternatives(schema)
  const node = schema.target.copy((inner) => {
    const property = named.get(inner)
    if (property) return withName(inner, property, way)
    return inner.reference === undefined ? jsonSchema(inner, way) : { $ref: inner.reference }
  })
  if (node.example !== undefined) node.examples = [node.example]
  // the sampler would take them for parts of the value
  for (const key of Object.keys(node)) if (foreign.has(key) || key.startsWith('x-')) Reflect.deleteProperty(node, key)
  // of a `oneOf` it makes up only what is required
  if (Array.isArray(node.oneOf) && node.anyOf === undefined) {
    node.anyOf = node.oneOf
    Reflect.deleteProperty(node, 'oneOf')
  }
  lower(node, 'maxItems', Number(node.minItems ?? 0), 3)
  lower(node, 'maxLength', Number(node.minLength ?? 0), 100)
  const { types } = schema
  if (!types.includes('integer') && !types.includes('number')) return node
  if (way.small && node.enum === undefined) addLimits(node)
  moveLimit(node, 'minimum', 'exclusiveMinimum')
  moveLimit(node, 'maximum', 'exclusiveMaximum')
  return node
}

/** The property that a discriminator asks for: its name, and its schema where the alternative does not say it itself. */
interface Naming {
  name: string
  schema: Node | undefined
}

/** The alternatives of a discriminator, each with the property by which it is chosen. */
function namedAlternatives(schema: Schema): Map<Schema, Naming> {
  const { discriminator } = schema
  const keyword = (['oneOf', 'anyOf'] as const).find((one) => schema.has(one))
  const names = keyword && discriminated(schema, schema.schemas(keyword))
  const named = new Map<Schema, Naming>()
  if (!names || !discriminator) return named
  const { propertyName: name } = discriminator
  for (const [value, alternative] of names) {
    const own = alternative.properties.get(name)
    const saysItself = alternative.has('allOf') || own?.has('enum') === true || own?.has('example') === true
    if (!named.has(alternative))
      named.set(alternative, { name, schema: saysItself ? undefined : { type: 'string', enum: [value] } })
  }
  return named
}

/** An alternative with the property that chooses it. */
function withName(alternative: Schema, { name, schema }: Naming, way: Way): Node {
  const node = jsonSchema(alternative, way)
  return {
    ...node,
    ...(schema && { properties: { ...(node.properties ?? {}), [name]: schema } }),
    required: [...new Set([...alternative.required, name])],
  }
}

/** Keywords that JSON Schema does not have. */
const foreign = new Set(['nullable', 'discriminator', 'xml', 'externalDocs', 'example'])

/** Lowers a limit, since the sampler makes up values as large as the limit allows. */
function lower(node: Node, keyword: string, least: number, enough: number): void {
  if (typeof node[keyword] !== 'number') return
  node[keyword] = Math.min(node[keyword], Math.max(least, enough))
}

/** The distance of an added limit from the other one. */
const spread = 1000

function addLimits(node: Node): void {
  if (node.minimum === undefined) node.minimum = node.maximum === undefined ? 1 : Number(node.maximum) - spread
  if (node.maximum === undefined) node.maximum = Number(node.minimum) + spread
}

/** OpenAPI 3.0 marks a limit as exclusive with a boolean; JSON Schema has another keyword for its number. */
function moveLimit(node: Node, inclusive: string, exclusive: string): void {
  const [from, to] = node[exclusive] === true ? [inclusive, exclusive] : [exclusive, inclusive]
  if (node[inclusive] !== undefined) node[to] = Number(node[inclusive])
  Reflect.deleteProperty(node, from)
}
