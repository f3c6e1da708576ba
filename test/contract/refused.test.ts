import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { declaredOperations } from '../../src/contract/rules/addresses.ts'
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
      'when it is OpenAPI 3.3',
      contractText('').replace('3.0.3', '3.3.0'),
      '1:1 The version 3.3.0 is not of OpenAPI 3.0, 3.1 or 3.2. Write such as "openapi: 3.0.3".',
    ],
    [
      'when it is Swagger 2.0',
      `info: {}\nswagger: '2.0'\n`,
      '2:1 The file is a document of Swagger 2.0. Convert it to OpenAPI 3.0 first.',
    ],
    [
      'when its version is a number',
      'info: {}\nopenapi: 3.0\n',
      '2:1 The version 3.0 is incomplete; it has three parts. Write "openapi: 3.0.3".',
    ],
    ['when it is empty', '', '1:1 The file is empty. Begin the file with "openapi: 3.0.3".'],
    [
      'when it is no mapping',
      '- openapi: 3.0.3\n',
      '1:1 The file is not an OpenAPI document. Begin the file with "openapi: 3.0.3".',
    ],
    [
      'for an alias inside its own anchor',
      'openapi: 3.0.3\nx-a: &a { b: [*a] }\n',
      '2:15 The alias stands inside its own anchor &a, without end. Use a $ref.',
    ],
    [
      'for a merge of an alias into its own anchor',
      'openapi: 3.0.3\nx-a: &a\n  b: { <<: *a }\n',
      '3:12 The alias stands inside its own anchor &a, without end. Use a $ref.',
    ],
    [
      'for an alias without an anchor',
      'openapi: 3.0.3\nx-a: *a\n',
      '2:6 There is no anchor &a above this alias. Add it, or put a text with "*" in quotes.',
    ],
    [
      'for a merge of what is no mapping',
      'openapi: 3.0.3\nx-a: &a [1]\nx-b:\n  <<: *a\n',
      '4:3 The merge key << needs a mapping, or a list of mappings. Write it such as "<<: *name".',
    ],
    [
      'for aliases that stand for too many values',
      `openapi: 3.0.3\nx-0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n${[1, 2, 3, 4, 5, 6, 7]
        .map((one) => `x-${one}: &a${one} [${Array.from({ length: 10 }, () => `*a${one - 1}`).join()}]\n`)
        .join('')}`,
      '7:39 The aliases of the file stand for more than 1000000 values.',
    ],
    [
      'for merges that stand for too many values',
      `openapi: 3.0.3\nx-0: &a0 { a: 1 }\n${Array.from({ length: 25 }, (_, one) => `x-${one + 1}: &a${one + 1} { <<: [*a${one}, *a${one}], b: 1 }\n`).join('')}`,
      '19:14 The aliases of the file stand for more than 1000000 values.',
    ],
    [
      'for a mapping as a key',
      'openapi: 3.0.3\nx-a: { { b: 1 }: 2 }\n',
      '2:8 A key must be a single value. Put it in quotes.',
    ],
    [
      'for a key that stands twice',
      'openapi: 3.0.3\ninfo: {}\npaths: {}\ninfo: {}\n',
      '4:1 The key info is not unique. Take one away, or join them.',
    ],
    [
      'for a nested key that stands twice',
      'openapi: 3.0.3\ninfo:\n  title: A\n  title: B\n',
      '4:3 The key title is not unique. Take one away, or join them.',
    ],
    [
      'when it is two documents',
      'openapi: 3.0.3\n---\nopenapi: 3.0.3\n',
      '2:1 The file has more than one YAML document. Take away what begins with the line "---", or move it to a file of its own.',
    ],
    ['for a tab', 'openapi: 3.0.3\ninfo:\n\ttitle: A\n', '3:1 Tabs are not allowed as indentation. Indent by spaces.'],
    [
      'for a bracket that is not closed',
      'openapi: 3.0.3\npaths: [\n',
      '2:8 What begins here with [ does not end. Add the ] that is missing.',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parseContract(text, 'openapi.yaml')).toThrow(new Error(`openapi.yaml:${message}`))
  })

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
    [
      'for an operationId that is taken',
      secondOf('getThing'),
      '14:7 The operationId getThing of PUT /others is taken by GET /things. Choose another one.',
    ],
    [
      'for an operationId that is taken in other case',
      secondOf('GETTHING'),
      '14:7 The operationId GETTHING of PUT /others is taken by GET /things. Choose another one.',
    ],
    [
      'for an operationId that gets the name of another',
      secondOf('get-thing'),
      '14:7 The name getThing, which the operationId gives to PUT /others, is taken by GET /things. Choose another operationId.',
    ],
  ])('%s', async (_, text, message) => {
    expect(await refusal(text)).toBe(`openapi.yaml:${message}`)
    expect(() => declaredOperations(parseContract(text, 'openapi.yaml'))).toThrow(new Error(`openapi.yaml:${message}`))
  })

  const parameter = (text: string): string => withOperation(`parameters: [{ name: filter, ${text} }]`, done)

  test.each<[string, string, string]>([
    [
      'for a list in a cookie that is written in several',
      parameter('in: cookie, schema: { type: array, items: { type: string } }'),
      '10:20 getThing: the cookie parameter filter must have "explode: false", as cookies are.',
    ],
    [
      'for an object in a list of the query',
      parameter('in: query, schema: { type: array, items: { type: object } }'),
      '10:20 getThing: the query parameter filter must not have lists or objects in it; use the style deepObject.',
    ],
    [
      'for a parameter that is an object or a text',
      parameter('in: query, schema: { oneOf: [{ type: object }, { type: string }] }'),
      '10:20 getThing: the query parameter filter must not be an object beside other types; use the style deepObject.',
    ],
    [
      'for a parameter with content that is not JSON',
      parameter('in: query, content: { application/xml: { schema: { type: string } } }'),
      '10:20 getThing: the query parameter filter has the content application/xml; use application/json.',
    ],
    [
      'for a style that no path has',
      withOperation(
        'parameters: [{ name: id, in: path, required: true, style: form, schema: { type: string } }]',
        done,
      ).replace('/things:', '/things/{id}:'),
      '10:58 getThing: the path parameter id has the style form; use simple or label or matrix.',
    ],
    [
      'for objects between bars',
      parameter('in: query, style: pipeDelimited, explode: false, schema: { type: object }'),
      '10:47 getThing: the query parameter filter has the style pipeDelimited, which is for lists.',
    ],
    [
      'for a body in a format that cannot be read',
      withOperation('requestBody: { content: { application/xml: { schema: { type: object } } } }', done),
      '10:33 getThing: the body application/xml cannot be read.',
    ],
    [
      'for a body whose parts are not a form',
      withOperation('requestBody: { content: { multipart/mixed: {} } }', done),
      '10:33 getThing: the body multipart/mixed cannot be read.',
    ],
    [
      'for a form that is no object',
      withOperation('requestBody: { content: { multipart/form-data: { schema: { type: string } } } }', done),
      '10:33 getThing: the body multipart/form-data must be an object.',
    ],
    [
      'for an answer that cannot be written',
      withOperation(
        "responses: { '200': { description: Done., content: { application/xml: { schema: { type: object } } } } }",
      ),
      '10:49 getThing: no answer 200 can be written as application/xml.',
    ],
    [
      'for a security scheme that is not declared',
      withOperation('security: [{ cookieAuth: [] }]', done),
      '10:20 There is no security scheme cookieAuth. Add it to components.securitySchemes.',
    ],
    [
      'for a security scheme that cannot carry a key',
      withOperation(done).replace('scheme: bearer', 'scheme: digest'),
      '13:5 The security scheme bearerAuth is http digest, which cannot carry an API key.',
    ],
    [
      'for a pattern that is none, at its line',
      withBody("{ type: string, pattern: '[' }"),
      '10:93 The pattern is no regular expression: Unterminated character class. Correct it.',
    ],
    [
      'for a property that no object can have',
      withBody('{ type: object, properties: { __proto__: { type: string } } }'),
      '10:107 A property cannot have the name __proto__. Choose another name: JavaScript gives this one a meaning of its own.',
    ],
    [
      'for a schema that contains itself for the same value',
      `${withBody("{ $ref: '#/components/schemas/A' }")}  schemas: { A: { anyOf: [{ type: string }, { $ref: '#/components/schemas/A' }] } }\n`,
      '15:14 The schema contains itself for the same value, so no check of it would end. Put a property or items between, or take the circle away.',
    ],
    [
      'for a path with a query',
      withOperation(done).replace('/things:', "'/things?kind=a':"),
      '7:3 The path /things?kind=a has a query, which no request can match.',
    ],
    [
      'for a path with a fragment',
      withOperation(done).replace('/things:', "'/things#kind':"),
      '7:3 The path /things#kind has a fragment, which no request can match.',
    ],
    [
      'for a list in a header that may be a text',
      parameter('in: header, schema: { oneOf: [{ type: array, items: {} }, { type: string }] }'),
      '10:20 getThing: the header parameter filter must not be a list beside other types.',
    ],
    [
      'for a range of answers in small letters',
      withOperation('responses: { 4xx: { description: Wrong. } }'),
      '10:20 OpenAPI 3.0: responses.4xx must be a status such as 404, a range such as 4XX, or default.',
    ],
    [
      'for a reference where none may stand',
      withOperation("responses: { '200': { description: Done., content: { $ref: '#/components/x' } } }").replace(
        'components:',
        'components:\n  x-any: {}',
      ),
      '10:60 OpenAPI 3.0: content must not be a $ref.',
    ],
    [
      'for a value of another type than OpenAPI gives it',
      withOperation('deprecated: [true]', done),
      '10:7 OpenAPI 3.0: deprecated must be a boolean.',
    ],
    [
      'for a server whose address is none',
      withOperation(done).replace(/servers: .*/, "servers: [{ url: 'http://[' }]"),
      '3:13 The url of the server is no address.',
    ],
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

describe('paths that differ only in what is percent-encoded are one path', () => {
  const twoPaths = (first: string, second: string, method = 'get'): string =>
    contractText(
      `  ${first}: { get: { operationId: getOne, ${done} } }\n  ${second}: { ${method}: { operationId: getOther, ${done} } }\n`,
    )

  test.each([
    ['/a%62', '/ab'],
    ['/caf%C3%A9', '/café'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/%40me', '/@me'],
    ['/a b', '/a%20b'],
  ])('%s and %s', async (first, second) => {
    expect(await refusal(twoPaths(first, second))).toBe(
      `openapi.yaml:8:3 The path ${second} matches the same addresses as ${first}.`,
    )
  })

  test.each([
    ['/a%2Fb', '/a/b'],
    ['/a%2562', '/a%62'],
    ['/a%62', '/aB'],
  ])('%s and %s are two', async (first, second) => {
    const { operations } = await compile(twoPaths(first, second), { checked: false })
    expect([...operations.keys()]).toEqual(['getOne', 'getOther'])
  })

  test('also one of a page of the service', async () => {
    expect(await refusal(twoPaths('/doc%73', '/ab').replace('https://example.test/v1', '/'))).toBe(
      'openapi.yaml:7:3 The address /doc%73 is of a page of the service itself.',
    )
  })
})
