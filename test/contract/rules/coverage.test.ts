import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import type { CompiledOperation } from '../../../src/contract/compiled.ts'
import { compileContract } from '../../../src/contract/contract.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { numericDefinition } from '../../../src/contract/compile/schemas/numbers.ts'
import { numericKeyword } from '../../../src/contract/exchange/keywords.ts'

const done = `responses: { '200': { description: Done. } }`
function contractText(paths: string, schemas = ''): string {
  return `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v1' }]
security: [{ bearerAuth: [] }]
paths:
${paths}components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
${schemas && `  schemas:\n${schemas}`}`
}
function withOperation(...lines: string[]): string {
  return contractText(
    `  /things:\n    get:\n      operationId: getThing\n${lines.map((line) => `      ${line}\n`).join('')}`,
  )
}
async function operationOf(text: string, { checkResponses = true } = {}): Promise<CompiledOperation> {
  const { operations } = await compileContract(parseContract(text, 'openapi.yaml'), {
    checked: false,
    checkResponses,
    publicUrl: '',
  })
  return operations.values().next().value as CompiledOperation
}
const body = (schema: string): string =>
  `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`
const reply = (schema: string): string =>
  `responses: { '200': { description: Done., content: { application/json: { schema: ${schema} } } } }`
const read = (one: CompiledOperation, request: object): unknown =>
  one.read({ values: [], query: '', headers: {}, body: undefined, ...request })

describe('a schema that two places refer to', () => {
  const two = `{ type: object, properties: { a: { $ref: '#/components/schemas/S' }, b: { $ref: '#/components/schemas/S' } } }`
  test('may have an enumeration, in a body', async () => {
    const one = await operationOf(
      contractText(
        `  /t:\n    post:\n      operationId: addT\n      ${body(two)}\n      ${done}\n`,
        '    S: { type: string, enum: [x, y] }\n',
      ),
    )
    expect(read(one, { body: { a: 'x', b: 'y' } })).toMatchObject({ body: { a: 'x', b: 'y' } })
  })
  test('may have an enumeration, in parameters', async () => {
    const parameters = ['a', 'b'].map(
      (name) => `{ name: ${name}, in: query, schema: { $ref: '#/components/schemas/S' } }`,
    )
    const one = await operationOf(
      contractText(
        `  /t:\n    get:\n      operationId: getT\n      parameters: [${parameters.join()}]\n      ${done}\n`,
        '    S: { type: string, enum: [x, y] }\n',
      ),
    )
    expect(read(one, { query: 'a=x&b=y' })).toMatchObject({ query: { a: 'x', b: 'y' } })
  })
  test('may have an enumeration, in a reply', async () => {
    const one = await operationOf(
      contractText(
        `  /t:\n    get:\n      operationId: getT\n      ${reply(two)}\n`,
        '    S: { type: string, enum: [x, y] }\n',
      ),
    )
    expect(one.write({ status: 200, body: { a: 'x', b: 'y' } })).toBe('{"a":"x","b":"y"}')
  })
  test('may have an enumeration of integers', async () => {
    const one = await operationOf(
      contractText(
        `  /t:\n    post:\n      operationId: addT\n      ${body(two)}\n      ${done}\n`,
        '    S: { type: integer, enum: [1, 2] }\n',
      ),
    )
    expect(() => read(one, { body: { a: 1, b: 3 } })).toThrow('body.b must be one of 1, 2.')
  })
  test('may have a list as default', async () => {
    const one = await operationOf(
      contractText(
        `  /t:\n    post:\n      operationId: addT\n      ${body(two)}\n      ${done}\n`,
        '    S: { type: array, items: { type: string }, default: [q] }\n',
      ),
    )
    expect(read(one, { body: {} })).toMatchObject({ body: { a: ['q'], b: ['q'] } })
  })
})

