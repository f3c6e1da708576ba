import { expect, test } from '@jest/globals'
import type { CompiledOperation } from '../../src/contract/compiled.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { publishedContract } from '../../src/contract/served-document.ts'
import { compile, operationOf, reading, withBody, withParameters } from '../support/contracts/things.ts'

function of31(text: string, version = '3.1.0'): string {
  return text.replace('openapi: 3.0.3', `openapi: ${version}`)
}

/** What an operation with a body of this schema makes of it: the value for the handler, or the message of the 400. */
async function body(schema: string): Promise<(value: unknown) => unknown> {
  const operation = await operationOf(of31(withBody(schema)))
  return (value) => bodyOf(operation, value)
}

function bodyOf(operation: CompiledOperation, value: unknown): unknown {
  const read = reading(operation, { body: structuredClone(value), type: 'application/json' })
  return typeof read === 'string' ? read : read.body
}

const large = 9007199254740993n

test('lists of types take a value of each of them, and numbers keep every digit', async () => {
  const read = await body("{ type: object, properties: { a: { type: [integer, string, 'null'], format: int64 } } }")
  expect(read({ a: large })).toEqual({ a: large })
  expect(read({ a: 1 })).toEqual({ a: 1n })
  expect(read({ a: 'x' })).toEqual({ a: 'x' })
  expect(read({ a: null })).toEqual({ a: null })
  expect(read({ a: true })).toBe('body.a must be an integer or a string.')
  expect(read({ a: 2n ** 63n })).toBe('body.a must fit in 64 bits.')
})

test('null is allowed only where every keyword allows it', async () => {
  const read = await body(
    "{ type: object, properties: { a: { type: [integer, 'null'], enum: [1, 2] }, b: { type: [object, 'null'], allOf: [{ type: object }] }, c: { type: [string, 'null'], enum: [x, null] } } }",
  )
  expect(read({ a: null })).toBe('body.a must be an integer.')
  expect(read({ b: null })).toBe('body.b must be an object.')
  expect(read({ c: null })).toEqual({ c: null })
})

test.each(['anyOf', 'oneOf'])('null beside one schema in %s keeps its faults and its defaults', async (keyword) => {
  const read = await body(
    `{ type: object, properties: { a: { ${keyword}: [{ type: 'null' }, { type: object, properties: { n: { type: integer, default: 5 } } }] } } }`,
  )
  expect(read({ a: null })).toEqual({ a: null })
  expect(read({ a: {} })).toEqual({ a: { n: 5 } })
  expect(read({ a: { n: 'x' } })).toBe('body.a.n must be an integer.')
})

test('null beside one schema, within an alternative of which only one applies, gets no defaults', async () => {
  const only = "anyOf: [{ type: object, properties: { n: { type: integer, default: 5 } } }, { type: 'null' }]"
  const read = await body(`{ anyOf: [{ type: object, properties: { a: { ${only} } } }, { type: string }] }`)
  expect(read({ a: {} })).toEqual({ a: {} })
  expect(read({ a: null })).toEqual({ a: null })
})

test('a const keeps every digit, with a type and without one', async () => {
  const read = await body(
    `{ type: object, properties: { a: { const: ${large} }, b: { type: integer, format: int64, const: ${large} }, c: { const: { d: ${large} } }, e: { const: cat, enum: [cat, dog] } } }`,
  )
  const value = { a: large, b: large, c: { d: large }, e: 'cat' }
  expect(read(value)).toEqual(value)
  expect(read({ a: large - 1n })).toBe(`body.a must be ${large}.`)
  expect(read({ b: large - 1n })).toBe(`body.b must be ${large}.`)
  expect(read({ c: { d: large - 1n } })).toBe(`body.c must be {"d":${large}}.`)
  expect(read({ e: 'dog' })).toBe('body.e must be cat.')
})

test('of an exclusive limit and an inclusive one, the stricter one holds', async () => {
  const read = await body(
    '{ type: array, items: { type: number, minimum: 1, exclusiveMinimum: 1, maximum: 5, exclusiveMaximum: 9 } }',
  )
  expect(read([1])).toBe('body.0 must be > 1.')
  expect(read([1.5, 5])).toEqual([1.5, 5])
  expect(read([5.5])).toBe('body.0 must be <= 5.')
})

