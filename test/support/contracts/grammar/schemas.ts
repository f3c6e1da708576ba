import fc from 'fast-check'

/** A schema of OpenAPI 3.0 beside what it means, so that the service can be held to it. */
export interface Model {
  /** The schema. `$shared` stands for a schema that is moved to the components, `$tree` for one that contains itself. */
  schema: Record<string, unknown>
  /** Whether a value is valid. Integers are `bigint`, other numbers are `number`. */
  accepts: (value: unknown) => boolean
  /** Valid values. */
  values: fc.Arbitrary<unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const characters = ['a', 'Z', '0', ' ', '"', '\\', '/', 'é', '😀', '\u2028']

const limitedTexts = fc.tuple(fc.nat(3), fc.nat(4)).map(([minLength, more]): Model => {
  const maxLength = minLength + more
  return {
    schema: { type: 'string', minLength, maxLength },
    accepts: (value) =>
      typeof value === 'string' && Array.from(value).length >= minLength && Array.from(value).length <= maxLength,
    values: fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((all) => all.join('')),
  }
})

/** A schema of texts of which two valid ones are known. */
function texts(schema: object, isValid: (text: string) => boolean, ...valid: string[]): Model {
  return {
    schema: { type: 'string', ...schema },
    accepts: (value) => typeof value === 'string' && isValid(value),
    values: fc.constantFrom(...valid),
  }
}

/** Schemas whose texts can stand in a path, a header and a cookie. */
const words = fc.constantFrom(
  texts({ enum: ['cat', 'dog', 'constructor'] }, (text) => ['cat', 'dog', 'constructor'].includes(text), 'cat', 'dog'),
  texts({ pattern: '^[a-z]+$' }, (text) => /^[a-z]+$/.test(text), 'cat', 'toString'.toLowerCase()),
  texts({ pattern: String.raw`^a\-?b$` }, (text) => /^a-?b$/.test(text), 'ab', 'a-b'),
  texts(
    { format: 'date' },
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
    '2024-02-29',
    '1999-12-31',
  ),
  texts({ format: 'isbn' }, () => true, 'a', '978-3'),
  texts({ not: { enum: ['none'] } }, (text) => text !== 'none', 'some', 'nones'),
)

const ranges: Record<string, [bigint, bigint]> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  '': [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)],
}

const integers = fc
  .record({
    format: fc.constantFrom('', 'int32', 'int64'),
    limit: fc.constantFrom<'none' | 'minimum' | 'maximum' | 'exclusive'>('none', 'minimum', 'maximum', 'exclusive'),
    at: fc.integer({ min: -1000, max: 1000 }),
  })
  .map(({ format, limit, at }): Model => {
    let [min, max] = ranges[format] ?? [0n, 0n]
    const schema: Model['schema'] = { type: 'integer', ...(format === '' ? {} : { format }) }
    if (limit === 'maximum') Object.assign(schema, { maximum: at })
    else if (limit !== 'none') Object.assign(schema, { minimum: at })
    if (limit === 'exclusive') schema.exclusiveMinimum = true
    if (limit === 'maximum') max = BigInt(at)
    else if (limit !== 'none') min = BigInt(at) + (limit === 'exclusive' ? 1n : 0n)
    return {
      schema,
      accepts: (value) => typeof value === 'bigint' && value >= min && value <= max,
      values: fc.bigInt({ min, max }),
    }
  })

const booleans = fc.constant<Model>({
  schema: { type: 'boolean' },
  accepts: (value) => typeof value === 'boolean',
  values: fc.boolean(),
})

const numbers = fc.constant<Model>({
  schema: { type: 'number' },
  accepts: (value) => typeof value === 'number' || typeof value === 'bigint',
  values: fc.integer().map((quarters) => (quarters % 4 === 0 ? BigInt(quarters / 4) : quarters / 4)),
})

/** Schemas of single values that every place of a parameter can carry. */
export const scalars: fc.Arbitrary<Model> = fc.oneof(words, integers, booleans)

const untyped = fc.constant<Model>({
  schema: {},
  accepts: () => true,
  values: fc.constantFrom(null, 'a', 2n ** 70n, [], { a: { b: [-0.5, 1n] } }),
})

const names = ['id', 'name', 'constructor', 'toString', 'hasOwnProperty', 'x-y', 'a b', 'a/b~c', 'é']

interface Shape {
  properties: Map<string, { model: Model; required: boolean }>
  /** Of further properties: `true` allows all, `false` none. */
  others: boolean | Model | undefined
}

function objectOf({ properties, others }: Shape): Model {
  const required = [...properties].filter(([, one]) => one.required).map(([name]) => name)
  const schema: Model['schema'] = {
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, { model }]) => [name, model.schema])),
    ...(required.length === 0 ? {} : { required }),
    ...(others === undefined ? {} : { additionalProperties: typeof others === 'object' ? others.schema : others }),
  }
  const isOther = (value: unknown): boolean => (typeof others === 'object' ? others.accepts(value) : others !== false)
  const optional = (
    values: fc.Arbitrary<unknown>,
    isRequired: boolean,
  ): fc.Arbitrary<{ value: unknown } | undefined> =>
    isRequired
      ? values.map((value) => ({ value }))
      : fc.option(
          values.map((value) => ({ value })),
          { nil: undefined },
        )
  const own = [...properties].map(([name, one]) =>
    optional(one.model.values, one.required).map((made) => (made ? [[name, made.value] as const] : [])),
  )
  const more = typeof others === 'object' ? others.values.map((value) => [['other', value] as const]) : fc.constant([])
  return {
    schema,
    accepts: (value) =>
      isObject(value) &&
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, child]) => properties.get(name)?.model.accepts(child) ?? isOther(child)),
    values: fc.tuple(...own, more).map((all) => Object.fromEntries(all.flat())),
  }
}

