import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../src/contract/document/document.ts'
import { declaredOperations } from '../../src/contract/document/operations.ts'
import { compile, contractText, done, withBody, withOperation } from '../support/contracts/things.ts'

/** The message with which a contract is refused; fails when it is not. */
async function refusal(text: string): Promise<string> {
  try {
    await compile(text, { checked: false })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The contract was not refused.')
}

describe('a contract is refused, with its place,', () => {
  test.each<[string, string, string]>([
    [
      'when it is OpenAPI 3.1',
      contractText('').replace('3.0.3', '3.1.0'),
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
      withBody('{ type: string, format: isbn }'),
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
    expect(await refusal(withBody("{ $ref: '#/components/schemas/None' }"))).toMatch(
      /^openapi\.yaml.*"#\/components\/schemas\/None"/,
    )
  })

  test.each([
    ['an operation without responses', withOperation('summary: None')],
    ['a key that OpenAPI does not have', withOperation('respones: {}', done)],
    ['a parameter without schema', parameter('in: query')],
    ['a type that OpenAPI does not have', withBody('{ type: text }')],
  ])('for %s', async (_, text) => {
    expect(await refusal(text)).toMatch(/^openapi\.yaml/)
  })
})
