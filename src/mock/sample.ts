import { generateSync, type JsonSchema } from 'json-schema-faker'
import { discriminatorNames } from '../contract/compile/schemas/schema.ts'
import { isReference, listOf, nodeOf, targetOf, walk, type Node } from '../contract/document/tree.ts'

/** How many values are made up for a schema before the mock gives up. */
const attempts = 6

/**
 * Functions that make up values for a schema of a contract. The first one uses the examples and defaults in the schema.
 * The values are the same at every start. They are not always valid.
 */
export function samplers(root: unknown, schema: unknown): (() => unknown)[] {
  return Array.from({ length: attempts }, (_, attempt) => () => {
    const examples = attempt === 0
    // an added limit may contradict another part of an `allOf`
    const small = attempt % 2 === 0
    return generateSync(jsonSchema(root, schema, small), {
      seed: attempt,
      // in the end only what is required, to any depth that a schema needs
      ...(attempt < attempts - 2 ? { alwaysFakeOptionals: true } : { optionalsProbability: 0, maxDepth: 30 }),
      useDefaultValue: examples,
      useExamplesValue: examples,
      formats: { byte: () => 'YW5pbWFs', duration: () => 'P1DT12H' },
      // the writer writes each digit of a bigint
      outputTransform: (value, schema) =>
        isLarge(value) && [nodeOf(schema).type].flat().includes('integer') ? BigInt(value) : value,
      refResolver: ($ref) => jsonSchema(root, { $ref }, small),
    })
  })
}

function isLarge(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
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
