import { describe, expect, test } from '@jest/globals'
import { operationOf, reading, withBody } from '../support/contracts/things.ts'

/** What a body is told by a schema of OpenAPI 3.1; undefined for a valid one. */
async function told(schema: string, body: unknown): Promise<string | undefined> {
  const operation = await operationOf(withBody(schema).replace('3.0.3', '3.1.0'))
  const said = reading(operation, { body, type: 'application/json' })
  return typeof said === 'string' ? said : undefined
}

describe('a schema that starts as JSON Schema allows', () => {
  test.each<[string, string, unknown, unknown]>([
    ['if without then and else', '{ if: { type: string }, type: [string, integer] }', 1, true],
    ['then without if', '{ then: { type: string }, type: integer }', 1, 'a'],
    ['else without if', '{ else: { type: string }, type: integer }', 1, 'a'],
    [
      'a property that matches a pattern too',
      '{ properties: { ab: { type: string } }, patternProperties: { a: { maxLength: 2 } } }',
      { ab: 'ab' },
      { ab: 'abc' },
    ],
    [
      'more contained than may be',
      '{ contains: { type: integer }, minContains: 3, maxContains: 2 }',
      { a: 1 },
      [1, 2, 3],
    ],
    ['no item contained, where one is needed', '{ contains: { type: integer }, maxContains: 0 }', 'a', []],
    ['limits without contains', '{ minContains: 3, maxContains: 2, type: array }', [1], 1],
    ['names that objects inherit', '{ required: [constructor, toString] }', { constructor: 1, toString: 1 }, {}],
    ['such a name beside another', '{ dependentRequired: { a: [valueOf] } }', { a: 1, valueOf: 1 }, { a: 1 }],
    ['such a name that needs another', '{ dependentRequired: { toString: [a] } }', {}, { toString: 1 }],
    ['such a name with a schema', '{ dependentSchemas: { toString: { required: [a] } } }', {}, { toString: 1 }],
  ])('%s', async (_, schema, valid, invalid) => {
    expect(await told(schema, valid)).toBeUndefined()
    expect(await told(schema, invalid)).toMatch(/^body/)
  })
})

describe('what no other keyword evaluates', () => {
  test.each<[string, unknown, string | undefined]>([
    ['contains: { type: string }, prefixItems: [true], unevaluatedItems: false', [1, 'a', 'b'], undefined],
    [
      'contains: { type: string }, prefixItems: [true], unevaluatedItems: false',
      [1, 'a', 2],
      'body must have at most 2 items.',
    ],
    ['contains: { type: string }, unevaluatedItems: false', [1, 'a'], 'body.0 is no item that the contract gives.'],
    ['contains: { type: string }, minContains: 0, unevaluatedItems: false', ['a'], undefined],
    ['contains: { type: string }, minContains: 0, unevaluatedItems: false', [1], 'body must have at most 0 items.'],
    ['contains: { type: string }, unevaluatedItems: { type: integer }', ['a', 1], undefined],
    ['contains: { type: string }, unevaluatedItems: { type: integer }', ['a', 1.5], 'body.1 must be an integer.'],
    ['anyOf: [{ items: { type: string } }, true], unevaluatedItems: { type: boolean }', [true], undefined],
    ['if: { prefixItems: [{ const: a }] }, unevaluatedItems: false', ['a'], undefined],
    ['if: { prefixItems: [{ const: a }] }, unevaluatedItems: false', ['b'], 'body must have at most 0 items.'],
    [
      'if: { properties: { a: { const: 1 } }, required: [a] }, else: { properties: { b: {} } }, unevaluatedProperties: false',
      { a: 2, b: 1 },
      'body.a is not a known field.',
    ],
    [
      'if: { properties: { a: { const: 1 } }, required: [a] }, else: { properties: { b: {} } }, unevaluatedProperties: false',
      { a: 1, b: 1 },
      'body.b is not a known field.',
    ],
    [
      'if: { properties: { a: { const: 1 } }, required: [a] }, else: { properties: { b: {} } }, unevaluatedProperties: false',
      { b: 1 },
      undefined,
    ],
    ['if: { patternProperties: { a: { type: string } } }, unevaluatedProperties: false', { a: 'x' }, undefined],
    [
      'dependentSchemas: { a: { properties: { b: {} } } }, properties: { a: {} }, unevaluatedProperties: false',
      { a: 1, b: 1 },
      undefined,
    ],
    [
      'dependentSchemas: { a: { properties: { b: {} } } }, properties: { c: {} }, unevaluatedProperties: false',
      { b: 1 },
      'body.b is not a known field.',
    ],
    [
      'properties: { a: {} }, unevaluatedProperties: { type: integer, format: int64 }',
      { a: 'x', b: 'y' },
      'body.b must be an integer.',
    ],
    ['allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false', { a: 1 }, undefined],
    ['not: { properties: { a: {} } }, unevaluatedProperties: false', { a: 1 }, 'body'],
  ])('by { %s }, %j is told %s', async (keywords, body, message) => {
    const said = await told(`{ ${keywords} }`, body)
    if (message === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(message)
  })

  test('is found in bodies that contain themselves, in time that grows with them', async () => {
    const node =
      '{ type: object, anyOf: [{ properties: { next: { $ref: "#/components/schemas/N" } } }, { required: [x] }], unevaluatedProperties: false }'
    const text = withBody('{ $ref: "#/components/schemas/N" }').replace('3.0.3', '3.1.0')
    const operation = await operationOf(`${text}  schemas:\n    N: ${node}\n`)
    const nested = (depth: number, last: object): object => (depth === 0 ? last : { next: nested(depth - 1, last) })
    expect(typeof reading(operation, { body: nested(40, {}), type: 'application/json' })).toBe('object')
    expect(reading(operation, { body: nested(40, { y: 1 }), type: 'application/json' })).toMatch(/^body/)
  })
})
