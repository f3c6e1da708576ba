import { generateSync, type JsonSchema } from 'json-schema-faker'
import { discriminatorNames } from '../contract/compile/schemas/discriminator.ts'
import { entriesOf, isReference, listOf, nodeOf, targetOf, walk, type Node } from '../contract/model/tree.ts'

/** How many values are made up for a schema before the mock gives up. */
const attempts = 12

/**
 * Functions that make up values for a schema of a contract. The first one uses the examples and defaults in the schema.
 * The values are the same at every start. They are not always valid.
 */
export function samplers(root: unknown, schema: unknown): (() => unknown)[] {
  const maxDepth = fullDepth(root, schema)
  return Array.from({ length: attempts }, (_, attempt) => () => {
    const examples = attempt === 0
    // an added limit may contradict another part of an `allOf`
    const small = attempt % 2 === 0
    return generateSync(jsonSchema(root, schema, small), {
      seed: attempt,
      // of alternatives that overlap, one item may be valid where three are not
      maxDefaultItems: attempt < 4 ? 3 : 1,
      // in the end only what is required, to any depth that a schema needs
      ...(attempt < attempts - 2 ? { alwaysFakeOptionals: true, maxDepth } : { optionalsProbability: 0, maxDepth: 30 }),
      useDefaultValue: examples,
      useExamplesValue: examples,
      formats: { byte: () => 'YW5pbWFs', duration: () => 'P1DT12H' },
      outputTransform: (value, schema) => written(value, nodeOf(schema)),
      refResolver: ($ref) => jsonSchema(root, { $ref }, small),
    })
  })
}

/** The most parts of a value that is made up with all that it may have, about. */
const maxParts = 1000
const depths = [10, 8, 6, 5, 4, 3, 2]

/** The depth down to which a value has all that it may have: in schemas that name many others only the upper levels. */
function fullDepth(root: unknown, schema: unknown): number {
  const known = new Map<Node, Map<number, number>>()
  const partsAt = (value: unknown, depth: number): number => {
    const node = targetOf(root, value)?.node
    if (!node || depth < -10) return 1
    const ofNode = known.get(node) ?? new Map<number, number>()
    known.set(node, ofNode)
    const sum = (values: unknown[]): number => values.reduce((all: number, one) => all + partsAt(one, depth - 1), 0)
    const parts = ofNode.get(depth) ?? 1 + sum(ownParts(node, depth > 0)) + 3 * sum([node.items])
    ofNode.set(depth, parts)
    return parts
  }
  return depths.find((depth) => partsAt(schema, depth) <= maxParts) ?? 1
}

/** The schemas of the parts of an object, or of those that it must have, and those that it combines. */
function ownParts({ properties, required, additionalProperties, allOf, anyOf, oneOf }: Node, all: boolean): unknown[] {
  const own = entriesOf(properties).filter(([name]) => all || listOf(required).includes(name))
  return [
    ...own.map(([, one]) => one),
    ...[allOf, anyOf, oneOf].flatMap(listOf),
    ...(all ? [additionalProperties] : []),
  ]
}

/** A value as it is answered: large integers with each digit, and multiples of a fraction without a rest of rounding. */
function written(value: unknown, { type, multipleOf }: Node): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (!Number.isInteger(value)) return multipleOf === undefined ? value : Number(value.toPrecision(15))
  return [type].flat().includes('integer') ? BigInt(value) : value
}

/** A copy of a schema, translated from OpenAPI 3.0 to JSON Schema. With `small`, numbers get limits that they lack. */
function jsonSchema(root: unknown, schema: unknown, small: boolean): JsonSchema {
  const copy = structuredClone(targetOf(root, schema)?.node ?? {})
  walk({ at: [], value: copy }, (node) => {
    nameAlternatives(root, node)
    if (node.example !== undefined) node.examples = [node.example]
    for (const key of Object.keys(node)) {
      // the sampler would take them for parts of the value
      const isForeign = foreign.has(key) || key.startsWith('x-') || (isReference(node) && key !== '$ref')
      if (isForeign) Reflect.deleteProperty(node, key)
    }
    // of a `oneOf` it makes up only what is required
    if (Array.isArray(node.oneOf) && node.anyOf === undefined) {
      node.anyOf = node.oneOf
      Reflect.deleteProperty(node, 'oneOf')
    }
    lower(node, 'maxItems', Number(node.minItems ?? 0), 3)
    lower(node, 'maxLength', Number(node.minLength ?? 0), 100)
    const types = [node.type].flat()
    if (!types.includes('integer') && !types.includes('number')) return
    if (small && node.enum === undefined) addLimits(node)
    moveLimit(node, 'minimum', 'exclusiveMinimum')
    moveLimit(node, 'maximum', 'exclusiveMaximum')
  })
  return copy
}

/** Gives each alternative the value with which the discriminator chooses it, where it does not say that itself. */
function nameAlternatives(root: unknown, node: Node): void {
  const { propertyName } = nodeOf(node.discriminator)
  const keyword = ['oneOf', 'anyOf'].find((one) => Array.isArray(node[one]))
  const names = keyword === undefined ? undefined : discriminatorNames(root, node, keyword)
  if (keyword === undefined || !names || typeof propertyName !== 'string') return
  node[keyword] = listOf(node[keyword]).map((one) => {
    const target = targetOf(root, one)?.node
    const name = [...names].find(([, $ref]) => isReference(one) && one.$ref === $ref)?.[0]
    if (name === undefined || !target || target.allOf !== undefined) return one
    const own = targetOf(root, nodeOf(target.properties)[propertyName])?.node
    if (own?.enum !== undefined || own?.example !== undefined) return one
    const properties = { ...nodeOf(target.properties), [propertyName]: { type: 'string', enum: [name] } }
    return structuredClone({
      ...target,
      properties,
      required: [...new Set([...listOf(target.required), propertyName])],
    })
  })
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
