import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  compileContract,
  type CompiledOperation,
  type Contract,
  type RawReply,
  type RawRequest,
  type ValidRequest,
} from '../../src/contract/contract.ts'
import { declaredOperations, parseContract } from '../../src/contract/document/document.ts'
import type { Handlers } from '../../src/contract/operation.ts'
import { stationsOf } from '../../src/road/pipeline.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

const head = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v1' }]
security: [{ bearerAuth: [] }]
x-plans: { enterprise: custom }
paths:
`
const tail = `components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`
const done = `responses: { '204': { description: Done. } }`

/** A contract whose `paths` begin in line 7, and whose components come last. */
function contractText(paths: string, schemas = ''): string {
  return `${head}${paths}${tail}${schemas && `  schemas:\n${schemas}`}`
}

/** One operation, `getThing`, that begins in line 8; each line is a key of it, and the first one of them is line 10. */
function withOperation(...lines: string[]): string {
  return contractText(`  /things:
    get:
      operationId: getThing
${lines.map((line) => `      ${line}\n`).join('')}`)
}

function compile(text: string, { checkResponses = true, publicUrl = '' } = {}): Promise<Contract> {
  return compileContract(parseContract(text, 'openapi.yaml'), { checked: false, checkResponses, publicUrl })
}

/** The message with which a contract is refused; fails when it is not. */
async function refusal(text: string): Promise<string> {
  try {
    await compile(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The contract was not refused.')
}

async function operationOf(text: string, options: { checkResponses?: boolean } = {}): Promise<CompiledOperation> {
  const { operations } = await compile(text, options)
  const [operation] = operations.values()
  if (!operation) throw new Error('The contract has no operation.')
  return operation
}

/** What an operation makes of a request, or the message of its 400. */
function reading(operation: CompiledOperation, request: Partial<RawRequest>): ValidRequest | string {
  try {
    return operation.read({ values: [], query: '', headers: {}, body: undefined, ...request })
  } catch (error) {
    expect(error).toMatchObject({ status: 400, code: 'invalid_request' })
    return (error as Error).message
  }
}

describe('a contract is refused, with its place,', () => {
  test.each<[string, string, string]>([
    [
      'when it is OpenAPI 3.1',
      head.replace('3.0.3', '3.1.0'),
      '1:1 The contract must be an OpenAPI 3.0 document ("openapi: 3.0.3").',
    ],
    [
      'when it is Swagger 2.0',
      `info: {}\nswagger: '2.0'\n`,
      '1:1 The contract must be an OpenAPI 3.0 document ("openapi: 3.0.3").',
    ],
    [
      'when its version is a number',
      'info: {}\nopenapi: 3.0\n',
      '2:1 The contract must be an OpenAPI 3.0 document ("openapi: 3.0.3").',
    ],
    ['when it is empty', '', '1:1 The contract must be an OpenAPI 3.0 document ("openapi: 3.0.3").'],
    [
      'when it is no mapping',
      '- openapi: 3.0.3\n',
      '1:1 The contract must be an OpenAPI 3.0 document ("openapi: 3.0.3").',
    ],
    [
      'for a YAML alias',
      'openapi: 3.0.3\nx-a: &a { b: 1 }\nx-b: *a\n',
      '3:6 YAML aliases are not supported; use a $ref to a component.',
    ],
    [
      'for a merge of an alias',
      'openapi: 3.0.3\nx-a: &a { b: 1 }\nx-b:\n  <<: *a\n',
      '4:7 YAML aliases are not supported; use a $ref to a component.',
    ],
    ['for a key that stands twice', 'openapi: 3.0.3\ninfo: {}\npaths: {}\ninfo: {}\n', '4:1 Map keys must be unique.'],
    [
      'for a nested key that stands twice',
      'openapi: 3.0.3\ninfo:\n  title: A\n  title: B\n',
      '4:3 Map keys must be unique.',
    ],
    [
      'when it is two documents',
      'openapi: 3.0.3\n---\nopenapi: 3.0.3\n',
      '2:1 Source contains multiple documents; please use YAML.parseAllDocuments().',
    ],
    ['for a tab', 'openapi: 3.0.3\ninfo:\n\ttitle: A\n', '3:1 Tabs are not allowed as indentation.'],
    [
      'for a bracket that is not closed',
      'openapi: 3.0.3\npaths: [\n',
      '3:1 Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parseContract(text, 'openapi.yaml')).toThrow(new Error(`openapi.yaml:${message}`))
  })

  const nameless = contractText(`  /things:\n    get:\n      ${done}\n`)
  const named = (operationId: string): string =>
    contractText(`  /things:\n    get:\n      operationId: ${operationId}\n      ${done}\n`)
  const cannotName = (operationId: string): string =>
    `9:7 The operationId "${operationId}" of GET /things cannot name a function and a file; use letters, digits and "_", ` +
    'beginning with a letter, and no reserved word.'
  const secondOf = (operationId: string): string =>
    contractText(`  /things:
    get:
      operationId: getThing
      ${done}
  /others:
    put:
      ${done}
      operationId: ${operationId}