test('a discriminator without a mapping chooses by the const of its property', async () => {
  const oneOf = "oneOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }, { type: 'null' }]"
  const text = of31(withBody(`{ ${oneOf}, discriminator: { propertyName: kind } }`))
  const read = await operationOf(`${text}  schemas:
    Dog: { type: object, properties: { kind: { const: dog }, age: { type: integer } } }
    Cat: { type: object, properties: { kind: { const: cat }, lives: { type: integer } } }
`)
  expect(bodyOf(read, { kind: 'dog', age: 3 })).toEqual({ kind: 'dog', age: 3 })
  expect(bodyOf(read, { kind: 'cat', lives: 'x' })).toBe('body.lives must be an integer.')
  expect(bodyOf(read, { kind: 'Dog' })).toBe('body.kind must be one of dog, cat.')
  expect(bodyOf(read, null)).toBe(null)
})

test('what stands beside a $ref of a schema holds as well', async () => {
  const text = of31(withBody("{ $ref: '#/components/schemas/Small', maximum: 3, description: Few. }"))
  const read = await operationOf(`${text}  schemas:\n    Small: { type: integer, minimum: 1 }\n`)
  expect(bodyOf(read, 2)).toBe(2)
  expect(bodyOf(read, 4)).toBe('body must be <= 3.')
  expect(bodyOf(read, 0)).toBe('body must be >= 1.')
})

test.each([
  ['prefixItems: [{ type: string }], items: { type: integer }', ['a', 1, 2], ['a', 'b'], 'body.1 must be an integer'],
  ['prefixItems: [{ type: string }], items: false', ['a'], ['a', 1], 'body.1 must not be given'],
  [
    'contains: { type: integer }, minContains: 2',
    ['a', 1, 2],
    [1],
    'body must have at least 2 items of the form that the contract gives',
  ],
  ['dependentRequired: { a: [b] }', { a: 1, b: 2 }, { a: 1 }, 'body.b is required beside body.a'],
  ['dependentSchemas: { a: { required: [b] } }', { a: 1, b: 2 }, { a: 1 }, 'body.b is required'],
  ["patternProperties: { '^n': { type: integer } }", { n1: 1, other: 'x' }, { n1: 'x' }, 'body.n1 must be an integer'],
  ['propertyNames: { maxLength: 2 }', { ab: 1 }, { abc: 1 }, 'the name of body.abc must have at most 2 characters'],
  ['if: { required: [a] }, then: { required: [b] }, else: { required: [c] }', { a: 1, b: 1 }, {}, 'body.c is required'],
  [
    'allOf: [{ properties: { a: {} } }], unevaluatedProperties: false',
    { a: 1 },
    { b: 1 },
    'body.b is not a known field',
  ],
  ['prefixItems: [true], unevaluatedItems: false', [1], [1, 2], 'body must have at most 1 item'],
  ['properties: { a: false }', { b: 1 }, { a: 1 }, 'body.a must not be given'],
])('the keywords %s of JSON Schema 2020-12 are checked', async (keywords, sound, wrong, message) => {
  const read = await body(`{ ${keywords} }`)
  expect(read(sound)).toEqual(sound)
  expect(read(wrong)).toBe(`${message}.`)
})

test('an answer keeps what the keywords of JSON Schema 2020-12 allow, with every digit', async () => {
  const schema = `{ type: object, properties: { pair: { type: array, prefixItems: [{ type: object, properties: { a: {} } }, { type: object, properties: { b: {} } }] }, kind: { type: string }, map: { type: object, patternProperties: { '^n': { type: integer, format: int64 } } }, one: { type: [integer, 'null'], format: int64 } }, if: { properties: { kind: { const: x } } }, then: { properties: { extra: {} } }, dependentSchemas: { kind: { properties: { more: {} } } } }`
  const operation = await operationOf(
    of31(withBody('{}')).replace(
      "'204': { description: Done. }",
      `'200': { description: A., content: { application/json: { schema: ${schema} } } }`,
    ),
  )
  const answer = { pair: [{ a: 1 }, { b: large }], kind: 'x', map: { n1: large }, one: null, extra: 1, more: 2 }
  expect(operation.write({ status: 200, body: answer })).toBe(
    `{"pair":[{"a":1},{"b":${large}}],"kind":"x","map":{"n1":${large}},"one":null,"extra":1,"more":2}`,
  )
  expect(() => operation.write({ status: 200, body: { map: { n1: 'x' } } })).toThrow('body.map.n1 must be an integer')
})

