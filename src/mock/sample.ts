import { generateSync, type JsonSchema } from 'json-schema-faker'
import { nodeOf, targetOf, walk, type Node } from '../contract/document/tree.ts'

/** How many values are made up from a schema before it is given up. */
const attempts = 6

/**
 * Makers of values for a schema of a contract: at first from the examples and defaults of its parts, then without. They
 * give the same values at every start, which are not always valid.
 */
export function samplers(root: unknown, schema: unknown): (() => unknown)[] {
  return Array.from({ length: attempts }, (_, attempt) => () => {
    const examples = attempt === 0
    // what is small for one part of an `allOf` may be wrong for another
    const small = attempt % 2 === 0
    return generateSync(jsonSchema(root, schema, small), {
      seed: attempt,
      alwaysFakeOptionals: true,
      useDefaultValue: examples,
      useExamplesValue: examples,
      formats: { byte: () => 'YW5pbWFs', duration: () => 'P1DT12H' },
      // the writer keeps every digit of a bigint
      outputTransform: (value, schema) => (nodeOf(schema).type === 'integer' && isLarge(value) ? BigInt(value) : value),
      refResolver: ($ref) => jsonSchema(root, { $ref }, small),
    })
  })
}

function isLarge(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** A copy of a schema of OpenAPI 3.0 as JSON Schema has it; with `small`, numbers have two limits that are near. */
function jsonSchema(root: unknown, schema: unknown, small: boolean): JsonSchema {
  const copy = structuredClone(targetOf(root, schema)?.node ?? {})
  walk({ at: [], value: copy }, (node) => {
    if (node.example !== undefined) node.examples = [node.example]
    if (node.type !== 'integer' && node.type !== 'number') return
    if (small && node.enum === undefined) addLimits(node)
    moveLimit(node, 'minimum', 'exclusiveMinimum')
    moveLimit(node, 'maximum', 'exclusiveMaximum')
  })
  return copy
}

/** How far a number goes from its only limit. */
const spread = 1000

function addLimits(node: Node): void {
  if (node.minimum === undefined) node.minimum = node.maximum === undefined ? 1 : Number(node.maximum) - spread
  if (node.maximum === undefined) node.maximum = Number(node.minimum) + spread
}

/** JSON Schema has keywords of their own for exclusive limits, which OpenAPI 3.0 only marks. */
function moveLimit(node: Node, inclusive: string, exclusive: string): void {
  const [from, to] = node[exclusive] === true ? [inclusive, exclusive] : [exclusive, inclusive]
  if (node[inclusive] !== undefined) node[to] = Number(node[inclusive])
  Reflect.deleteProperty(node, from)
}