function objects(models: fc.Arbitrary<Model>, pool = names): fc.Arbitrary<Model & { shape: Shape }> {
  const property = fc.tuple(fc.constantFrom(...pool), models, fc.boolean())
  return fc
    .tuple(
      fc.uniqueArray(property, { selector: ([name]) => name, maxLength: 3, minLength: 1 }),
      fc.oneof(fc.constantFrom(undefined, true, false), models),
    )
    .map(([all, others]) => {
      const shape = { properties: new Map(all.map(([name, model, required]) => [name, { model, required }])), others }
      return { ...objectOf(shape), shape }
    })
}

function lists(models: fc.Arbitrary<Model>): fc.Arbitrary<Model> {
  return fc.tuple(models, fc.nat(2), fc.nat(2)).map(([items, minItems, more]) => {
    const maxItems = minItems + more
    return {
      schema: { type: 'array', items: items.schema, minItems, maxItems },
      accepts: (value) =>
        Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(items.accepts),
      values: fc.array(items.values, { minLength: minItems, maxLength: maxItems }),
    }
  })
}

/** Two alternatives of which a value can be only one. */
function alternatives(models: fc.Arbitrary<Model>): fc.Arbitrary<Model> {
  const keyword = fc.constantFrom('oneOf', 'anyOf')
  const first = fc.oneof(words, integers, booleans)
  const second = fc.oneof(lists(models), objects(models))
  return fc.tuple(keyword, first, second).map(([combined, one, other]) => ({
    schema: { [combined]: [one.schema, other.schema] },
    accepts: (value) => one.accepts(value) || other.accepts(value),
    values: fc.oneof(one.values, other.values),
  }))
}

/** Objects of two parts, which have no property in common and both allow others. */
function parts(models: fc.Arbitrary<Model>): fc.Arbitrary<Model> {
  const open = (pool: string[]): fc.Arbitrary<Model> =>
    objects(models, pool).map(({ shape }) => objectOf({ ...shape, others: undefined }))
  return fc.tuple(open(names.slice(0, 4)), open(names.slice(4))).map(([one, other]) => ({
    schema: { allOf: [one.schema, other.schema] },
    accepts: (value) => one.accepts(value) && other.accepts(value),
    values: fc.tuple(one.values, other.values).map(([a, b]) => Object.assign({}, a, b) as unknown),
  }))
}

/** Two shared kinds of objects, told apart by a property. */
function discriminated(models: fc.Arbitrary<Model>): fc.Arbitrary<Model> {
  return fc.tuple(models, models, fc.constantFrom('oneOf', 'anyOf')).map(([cat, dog, keyword]) => {
    const kind = (name: string, model: Model): Model =>
      objectOf({
        properties: new Map([
          ['kind', { model: texts({ enum: [name] }, (text) => text === name, name), required: true }],
          ['value', { model, required: true }],
        ]),
        others: false,
      })
    const [one, other] = [kind('cat', cat), kind('dog', dog)]
    return {
      schema: {
        [keyword]: [{ $shared: one.schema }, { $shared: other.schema }],
        discriminator: { propertyName: 'kind', mapping: { cat: { $mapped: 0 }, dog: { $mapped: 1 } } },
      },
      accepts: (value) => one.accepts(value) || other.accepts(value),
      values: fc.oneof(one.values, other.values),
    }
  })
}

function nullable(model: Model): Model {
  const isPlain = 'type' in model.schema && !('enum' in model.schema)
  return {
    schema: isPlain ? { ...model.schema, nullable: true } : { nullable: true, allOf: [model.schema] },
    accepts: (value) => value === null || model.accepts(value),
    values: fc.oneof(fc.constant(null), model.values),
  }
}

function shared(model: Model, how: 'plain' | 'alias' | 'path'): Model {
  return { ...model, schema: { $shared: model.schema, how } }
}

/** A tree whose leaves are values of a model. */
function tree(leaf: Model): Model {
  const accepts = (value: unknown): boolean =>
    isObject(value) &&
    Object.entries(value).every(([name, child]) =>
      name === 'leaf' ? leaf.accepts(child) : name === 'all' && Array.isArray(child) && child.every(accepts),
    )
  const { node } = fc.letrec((tie) => ({
    node: fc.record(
      { leaf: leaf.values, all: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'tree' }) },
      { requiredKeys: [] },
    ),
  }))
  return { schema: { $tree: leaf.schema }, accepts, values: node }
}

/** Schemas of every kind that the service honours in both directions. */
export const models: fc.Arbitrary<Model> = fc.letrec<{ model: Model }>((tie) => {
  const inner = tie('model')
  return {
    model: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 3, arbitrary: fc.oneof(limitedTexts, words, integers, numbers, booleans, untyped) },
      objects(inner),
      lists(inner),
      alternatives(inner),
      parts(inner),
      discriminated(inner),
      inner.map(nullable),
      fc.tuple(inner, fc.constantFrom('plain', 'alias', 'path')).map(([model, how]) => shared(model, how)),
      inner.map(tree),
    ),
  }
}).model

/** Objects of single values, as forms carry them. An empty form is no body. */
export const forms: fc.Arbitrary<Model> = objects(scalars, ['id', 'name', 'x-y']).map(({ shape }) => {
  const model = objectOf({ ...shape, others: false })
  return { ...model, values: model.values.filter((value) => Object.keys(value as object).length > 0) }
})
