import { describe, expect, test } from '@jest/globals'
import type { CompiledOperation } from '../../src/contract/compiled.ts'
import { contractText, operationOf, reading, withBody } from '../support/contracts/things.ts'

/** An operation that takes and answers a schema, which may name others. */
function echo(schema: string, others = ''): Promise<CompiledOperation> {
  const content = `content: { application/json: { schema: ${schema} } }`
  const text = contractText(
    `  /things:
    post:
      operationId: addThing
      requestBody: { required: true, ${content} }
      responses: { '200': { description: Done., ${content} } }
`,
    others,
  )
  return operationOf(text)
}

/** The body that is read, or the message of its 400. */
function read(operation: CompiledOperation, body: unknown): unknown {
  const request = reading(operation, { body })
  return typeof request === 'string' ? request : request.body
}

const write = (operation: CompiledOperation, body: unknown): unknown => operation.write({ status: 200, body })
const large = 9007199254740993n

describe('a component', () => {
  test('may be a $ref, and a $ref may lead through a path', async () => {
    const text = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: /v1 }]
security: [{ bearerAuth: [] }]
x-plans: { enterprise: custom }
paths:
  /things:
    post:
      operationId: addThing
      parameters: [{ $ref: '#/components/parameters/Alias' }]
      requestBody: { $ref: '#/components/requestBodies/Alias' }
      responses: { '200': { $ref: '#/components/responses/Alias' } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  parameters: { Alias: { $ref: '#/components/parameters/N' }, N: { name: n, in: query, schema: { $ref: '#/components/schemas/Alias' } } }
  requestBodies: { Alias: { $ref: '#/components/requestBodies/B' }, B: { content: { application/json: { schema: { type: integer } } } } }
  responses:
    Alias: { $ref: '#/components/responses/R' }
    R:
      description: Done.
      content: { application/json: { schema: { $ref: '#/paths/~1things/post/requestBody/content/application~1json/schema' } } }
  schemas: { Alias: { $ref: '#/components/schemas/I' }, I: { type: integer, format: int64 } }
`
    const one = await operationOf(text)
    expect(reading(one, { query: `n=${large}`, body: 5 })).toMatchObject({ query: { n: large }, body: 5 })
    expect(one.write({ status: 200, body: 5 })).toBe('5')
  })

  test('that names another twice, 17 times over, is neither copied nor slow', async () => {
    const names = Array.from({ length: 17 }, (_, index) => index)
    const others = names.map((index) => {
      const next = `{ $ref: '#/components/schemas/S${index + 1}' }`
      return `    S${index}: { type: object, properties: { a: ${next}, b: ${next} } }\n`
    })
    const before = process.memoryUsage().heapUsed
    const one = await echo(
      "{ $ref: '#/components/schemas/S0' }",
      `${others.join('')}    S17: { type: object, properties: { n: { type: integer, format: int64 } } }\n`,
    )
    const nested = names.reduce<object>((inner) => ({ b: inner }), { n: large })
    expect(read(one, nested)).toEqual(nested)
    expect(write(one, nested)).toBe(`${'{"b":'.repeat(17)}{"n":${large}}${'}'.repeat(17)}`)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000)
  })

  test('may contain itself, in requests and in answers', async () => {
    const one = await echo(
      "{ $ref: '#/components/schemas/Tree' }",
      `    Tree:
      type: object
      required: [id]
      properties: { id: { type: integer, format: int64 }, children: { type: array, items: { $ref: '#/components/schemas/Tree' } } }
`,
    )
    const tree = { id: 1, children: [{ id: large, children: [] }] }
    expect(read(one, tree)).toEqual({ id: 1n, children: [{ id: large, children: [] }] })
    expect(read(one, { id: 1, children: [{ id: 'a' }] })).toBe('body.children.0.id must be an integer.')
    expect(write(one, tree)).toBe(`{"id":1,"children":[{"id":${large},"children":[]}]}`)
    expect(() => write(one, { id: 1, children: [{}] })).toThrow('body.children.0.id is required')
  })
})

describe('alternatives', () => {
  const cat = '{ type: object, required: [lives], properties: { lives: { type: integer, format: int64 } } }'
  const dog =
    '{ type: object, required: [name], properties: { name: { type: string, default: Rex }, tag: { type: string } } }'
  const others = `    Cat: ${cat}\n    Dog: ${dog}\n`
  const references = "[{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]"

  test.each(['oneOf', 'anyOf'])('of %s are checked, and written with every digit', async (keyword) => {
    const one = await echo(`{ ${keyword}: ${references} }`, others)
    expect(read(one, { lives: 9 })).toEqual({ lives: 9n })
    expect(read(one, { name: 'Rex' })).toEqual({ name: 'Rex' })
    expect(read(one, { other: 1 })).toBe('body.lives is required or body.name is required.')
    expect(write(one, { lives: large })).toBe(`{"lives":${large}}`)
    expect(() => write(one, { other: 1 })).toThrow('wrong body')
  })

  test('leave out fields that none of them declares, in production', async () => {
    const { compileContract } = await import('../../src/contract/contract.ts')
    const { parseContract } = await import('../../src/contract/model/files/document.ts')
    const content = `content: { application/json: { schema: { anyOf: ${references} } } }`
    const text = contractText(
      `  /things:\n    get:\n      operationId: getThing\n      responses: { '200': { description: A., ${content} } }\n`,
      others,
    )
    const options = { checked: true, checkResponses: false, publicUrl: '' }
    const { operations } = await compileContract(parseContract(text, 'openapi.yaml'), options)
    const written = operations.get('getThing')?.write({ status: 200, body: { lives: 1, name: 'Mia', secret: 'x' } })
    expect(written).toBe('{"lives":1,"name":"Mia"}')
  })

  test('with a discriminator tell only the faults of the one that it names', async () => {
    const kind = (name: string, more: string): string =>
      `    ${name}: { type: object, required: [kind], properties: { kind: { type: string }, ${more} } }\n`
    const two = kind('Cat', 'lives: { type: integer }') + kind('Dog', 'name: { type: string }')
    const mapping = "mapping: { dog: '#/components/schemas/Dog' }"
    const one = await echo(`{ oneOf: ${references}, discriminator: { propertyName: kind, ${mapping} } }`, two)
    expect(read(one, { kind: 'Cat', lives: 9 })).toEqual({ kind: 'Cat', lives: 9 })
    expect(read(one, { kind: 'dog', name: 'Rex' })).toEqual({ kind: 'dog', name: 'Rex' })
    expect(read(one, { kind: 'dog', name: 1 })).toBe('body.name must be a string.')
    expect(read(one, { kind: 'Dog' })).toBe('body.kind must be one of Cat, dog.')
    expect(read(one, {})).toBe('body.kind is required.')
    expect(write(one, { kind: 'dog', name: 'Rex' })).toBe('{"kind":"dog","name":"Rex"}')
  })

  test('of not are checked', async () => {
    const one = await echo('{ type: object, properties: { a: { type: string, not: { enum: [x] } } } }')
    expect(read(one, { a: 'x' })).toBe('body.a must not be x.')
    expect(write(one, { a: 'y' })).toBe('{"a":"y"}')
  })
})

describe('null', () => {
  test.each([
    ['allOf', "{ nullable: true, allOf: [{ $ref: '#/components/schemas/N' }] }"],
    ['oneOf', "{ nullable: true, oneOf: [{ $ref: '#/components/schemas/N' }] }"],
    ['a type', '{ nullable: true, type: object, properties: { n: { type: integer, format: int64 } } }'],
  ])('is accepted by nullable beside %s', async (_, schema) => {
    const one = await echo(
      `{ type: object, properties: { a: ${schema} } }`,
      '    N: { type: object, required: [n], properties: { n: { type: integer, format: int64 } } }\n',
    )
    expect(read(one, { a: null })).toEqual({ a: null })
    expect(read(one, { a: { n: 1 } })).toEqual({ a: { n: 1n } })
    expect(read(one, { a: { n: 'x' } })).toMatch(/^body\.a\.n must be an integer/)
    expect(write(one, { a: null })).toBe('{"a":null}')
    expect(write(one, { a: { n: large } })).toBe(`{"a":{"n":${large}}}`)
  })

  test('is refused by a $ref with nullable beside it, since that is ignored', async () => {
    const one = await echo(
      "{ type: object, properties: { a: { $ref: '#/components/schemas/N', nullable: true } } }",
      '    N: { type: string }\n',
    )
    expect(read(one, { a: null })).toBe('body.a must be a string.')
  })
})

describe('formats that are not known', () => {
  test.each([
    ['{ type: string, format: isbn }', 'any'],
    ['{ type: integer, format: unix-time }', 1700000000],
    ['{ type: integer, format: uint32 }', 4294967295],
    ['{ type: number, format: int32 }', 1.5],
    ['{ type: number, format: money }', 1.5],
    ['{ type: object, format: uri-map }', { a: 'b' }],
  ])('are not checked: %s', async (schema, value) => {
    const one = await echo(schema)
    expect(read(one, value)).toEqual(value)
    expect(write(one, value)).toBe(JSON.stringify(value))
  })
})

describe('properties', () => {
  test('with names of object methods are as any other', async () => {
    const one = await echo(
      '{ type: object, required: [toString], properties: { toString: { type: string }, constructor: { type: string } } }',
    )
    expect(read(one, {})).toBe('body.toString is required.')
    expect(read(one, { toString: 'a' })).toEqual({ toString: 'a' })
    expect(write(one, { toString: 'a' })).toBe('{"toString":"a"}')
  })

  test('that are read-only need not be sent, and those that are write-only are not answered', async () => {
    const one = await echo(
      '{ type: object, required: [id, secret], properties: { id: { type: integer, readOnly: true }, secret: { type: string, writeOnly: true } } }',
    )
    expect(read(one, { secret: 'x' })).toEqual({ secret: 'x' })
    expect(read(one, { id: 1 })).toBe('body.secret is required.')
    expect(write(one, { id: 1 })).toBe('{"id":1}')
    expect(() => write(one, { secret: 'x' })).toThrow('body.id is required')
  })
})

test('a pattern that is none by code points is one of ECMA-262 5.1', async () => {
  const one = await operationOf(withBody(String.raw`{ type: string, pattern: '^[\w\-]+\-$' }`))
  expect(reading(one, { body: 'a-b-' })).toMatchObject({ body: 'a-b-' })
  expect(reading(one, { body: 'a' })).toBe('body is not in the form that the contract gives.')
})

test('limits without a type hold for numbers alone', async () => {
  const one = await echo('{ minimum: 5, exclusiveMinimum: true }')
  expect(read(one, 5)).toBe('body must be > 5.')
  expect(read(one, large)).toBe(large)
  expect(read(one, 'a')).toBe('a')
})

test('an enum has objects, also with names that every object inherits', async () => {
  const one = await echo('{ type: object, enum: [{ toString: 1, a: [b] }, { valueOf: null }] }')
  expect(read(one, { a: ['b'], toString: 1 })).toEqual({ a: ['b'], toString: 1 })
  expect(read(one, { toString: 2 })).toMatch(/^body must be one of/)
  expect(read(one, { a: ['b'], toString: 1, c: 2 })).toMatch(/^body must be one of/)
})