`)

  test.each<[string, string, string]>([
    ['for an operation without operationId', nameless, '8:5 GET /things needs an operationId.'],
    ['for an operationId that is a number', named('7'), '9:7 GET /things needs an operationId.'],
    ['for an empty operationId', named("''"), cannotName('')],
    ['for an operationId with a hyphen', named('get-thing'), cannotName('get-thing')],
    ['for an operationId with a slash', named('things/get'), cannotName('things/get')],
    ['for an operationId with dots', named('../getThing'), cannotName('../getThing')],
    ['for an operationId that begins with a digit', named('7things'), cannotName('7things')],
    ['for an operationId with a letter beyond ASCII', named('getDinge\u00fc'), cannotName('getDinge\u00fc')],
    ['for an operationId that is a reserved word', named('delete'), cannotName('delete')],
    ['for an operationId that is a reserved word in other case', named('Import'), cannotName('Import')],
    ['for an operationId that Windows has as a device', named('nul'), cannotName('nul')],
    ['for an operationId of 101 letters', named('a'.repeat(101)), cannotName('a'.repeat(101))],
    [
      'for an operationId that is taken',
      secondOf('getThing'),
      '14:7 The operationId getThing of PUT /others is taken by GET /things.',
    ],
    [
      'for an operationId that is taken in other case',
      secondOf('GETTHING'),
      '14:7 The operationId GETTHING of PUT /others is taken by GET /things.',
    ],
  ])('%s', async (_, text, message) => {
    expect(await refusal(text)).toBe(`openapi.yaml:${message}`)
    expect(() => declaredOperations(parseContract(text, 'openapi.yaml'))).toThrow(new Error(`openapi.yaml:${message}`))
  })

  const parameter = (text: string): string => withOperation(`parameters: [{ name: filter, ${text} }]`, done)
  const body = (schema: string): string =>
    withOperation(`requestBody: { content: { application/json: { schema: ${schema} } } }`, done)
  const reply = (schema: string): string =>
    withOperation(`responses: { '200': { description: Done., content: { application/json: { schema: ${schema} } } } }`)
  const servers = (text: string): string => withOperation(done).replace(/servers: .*/, text)
  const noServers = 'The contract needs servers, and all of them must have the same path.'
  const noBearer = '8:5 getThing: it needs the security requirement bearerAuth, and no other.'

  test.each<[string, string, string]>([
    [
      'for a cookie parameter',
      parameter('in: cookie, schema: { type: string }'),
      '8:5 getThing: the cookie parameter filter cannot be read; use a header or the query.',
    ],
    [
      'for an object as parameter',
      parameter('in: query, schema: { type: object }'),
      '8:5 getThing: the query parameter filter must be a single value or a list.',
    ],
    [
      'for an object as header',
      parameter('in: header, schema: { type: object }'),
      '8:5 getThing: the header parameter filter must be a single value.',
    ],
    [
      'for a list as header',
      parameter('in: header, schema: { type: array, items: { type: string } }'),
      '8:5 getThing: the header parameter filter must be a single value.',
    ],
    [
      'for a parameter with content',
      parameter('in: query, content: { application/json: { schema: { type: string } } }'),
      '8:5 getThing: the query parameter filter needs a schema; content cannot be read.',
    ],
    [
      'for a list between bars',
      parameter('in: query, style: pipeDelimited, schema: { type: array, items: { type: string } }'),
      '8:5 getThing: the query parameter filter must have the style form.',
    ],
    [
      'for a list between blanks',
      parameter('in: query, style: spaceDelimited, schema: { type: array, items: { type: string } }'),
      '8:5 getThing: the query parameter filter must have the style form.',
    ],
    [
      'for a body in another format',
      withOperation('requestBody: { content: { text/plain: { schema: { type: string } } } }', done),
      '8:5 getThing: the body must be application/json alone.',
    ],
    [
      'for a body in two formats',
      withOperation(
        'requestBody: { content: { application/json: { schema: { type: string } }, text/plain: { schema: { type: string } } } }',
        done,
      ),
      '8:5 getThing: the body must be application/json alone.',
    ],
    ['for an operation without security', withOperation('security: []', done), noBearer],
    [
      'for an operation whose security is optional',
      withOperation('security: [{}, { bearerAuth: [] }]', done),
      noBearer,
    ],
    ['for an operation with another scheme', withOperation('security: [{ cookieAuth: [] }]', done), noBearer],
    [
      'for an operation with two schemes at once',
      withOperation('security: [{ bearerAuth: [], cookieAuth: [] }]', done),
      noBearer,
    ],
    ['when no operation has security', withOperation(done).replace(/security: .*/, ''), noBearer],
    [
      'for oneOf in a reply',
      reply('{ oneOf: [{ type: string }] }'),
      '8:5 A response schema must not use oneOf; it cannot be serialized exactly.',
    ],
    [
      'for anyOf deep in a reply',
      reply('{ type: array, items: { type: object, properties: { a: { anyOf: [{ type: string }] } } } }'),
      '8:5 A response schema must not use anyOf; it cannot be serialized exactly.',
    ],
    [
      'for not in a reply',
      reply('{ type: object, additionalProperties: { type: object, not: { type: string } } }'),
      '8:5 A response schema must not use not; it cannot be serialized exactly.',
    ],
    [
      'for an unknown format in a parameter',
      parameter('in: query, schema: { type: string, format: isbn }'),
      '8:5 unknown format "isbn" ignored in schema at path "#/properties/query/properties/filter"',
    ],
    [
      'for an unknown format in a body',
      body('{ type: string, format: isbn }'),
      '8:5 unknown format "isbn" ignored in schema at path "#/properties/requestBody"',
    ],
    [
      'for an unknown format in a reply',
      reply('{ type: string, format: isbn }'),
      '8:5 unknown format "isbn" ignored in schema at path "#"',
    ],
    [
      'for servers with different paths',
      servers('servers:\n  - url: https://example.test/v1\n  - url: https://example.test/v2'),
      `3:1 ${noServers}`,
    ],
    [
      'for a server whose variable gives another path',
      servers(
        "servers:\n  - url: https://example.test/v1\n  - { url: '{base}', variables: { base: { default: 'https://example.test/v2' } } }",
      ),
      `3:1 ${noServers}`,
    ],
    ['for no servers', servers('servers: []'), `3:1 ${noServers}`],
    [
      'for a day that is none',
      withOperation('deprecated: true', "x-deprecated-since: '2026-02-30'", done),
      '8:5 x-deprecated-since must be a date such as "2030-12-05".',
    ],
    [
      'for a time in place of a day',
      withOperation("x-sunset: '2030-12-05T00:00:00Z'", done),
      '8:5 x-sunset must be a date such as "2030-12-05".',
    ],
    [
      'for a year in place of a day',
      withOperation('x-sunset: 2030', done),
      '8:5 x-sunset must be a date such as "2030-12-05".',
    ],
    [
      'for a successor that is no operation',
      withOperation('x-successor: listThings', done),
      '8:5 x-successor names listThings, which is no operation.',
    ],
    [
      "for a successor with the name of an object's method",
      withOperation('x-successor: toString', done),
      '8:5 x-successor names toString, which is no operation.',
    ],
  ])('%s', async (_, text, message) => {
    expect(await refusal(text)).toBe(`openapi.yaml:${message}`)
  })

  test('for a reply that contains itself', async () => {
    const paths = `  /things:
    get:
      operationId: getThing
      responses:
        '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