test('texts of parameters become values of the listed types', async () => {
  const operation = await operationOf(
    of31(
      withParameters(
        '{ in: query, name: a, schema: { type: [integer, string], format: int64 } }',
        "{ in: query, name: b, schema: { anyOf: [{ type: integer }, { type: 'null' }] } }",
        '{ in: query, name: c, schema: { type: array, prefixItems: [{ type: string }, { type: [integer, boolean] }] } }',
      ),
    ),
  )
  const read = (query: string): unknown => {
    const read = reading(operation, { query })
    return typeof read === 'string' ? read : { ...read.query }
  }
  expect(read(`a=${large}&b=3&c=1&c=1`)).toEqual({ a: large, b: 3, c: ['1', 1] })
  expect(read('a=x')).toEqual({ a: 'x' })
  expect(read('b=x')).toBe('query.b must be an integer.')
})

test('nullable means nothing in OpenAPI 3.1', async () => {
  const read = await body('{ type: integer, nullable: true }')
  expect(read(null)).toBe('body must be an integer.')
})

test('a contract of OpenAPI 3.1 is published as its file has it', () => {
  const text = of31(withBody("{ type: [integer, 'null'], const: 9007199254740993, exclusiveMinimum: 3 }"))
  const { json, yaml } = publishedContract(parseContract(text, 'openapi.yaml'), '/v1')
  expect(json).toContain('{"type":["integer","null"],"const":9007199254740993,"exclusiveMinimum":3}')
  expect(yaml).toContain("{ type: [ integer, 'null' ], const: 9007199254740993, exclusiveMinimum: 3 }")
})

test.each([
  ['$dynamicRef', "{ $dynamicRef: '#node' }"],
  ['jsonSchemaDialect', '{}', 'jsonSchemaDialect: https://example.test/dialect\n'],
  ['$id', "{ $id: 'https://example.test/a', items: { $ref: '#/x-part' } }", 'x-part: { type: string }\n'],
  ['exclusiveMinimum', '{ type: integer, minimum: 1, exclusiveMinimum: true }'],
  ['items', '{ type: array, items: [{ type: string }] }'],
])('a contract with %s that cannot be honoured is refused at its place', async (keyword, schema, more = '') => {
  const text = of31(withBody(schema)).replace('info:', `${more}info:`)
  const lines = text.split('\n')
  const line = lines.findIndex((one) => one.includes(`${keyword}:`)) + 1
  const column = (lines[line - 1] ?? '').indexOf(`${keyword}:`) + 1
  await expect(Promise.resolve().then(() => compile(text, { checked: false }))).rejects.toThrow(
    new RegExp(`^openapi\\.yaml:${line}:${column} `),
  )
})

test.each(['3.1.1', '3.2.0'])('a contract of OpenAPI %s may have no paths, and webhooks', async (version) => {
  const text = `openapi: ${version}\ninfo: { title: T, summary: S, version: '1', license: { name: MIT, identifier: MIT } }\nwebhooks: { thing: { post: { responses: { '200': { description: A. } } } } }\n`
  const { operations } = await compile(text, { checked: false })
  expect(operations.size).toBe(0)
})

test.each([
  ['query: { responses: {} }', '9:5 The method QUERY is not served'],
  ['additionalOperations: { COPY: { responses: {} } }', '9:5 Methods of additionalOperations are not served'],
])('what OpenAPI 3.2 adds to paths is refused at its place: %s', async (line, message) => {
  const text = of31(withParameters(), '3.2.0').replace('    get:', `    ${line}\n    get:`)
  await expect(Promise.resolve().then(() => compile(text, { checked: false }))).rejects.toThrow(
    `openapi.yaml:${message.replace('9:', '8:')}`,
  )
})