describe('a reply', () => {
  test('of status 204 has no body', async () => {
    const one = await operationOf(withOperation(`responses: { '204': { description: Done. } }`))
    expect(one.write({ status: 204 })).toBeUndefined()
  })
  test('may be put together from two schemas', async () => {
    const one = await operationOf(
      withOperation(
        reply(
          '{ allOf: [{ type: object, properties: { a: { type: integer } } }, { type: object, properties: { b: { type: string } } }] }',
        ),
      ),
    )
    expect(one.write({ status: 200, body: { a: 1, b: 'x' } })).toBe('{"a":1,"b":"x"}')
  })
  test.each([
    '{ type: object, required: [a, b], properties: { b: { type: string } } }',
    '{ allOf: [{ type: object, required: [a], properties: { b: { type: string } } }] }',
    '{ allOf: [{ type: object, required: [a, b] }, { type: object, properties: { b: { type: string } } }] }',
  ])('has what is only required: %s', async (schema) => {
    for (const checkResponses of [true, false]) {
      const { write } = await operationOf(withOperation(reply(schema)), { checkResponses })
      expect(write({ status: 200, body: { a: 1n, b: 'x' } })).toBe('{"a":1,"b":"x"}')
    }
  })
  test('may be an integer alone', async () => {
    const one = await operationOf(withOperation(reply('{ type: integer, format: int64 }')))
    expect(one.write({ status: 200, body: 9223372036854775807n })).toBe('9223372036854775807')
  })
  test('is not changed by its check', async () => {
    const one = await operationOf(
      withOperation(reply('{ type: object, properties: { n: { type: integer, format: int64 } } }')),
    )
    expect(one.write({ status: 200, body: Object.freeze({ n: 5 }) })).toBe('{"n":5}')
  })
  test.each([
    ['{ type: object, additionalProperties: true }', { any: 9007199254740993n }],
    ['{ type: object, additionalProperties: {} }', { any: [9007199254740993n, 'a'] }],
    ['{ type: object }', { any: { n: 9007199254740993n } }],
    ['{ type: array, items: {} }', [9007199254740993n, null]],
    ['{ type: object, properties: { any: {} } }', { any: 9007199254740993n }],
  ])('of unknown shape is written with every digit: %s', async (schema, value) => {
    const { write } = await operationOf(withOperation(reply(schema)))
    expect(write({ status: 200, body: value })).toBe(
      JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? 'N' : part)).replaceAll(
        '"N"',
        '9007199254740993',
      ),
    )
  })
})

describe('numbers', () => {
  test('are exact also in fields that have the name of a keyword', async () => {
    const fields = ['content', 'headers', 'parameters', 'properties', 'paths'].map(
      (name) => `${name}: { type: integer, format: int64, maximum: 9223372036854775806 }`,
    )
    const one = await operationOf(withOperation(body(`{ type: object, properties: { ${fields.join()} } }`), done))
    const value = { content: 1, headers: 9007199254740993n, parameters: 2 }
    expect(read(one, { body: value })).toMatchObject({
      body: { content: 1n, headers: 9007199254740993n, parameters: 2n },
    })
    expect(() => read(one, { body: { paths: 9223372036854775807n } })).toThrow(
      'body.paths must be <= 9223372036854775806.',
    )
  })
  test('keep exclusive limits as OpenAPI 3.0 writes them', async () => {
    const one = await operationOf(withOperation(body('{ type: integer, minimum: 0, exclusiveMinimum: true }'), done))
    expect(() => read(one, { body: 0 })).toThrow('body must be > 0.')
  })
  test('have no exclusive limits as OpenAPI 3.1 writes them, which would check nothing', async () => {
    await expect(operationOf(withOperation(body('{ type: integer, exclusiveMinimum: 0 }'), done))).rejects.toThrow(
      'openapi.yaml:',
    )
  })
  test('that a double cannot hold are refused', () => {
    for (const fromText of [true, false]) {
      const ajv = new Ajv().addKeyword(numericDefinition({ fromText }))
      const validate = ajv.compile({ type: 'object', properties: { n: { [numericKeyword]: { type: 'number' } } } })
      expect(validate({ n: fromText ? '9'.repeat(400) : 10n ** 400n })).toBe(false)
    }
  })
  test('may have limits and an enumeration beyond 2^53, but no default', async () => {
    const parameter = (schema: string): string =>
      `parameters: [{ name: n, in: query, schema: { type: integer, format: int64, ${schema} } }]`
    const one = await operationOf(withOperation(parameter('minimum: 9007199254740993'), done))
    const other = await operationOf(withOperation(parameter('enum: [9007199254740993]'), done))
    expect(read(other, { query: 'n=9007199254740993' })).toMatchObject({ query: { n: 9007199254740993n } })
    expect(() => read(other, { query: 'n=9007199254740992' })).toThrow('query.n must be 9007199254740993.')
    await expect(operationOf(withOperation(parameter('default: 9007199254740995'), done))).rejects.toThrow(
      /^openapi\.yaml:\d+:\d+ A default beyond 2\^53 - 1 is not supported\.$/,
    )
    expect(() => read(one, { query: 'n=9007199254740992' })).toThrow('query.n must be >= 9007199254740993.')
  })
  test('are multiples of decimal fractions', async () => {
    const one = await operationOf(withOperation(body('{ type: number, multipleOf: 0.01 }'), done))
    expect(read(one, { body: 0.07 })).toMatchObject({ body: 0.07 })
  })
})