`
    const schemas = `    Tree:
      type: object
      properties: { children: { type: array, items: { $ref: '#/components/schemas/Tree' } } }
`
    expect(await refusal(contractText(paths, schemas))).toBe(
      'openapi.yaml:8:5 A response schema must not contain itself.',
    )
  })

  test('for a $ref to nothing', async () => {
    expect(await refusal(body("{ $ref: '#/components/schemas/None' }"))).toMatch(
      /^openapi\.yaml.*"#\/components\/schemas\/None"/,
    )
  })

  test.each([
    ['an operation without responses', withOperation('summary: None')],
    ['a key that OpenAPI does not have', withOperation('respones: {}', done)],
    ['a parameter without schema', parameter('in: query')],
    ['a type that OpenAPI does not have', body('{ type: text }')],
  ])('for %s', async (_, text) => {
    expect(await refusal(text)).toMatch(/^openapi\.yaml/)
  })
})

describe('place', () => {
  const { place } = parseContract(
    withOperation(
      'parameters:',
      '  - { name: a, in: query, schema: { type: string } }',
      'responses: { 204: { description: Done. } }',
    ),
    'openapi.yaml',
  )

  test.each([
    [['paths', '/things', 'get'], '8:5'],
    [['paths', '/things', 'get', 'parameters', '0', 'schema'], '11:33'],
    [['paths', '/things', 'get', 'responses', '204'], '12:20'],
    [['paths', '/things', 'get', 'nothing', 'here'], '8:5'],
    [['nothing'], '1:1'],
  ])('of %j is the nearest that stands there', (path, expected) => {
    expect(place(path)).toBe(`openapi.yaml:${expected}`)
  })
})

describe('parseContract', () => {
  test('keeps every digit of a large integer', () => {
    const { root } = parseContract(
      'openapi: 3.0.3\nx-a: [9007199254740993, 9007199254740991, -1, 0x10, 1.5]\n',
      'a.yaml',
    )
    expect(root).toEqual({ openapi: '3.0.3', 'x-a': [9007199254740993n, 9007199254740991, -1, 16, 1.5] })
  })

  test('gives one digest to files that differ only in layout, and another to any other value', () => {
    const digest = (text: string): string => parseContract(`openapi: 3.0.3\n${text}`, 'a.yaml').digest
    expect(digest('x-a: { b: 1, c: [2] } # note\n')).toBe(digest('x-a:\n  b: 1\n  "c":\n    - 2\n'))
    const others = [
      '{ b: 2, c: [2] }',
      '{ b: "1", c: [2] }',
      '{ c: [2], b: 1 }',
      '{ b: 9007199254740993 }',
      '{ b: 9007199254740992 }',
    ]
    expect(new Set(['{ b: 1, c: [2] }', ...others].map((value) => digest(`x-a: ${value}\n`))).size).toBe(6)
  })
})

describe('the stations', () => {
  const stations = async (handlers: object): Promise<void> => {
    stationsOf(await compile(withOperation(done)), { handlers, mocks: false })
  }
  const handler = async (): Promise<RawReply> => ({ status: 204 })

  test('takes one handler for each operation', async () => {
    await expect(stations({ getThing: handler })).resolves.toBeUndefined()
  })

  test('refuses an operation without handler', async () => {
    await expect(stations({})).rejects.toThrow(new Error('The operation getThing has no handler.'))
  })

  test('refuses a handler without operation', async () => {
    await expect(stations({ getThing: handler, dropThing: handler })).rejects.toThrow(
      new Error('The handler dropThing has no operation in the contract.'),
    )
  })
})

describe('a compiled operation', () => {
  const parameters = (...all: string[]): string => withOperation(`parameters: [${all.join(', ')}]`, done)
  const body = (schema: string, required = true): string =>
    withOperation(`requestBody: { required: ${required}, content: { application/json: { schema: ${schema} } } }`, done)

  test('reads a list from a repeated parameter, also a single one', async () => {
    const operation = await operationOf(
      parameters(
        '{ name: id, in: query, schema: { type: array, maxItems: 3, items: { type: integer, format: int64 } } }',
      ),
    )
    const ids = (query: string): unknown => {
      const read = reading(operation, { query })
      return typeof read === 'string' ? read : read.query.id
    }
    expect(ids('id=1&id=9007199254740993&id=-2')).toEqual([1n, 9007199254740993n, -2n])
    expect(ids('id=7')).toEqual([7n])
    expect(ids('')).toBeUndefined()
    expect(ids('id=1,2')).toBe('query.id.0 must be an integer.')
    expect(ids('id=1&id=01')).toBe('query.id.1 must be an integer.')
    expect(ids('id=')).toBe('query.id.0 must be an integer.')
    expect(ids('id=1&id=2&id=3&id=4')).toBe('query.id must NOT have more than 3 items.')
    expect(ids('id[]=1')).toBe('query.id[] is not a parameter of this operation.')
  })

  test('reads a list from one parameter with commas when explode is false', async () => {
    const operation = await operationOf(
      parameters(
        '{ name: tag, in: query, explode: false, schema: { type: array, items: { type: string, minLength: 1 } } }',
      ),
    )
    const tags = (query: string): unknown => {
      const read = reading(operation, { query })
      return typeof read === 'string' ? read : read.query.tag
    }
    expect(tags('tag=a,b,c')).toEqual(['a', 'b', 'c'])
    expect(tags('tag=a')).toEqual(['a'])
    expect(tags('tag=a%2Cb,c+d')).toEqual(['a,b', 'c d'])
    expect(tags('tag=a,,b')).toBe('query.tag.1 must not be empty.')
    expect(tags('tag=a&tag=b')).toBe('query.tag must not be given more than once.')
  })

  test('refuses a single parameter that is repeated', async () => {
    const operation = await operationOf(parameters('{ name: a, in: query, schema: { type: string } }'))
    expect(reading(operation, { query: 'a=1&a=2' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'a=1&a=1' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'a=1&%61=1' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'x=1&x=2' })).toBe('query.x must not be given more than once.')
    expect(reading(operation, { query: '__proto__=1&__proto__=1' })).toBe(
      'query.__proto__ must not be given more than once.',
    )
  })

  test('converts parameters to the types of their schemas', async () => {
    const operation = await operationOf(
      parameters(
        ...['integer, format: int64', 'integer', 'number', 'boolean', 'string'].map(
          (type, index) => `{ name: p${index}, in: query, schema: { type: ${type} } }`,
        ),
      ),
    )
    expect(reading(operation, { query: 'p0=9223372036854775807&p1=5&p2=-1.5e1&p3=false&p4=5' })).toEqual({
      ...{ path: {}, header: {}, body: undefined },
      query: { p0: 9223372036854775807n, p1: 5, p2: -15, p3: false, p4: '5' },
    })
    expect(reading(operation, { query: 'p0=x&p1=1.5&p2=1,5&p3=yes' })).toBe(
      'query.p0 must be an integer; query.p1 must be an integer; query.p2 must be a number; query.p3 must be a boolean.',
    )
    for (const text of ['1', '0', 'TRUE', '', 'null']) {
      expect(reading(operation, { query: `p3=${text}` })).toBe('query.p3 must be a boolean.')
    }
  })

  test('reads headers in any case, and leaves alone those that it does not declare', async () => {
    const operation = await operationOf(
      parameters(
        '{ name: X-Trace, in: header, required: true, schema: { type: integer, format: int64 } }',
        '{ name: x-mode, in: header, schema: { type: string, enum: [fast, exact] } }',
      ),
    )
    expect(
      reading(operation, { headers: { 'x-trace': '9007199254740993', 'x-mode': 'fast', 'x-other': '1' } }),
    ).toEqual({
      ...{ path: {}, query: {}, body: undefined },
      header: { 'X-Trace': 9007199254740993n, 'x-mode': 'fast' },
    })
    expect(reading(operation, { headers: { 'x-mode': 'slow' } })).toBe(
      'header.x-trace is required; header.x-mode must be one of fast, exact.',
    )
    expect(reading(operation, { headers: { 'x-trace': '01' } })).toBe('header.x-trace must be an integer.')
  })

  test('fills in defaults, and only what is absent', async () => {
    const text = contractText(`  /things:
    post:
      operationId: addThing
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 20 } }
        - { name: after, in: query, schema: { type: integer, format: int64, default: 0 } }
        - { name: order, in: query, schema: { type: string, default: up } }
        - { name: x-mode, in: header, schema: { type: string, default: exact } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                count: { type: integer, format: int64, default: 7 }
                note: { type: string, nullable: true, default: none }
                list: { type: array, items: { type: string }, default: [a, b] }
      ${done}
`)
    const operation = await operationOf(text)
    expect(reading(operation, { body: {} })).toEqual({
      path: {},
      query: { limit: 20, after: 0n, order: 'up' },
      header: { 'x-mode': 'exact' },
      body: { count: 7n, note: 'none', list: ['a', 'b'] },
    })
    expect(
      reading(operation, {
        query: 'limit=0&after=-1&order=',
        headers: { 'x-mode': '' },
        body: { count: 0, note: null, list: [] },
      }),
    ).toEqual({
      path: {},
      query: { limit: 0, after: -1n, order: '' },
      header: { 'x-mode': '' },
      body: { count: 0n, note: null, list: [] },
    })
    const { body: first } = reading(operation, { body: {} }) as { body: { list: string[] } }
    first.list.push('c')
    expect((reading(operation, { body: {} }) as ValidRequest).body).toMatchObject({ list: ['a', 'b'] })
  })

  test('takes no body when it need not', async () => {
    const operation = await operationOf(body('{ type: object }', false))
    expect(reading(operation, {})).toMatchObject({ body: undefined })
    expect(reading(operation, { body: null })).toBe('body must be an object.')
    expect(reading(await operationOf(body('{ type: object }')), {})).toBe('a body is required.')
  })

  test('leaves the types in a body as they are', async () => {
    const operation = await operationOf(
      body(
        '{ type: object, properties: { s: { type: string }, n: { type: number }, b: { type: boolean }, i: { type: integer } } }',
      ),
    )
    expect(reading(operation, { body: { s: 5, n: '5', b: 'true', i: '5' } })).toBe(
      'body.s must be a string; body.n must be a number; body.b must be a boolean; body.i must be an integer.',
    )
    expect(reading(operation, { body: { s: null, n: null, b: 1, i: true } })).toBe(
      'body.s must be a string; body.n must be a number; body.b must be a boolean; body.i must be an integer.',
    )
  })

  test('reads a body that contains itself, and finds the fault deep inside', async () => {
    const paths = `  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
      ${done}
`
    const schemas = `    Tree:
      type: object
      additionalProperties: false
      properties:
        id: { type: integer, format: int64 }
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
`
    const operation = await operationOf(contractText(paths, schemas))
    expect(
      reading(operation, { body: { children: [{ id: 1 }, { children: [{ id: 9007199254740993n }] }] } }),
    ).toMatchObject({
      body: { children: [{ id: 1n }, { children: [{ id: 9007199254740993n }] }] },
    })
    expect(reading(operation, { body: { children: [{ children: [{ id: 'x' }, { x: 1 }] }] } })).toBe(
      'body.children.0.children.0.id must be an integer; body.children.0.children.1.x is not a known field.',
    )
  })

  test('takes names for names and not for keywords', async () => {
    const schema = `{ type: object, additionalProperties: false, properties: {
        type: { type: integer }, title: { type: string }, default: { type: integer }, enum: { type: string },
        example: { type: string }, x-a: { type: string }, required: { type: boolean }, format: { type: string },
        properties: { type: object, additionalProperties: false, properties: { title: { type: integer } } } } }`
    const operation = await operationOf(body(schema))
    const value = {
      ...{ type: 1, title: 'a', default: 2, enum: 'b', example: 'c', 'x-a': 'd', required: true, format: 'e' },
      properties: { title: 3 },
    }
    expect(reading(operation, { body: structuredClone(value) })).toMatchObject({ body: value })
    expect(reading(operation, { body: { ...value, properties: { title: 'x' }, 'x-b': 1 } })).toBe(
      'body.x-b is not a known field; body.properties.title must be an integer.',
    )
  })

  test('names at most ten faults, and says when there are more', async () => {
    const operation = await operationOf(body('{ type: object, additionalProperties: false }'))
    const fields = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
    const told = Array.from({ length: 10 }, (_, index) => `body.f${index} is not a known field`).join('; ')
    expect(reading(operation, { body: fields(10) })).toBe(`${told}.`)
    expect(reading(operation, { body: fields(11) })).toBe(`${told}; and more.`)
    expect(reading(operation, { body: fields(5000) })).toBe(`${told}; and more.`)
  })

  test.each<[string, string, string[], string[]]>([
    ['date', 'date', ['2030-12-05', '2028-02-29'], ['2030-02-30', '2027-02-29', '05.12.2030', '']],
    [
      'date-time',
      'date-time',
      ['2030-12-05T10:20:30Z', '2030-12-05T10:20:30.5+02:00'],
      ['2030-12-05', '2030-12-05T25:00:00Z'],
    ],
    ['uuid', 'uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567', 'g23e4567-e89b-12d3-a456-426614174000']],
    ['email', 'email', ['a@example.test'], ['a@', 'a b@example.test']],
    ['ipv4', 'ipv4', ['127.0.0.1'], ['256.0.0.1', '1.2.3']],
    ['byte', 'byte', ['AAAA', ''], ['A', 'AAA*']],
    ['uri', 'uri', ['https://example.test/a'], ['/a', 'not a uri']],
  ])('checks the format %s', async (_, format, good, bad) => {
    const operation = await operationOf(
      parameters(`{ name: a, in: query, schema: { type: string, format: ${format} } }`),
    )
    for (const value of good) {
      expect(reading(operation, { query: `a=${encodeURIComponent(value)}` })).toMatchObject({ query: { a: value } })
    }
    for (const value of bad) {
      expect(reading(operation, { query: `a=${encodeURIComponent(value)}` })).toBe(
        `query.a must match format "${format}".`,
      )
    }
  })
})

describe('the servers of a contract', () => {
  test.each([
    ["[{ url: '/' }]", ''],
    ['[{ url: /v1 }]', '/v1'],
    ['[{ url: /api/v1/ }, { url: https://example.test/api/v1 }]', '/api/v1'],
    ["[{ url: 'https://{host}/{base}', variables: { host: { default: a.test }, base: { default: v2 } } }]", '/v2'],
  ])('%s give the API root %j', async (servers, apiRoot) => {
    const contract = await compile(withOperation(done).replace(/servers: .*/, `servers: ${servers}`))
    expect(contract.apiRoot).toBe(apiRoot)
    expect(contract.router.match('get', '/things').found).toBe('operation')
  })
})

describe('a contract of 206 operations', () => {
  const paths = Array.from({ length: 103 }, (_, index) => {
    const parameters = 'parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]'
    return `  /resources${index}/{id}:
    ${parameters}
    get:
      operationId: getResource${index}
      ${done}
    put:
      operationId: putResource${index}
      requestBody: { content: { application/json: { schema: { type: object, properties: { n: { type: integer } } } } } }
      ${done}
`
  }).join('')

  test('compiles, and each operation is found and reads its own parameters', async () => {
    const { operations, router } = await compile(contractText(paths))
    expect(operations.size).toBe(206)
    for (const [operationId, operation] of operations) {
      const number = /\d+/.exec(operationId)?.[0] ?? ''
      const match = router.match(operationId.slice(0, 3), `/resources${number}/7`)
      expect(match).toMatchObject({ found: 'operation', operation: { operationId }, values: ['7'] })
      expect(reading(operation, { values: ['7'] })).toMatchObject({ path: { id: 7n } })
      expect(operation.takesBody).toBe(operationId.startsWith('put'))
    }
  })
})

describe('a service with another contract', () => {
  const paths = `  /things/{thingId}:
    parameters:
      - { name: thingId, in: path, required: true, schema: { type: integer, format: int64 } }
      - { name: depth, in: query, schema: { type: integer, maximum: 3, default: 1 } }
      - { name: X-Mode, in: header, schema: { type: string, enum: [fast, exact] } }
    get:
      operationId: getThing
      parameters:
        - { name: depth, in: query, schema: { type: integer, maximum: 9, default: 2 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
        - { name: field, in: query, explode: false, schema: { type: array, items: { type: string } } }
      responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Echo' } } } } }
    delete:
      operationId: dropThing
      responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Echo' } } } } }
  /replies:
    get:
      operationId: getReply
      responses:
        '200':
          description: Done.
          content: { application/json: { schema: { $ref: '#/components/schemas/Reply' } } }
          headers: { X-Total: { required: true, schema: { type: integer } } }
        '202': { description: Begun. }
`
  const schemas = `    Echo:
      type: object
      required: [text]
      properties: { text: { type: string } }
    Reply:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64 }
        name: { type: string, nullable: true }
        parts: { type: array, items: { type: object, required: [n], properties: { n: { type: integer } } } }
`
  let folder: string
  let checked: TestService
  let unchecked: TestService
  let reply: RawReply = { status: 202 }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
    const contractFile = join(folder, 'openapi.yaml')
    writeFileSync(contractFile, contractText(paths, schemas))
    const echo = async (request: ValidRequest): Promise<RawReply> => {
      const text = JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
      return { status: 200, body: { text } }
    }
    const handlers = { getThing: echo, dropThing: echo, getReply: async () => reply } as unknown as Handlers
    checked = await startService({}, { contractFile, handlers })
    unchecked = await startService({ NODE_ENV: 'production' }, { contractFile, handlers })
  })
  afterAll(async () => {
    await checked.stop()
    await unchecked.stop()
    rmSync(folder, { recursive: true })
  })

  async function seenBy(
    method: 'get' | 'delete',
    path: string,
    headers: Record<string, string> = {},
  ): Promise<unknown> {
    const { text } = await checked.call(method, path).set(headers).expect(200)
    return JSON.parse((JSON.parse(text) as { text: string }).text) as unknown
  }

  test("gives handlers the parameters of the path beside the operation's own, which come first", async () => {
    expect(await seenBy('get', '/things/9007199254740993?depth=9', { 'X-Mode': 'fast' })).toEqual({
      ...{ path: { thingId: '9007199254740993n' }, query: { depth: 9 }, header: { 'X-Mode': 'fast' } },
      address: '/v1/things/9007199254740993',
      ...{ keyId: expect.stringMatching(/^key_/), now: expect.any(Number) },
    })
    expect(await seenBy('get', '/things/1')).toMatchObject({ query: { depth: 2 } })
    expect(await seenBy('delete', '/things/1')).toMatchObject({ query: { depth: 1 } })
    await checked.call('get', '/things/1?depth=10').expect(400)
    await checked.call('delete', '/things/1?depth=9').expect(400)
    await checked.call('delete', '/things/1?tag=a').expect(400)
    const { text } = await checked.call('delete', '/things/x?depth=9').set('X-Mode', 'slow').expect(400)
    expect(JSON.parse(text)).toMatchObject({
      message: 'path.thingId must be an integer; query.depth must be <= 3; header.x-mode must be one of fast, exact.',
    })
  })

  test('gives handlers lists, and refuses what is repeated without being one', async () => {
    expect(await seenBy('get', '/things/1?tag=a&tag=b,c&field=x,y')).toMatchObject({
      query: { tag: ['a', 'b,c'], field: ['x', 'y'] },
    })
    for (const query of ['depth=1&depth=1', 'field=x&field=y']) {
      const { text } = await checked.call('get', `/things/1?${query}`).expect(400)
      expect(text).toContain('must not be given more than once.')
    }
  })

  const broken: [string, RawReply, RegExp][] = [
    ['a status that the operation does not declare', { status: 201, body: { id: 1n } }, /answered 201/],
    ['a status that belongs to the road', { status: 401 }, /answered 401/],
    [
      'a header that cannot be sent',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': 'Žofka' } },
      /a value of the header X-Total that cannot be sent/,
    ],
    [
      'a header that would end and begin another',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': '1\r\nX-Other: 1' } },
      /a value of the header X-Total that cannot be sent/,
    ],
  ]
  const wrong: [string, RawReply, RegExp][] = [
    ['an undeclared field', { status: 200, body: { id: 1n, secret: 'x' } }, /\bsecret is not a known field/],
    [
      'an undeclared field deep inside',
      { status: 200, body: { id: 1n, parts: [{ n: 1, secret: 'x' }] } },
      /\bparts\.0\.secret is not a known field/,
    ],
    ['a wrong type', { status: 200, body: { id: 'x' } }, /\bid must be an integer/],
    ['a fraction for an integer', { status: 200, body: { id: 1.5 } }, /\bid must be an integer/],
    ['an integer beyond 64 bits', { status: 200, body: { id: 2n ** 63n } }, /\bid must fit int64/],
    ['null where it is not allowed', { status: 200, body: { id: null } }, /\bid must be an integer/],
    ['a field missing', { status: 200, body: { name: 'x' } }, /\bis required/],
    ['no body', { status: 200 }, /must be an object/],
    ['a list for an object', { status: 200, body: [] }, /must be an object/],
    [
      'an undeclared header',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': '1', 'X-Other': '1' } },
      /the header X-Other/,
    ],
    ['a required header missing', { status: 200, body: { id: 1n }, headers: {} }, /the header X-Total/],
  ]

  test.each([...broken, ...wrong])(
    'answers 500 to a reply with %s, and logs what was wrong',
    async (_, { headers = { 'X-Total': '1' }, ...bad }, message) => {
      reply = { ...bad, headers }
      checked.logged.length = 0
      const { text } = await checked.call('get', '/replies').set('X-Request-Id', 'broken-reply').expect(500)
      expectError(text, 500, 'internal_error')
      expect(JSON.parse(text)).toMatchObject({ message: 'The service failed to answer.' })
      const failures = checked.logged.filter(({ msg }) => msg === 'request failed')
      expect(failures).toMatchObject([
        {
          ...{ level: 50, requestId: 'broken-reply', operationId: 'getReply', status: 500 },
          err: { message: expect.stringMatching(message) },
        },
      ])
    },
  )

  test.each(broken)('answers 500 to a reply with %s, also when replies are not checked', async (_, bad) => {
    reply = bad
    const { text } = await unchecked.call('get', '/replies').expect(500)
    expectError(text, 500, 'internal_error')
  })

  test.each<[string, RawReply, string]>([
    [
      'everything',
      { status: 200, body: { id: 9223372036854775807n, name: null, parts: [{ n: 1 }] } },
      '{"id":9223372036854775807,"name":null,"parts":[{"n":1}]}',
    ],
    ['what is required', { status: 200, body: { id: -1n } }, '{"id":-1}'],
    ['a plain number for an int64', { status: 200, body: { id: 7 } }, '{"id":7}'],
    [
      'text that JSON escapes',
      { status: 200, body: { id: 1n, name: '"\\\u0000\u2028😀' } },
      '{"id":1,"name":"\\"\\\\\\u0000\u2028😀"}',
    ],
  ])('writes a reply with %s alike, checked or not', async (_, good, expected) => {
    reply = { ...structuredClone(good), headers: { 'X-Total': 1 } }
    expect((await checked.call('get', '/replies').expect(200)).text).toBe(expected)
    reply = { ...structuredClone(good), headers: { 'X-Total': 1 } }
    expect((await unchecked.call('get', '/replies').expect(200)).text).toBe(expected)
  })

  test('drops fields that are not declared when replies are not checked', async () => {
    reply = { status: 200, body: { id: 1n, secret: 'x', parts: [{ n: 1, secret: 'x' }] } }
    const { text } = await unchecked.call('get', '/replies').expect(200)
    expect(text).toBe('{"id":1,"parts":[{"n":1}]}')
  })

  test('answers without a body when the status has none', async () => {
    reply = { status: 202 }
    for (const service of [checked, unchecked]) {
      const { text, headers } = await service.call('get', '/replies').expect(202)
      expect(text).toBe('')
      expect(headers['content-type']).toBeUndefined()
    }
  })
})
