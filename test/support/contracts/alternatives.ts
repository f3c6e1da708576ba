import * as fc from 'fast-check'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** A schema of JSON Schema 2020-12. */
export type Json = Record<string, unknown>

const scalars = ['a', 'b', 'c', 1, 2, null]
const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })

/** Components to which schemas may refer. */
export const components: Record<string, Json> = {
  Letter: { type: 'string', enum: ['a', 'b'] },
  Digit: { enum: [1, 2] },
  Maybe: { type: ['string', 'null'], enum: ['a', null] },
  One: { const: 'a' },
  Cat: { type: 'object', required: ['a'], properties: { a: { const: 'a' }, b: { type: 'integer' } } },
  Dog: { type: 'object', required: ['a'], properties: { a: { const: 'b' }, b: { type: 'string' } } },
}

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...['string', 'integer', 'boolean', 'null'].map((type) => ({ type }))),
  fc.constantFrom<Json[]>({ type: ['string', 'null'] }, { type: ['integer', 'string'] }, { type: 'number' }),
  fc.uniqueArray(fc.constantFrom(...scalars), { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
  fc.constantFrom(...scalars).map((value) => ({ const: value })),
  fc.integer({ min: 0, max: 3 }).map((maxLength) => ({ type: 'string', maxLength })),
  fc.record({ minimum: fc.integer({ min: 0, max: 3 }), maximum: fc.integer({ min: 3, max: 5 }) }).map((limits) => {
    return { type: 'integer', ...limits }
  }),
  fc.constantFrom(...Object.keys(components)).map((name) => ({ $ref: `#/components/schemas/${name}` })),
)

const { node } = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .record({
        keyword: fc.constantFrom('oneOf', 'anyOf'),
        alternatives: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      })
      .map(({ keyword, alternatives }) => ({ [keyword]: alternatives })),
    fc
      .record({
        required: fc.subarray(['a', 'b']),
        properties: fc.record({ a: tie('node'), b: leaf }),
        isClosed: fc.boolean(),
      })
      .map(({ required, properties, isClosed }) => {
        return { type: 'object', required, properties, ...(isClosed ? { additionalProperties: false } : {}) }
      }),
    leaf.map((items) => ({ type: 'array', items })),
  ),
}))

/** Another way to write a schema, or a schema that has more or fewer alternatives. */
const edit: fc.Arbitrary<(schema: Json) => Json> = fc.oneof(
  fc.constantFrom<((schema: Json) => Json)[]>(
    (schema) => ({ oneOf: [schema] }),
    (schema) => ({ anyOf: [schema] }),
    (schema) => ({ anyOf: [schema, { type: 'null' }] }),
    (schema) => ({ oneOf: [schema, { const: null }] }),
    respelled,
    swapped,
  ),
  fc
    .tuple(fc.constantFrom('oneOf', 'anyOf'), node)
    .map(([keyword, other]) => (schema: Json) => ({ [keyword]: [schema, other] })),
  node.map((other) => (schema: Json) => withMore(schema, other)),
  fc.constant(withLess),
)

/** Two versions of a schema. */
export const pairs: fc.Arbitrary<[Json, Json]> = fc.oneof(
  fc.tuple(node, edit).map(([schema, change]): [Json, Json] => [schema, change(schema)]),
  fc.tuple(node, edit).map(([schema, change]): [Json, Json] => [change(schema), schema]),
  fc.tuple(node, edit, edit).map(([schema, one, other]): [Json, Json] => [one(schema), other(schema)]),
  fc.tuple(node, node),
)

/** An enum as alternatives of its values, or the other way round. */
function respelled(schema: Json): Json {
  if (Array.isArray(schema.enum)) return { anyOf: schema.enum.map((value: unknown) => ({ const: value })) }
  return 'const' in schema ? { enum: [schema.const] } : schema
}

function swapped({ oneOf, anyOf, ...others }: Json): Json {
  return {
    ...others,
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
    ...(anyOf === undefined ? {} : { oneOf: anyOf }),
  }
}

function withMore(schema: Json, other: Json): Json {
  const keyword = 'oneOf' in schema ? 'oneOf' : 'anyOf'
  return keyword in schema ? { [keyword]: [...(schema[keyword] as Json[]), other] } : { anyOf: [schema, other] }
}

function withLess(schema: Json): Json {
  const keyword = 'oneOf' in schema ? 'oneOf' : 'anyOf'
  const all = (schema[keyword] ?? schema.enum) as unknown[] | undefined
  if (!all || all.length < 2) return schema
  return { [keyword in schema ? keyword : 'enum']: all.slice(1) }
}

/** What tells whether a value is valid. `isUnion` takes a `oneOf` for an `anyOf`, as clients read answers. */
export function validatorOf(schema: Json, isUnion = false): (value: unknown) => boolean {
  const text = JSON.stringify({ ...schema, components: { schemas: components } })
  return ajv.compile(JSON.parse(isUnion ? text.replaceAll('"oneOf":', '"anyOf":') : text) as Json)
}

/** Values among which schemas differ, if they do: those that they name, and those next to their limits. */
export function samplesOf(...schemas: Json[]): unknown[] {
  const all = [...scalars, true, 1.5, [], {}, { c: 1 }, ...schemas.flatMap(valuesNear)]
  return [...new Map(all.map((value) => [JSON.stringify(value), value])).values()]
}

function valuesNear(schema: Json): unknown[] {
  const { $ref, oneOf, anyOf, properties, items, minimum, maximum, maxLength } = schema
  if (typeof $ref === 'string') return valuesNear(components[$ref.split('/').at(-1) ?? ''] ?? {})
  const alternatives = [oneOf, anyOf].flatMap((all) => (all ?? []) as Json[]).flatMap(valuesNear)
  const limits = [minimum, maximum].flatMap((limit) => (typeof limit === 'number' ? [limit - 1, limit, limit + 1] : []))
  const texts = typeof maxLength === 'number' ? ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)] : []
  const named = [...((schema.enum ?? []) as unknown[]), ...('const' in schema ? [schema.const] : [])]
  const types = [schema.type]
    .flat()
    .map((type) => ({ string: 'xxxxxx', integer: 9, number: 9.5, boolean: false })[String(type)])
  const lists = items === undefined ? [] : [...scalars, ...valuesNear(items as Json)].map((item) => [item])
  return [
    ...alternatives,
    ...limits,
    ...texts,
    ...named,
    ...types.filter((one) => one !== undefined),
    ...lists,
    ...objectsOf(properties),
  ]
}

function objectsOf(properties: unknown): Json[] {
  if (typeof properties !== 'object') return []
  const { a, b } = properties as Record<'a' | 'b', Json>
  const [some, more] = [a, b].map((schema) => [undefined, ...valuesNear(schema), ...scalars].slice(0, 30))
  const pairs = (some ?? []).flatMap((one) => (more ?? []).map((other) => ({ a: one, b: other })))
  // without the keys whose values are undefined
  return pairs.flatMap((pair) => [pair, { ...pair, c: 1 }]).map((value) => JSON.parse(JSON.stringify(value)) as Json)
}