describe('a contract is refused, with its place,', () => {
  const id = '{ name: id, in: path, required: true, schema: { type: string } }'
  test.each([
    [
      'for a parameter of the path that is not declared',
      contractText(`  /t/{id}:\n    get:\n      operationId: getT\n      ${done}\n`),
    ],
    ['for a path parameter that the path lacks', withOperation(`parameters: [${id}]`, done)],
    [
      'for two paths of the same shape',
      contractText(
        ['id', 'name']
          .map(
            (name, i) =>
              `  /t/{${name}}:\n    get:\n      operationId: get${i}\n      parameters: [${id.replace('id', name)}]\n      ${done}\n`,
          )
          .join(''),
      ),
    ],
    [
      'for a path that is a $ref, whose operationIds are then taken twice',
      withOperation(done).replace('components:', "  /others: { $ref: '#/paths/~1things' }\ncomponents:"),
    ],
    ['for a stability that is none', withOperation('x-stability: "beta\\nx"', done)],
    ['for a $ref to nothing', withOperation(body("{ $ref: '#/components/schemas/None' }"), done)],
    ['for a key that OpenAPI does not have', withOperation('respones: {}', done)],
    ['for a $ref to another file', withOperation(body("{ $ref: './package.json#/name' }"), done)],
  ])('%s', async (_, text) => {
    await expect(operationOf(text)).rejects.toThrow(/^openapi\.yaml:\d+:\d+ .*\.$/)
  })
})

test('what a link sends is data, also where it looks like a schema', async () => {
  const data = "{ pattern: '(', default: 9007199254740993, properties: { __proto__: {} }, exclusiveMinimum: 5 }"
  const links = `links: { next: { operationId: getThing, parameters: { q: ${data} }, requestBody: ${data} } }`
  await operationOf(withOperation(`responses: { '204': { description: Done., ${links} } }`))
})

describe('headers', () => {
  test('stand under the name that the contract and its types give them', async () => {
    const one = await operationOf(
      withOperation('parameters: [{ name: X-Trace, in: header, schema: { type: string } }]', done),
    )
    expect(read(one, { headers: { 'x-trace': 'a' } })).toMatchObject({ header: { 'X-Trace': 'a' } })
  })
  test("of an operation beat its path's in another letter case", async () => {
    const text = withOperation('parameters: [{ name: x-trace, in: header, schema: { type: string } }]', done)
    const one = await operationOf(
      text.replace(
        '  /things:\n',
        '  /things:\n    parameters: [{ name: X-Trace, in: header, schema: { type: integer } }]\n',
      ),
    )
    expect(read(one, { headers: { 'x-trace': 'a' } })).toMatchObject({ header: { 'x-trace': 'a' } })
  })
})

describe('what a reply lacks', () => {
  test('is named, with its place', async () => {
    const one = await operationOf(
      withOperation(reply('{ type: object, required: [id], properties: { id: { type: integer } } }')),
    )
    expect(() => one.write({ status: 200, body: {} })).toThrow('body.id is required')
    expect(() => one.write({ status: 200, body: { id: 1, x: 1 } })).toThrow('body.x is not a known field')
  })
})
