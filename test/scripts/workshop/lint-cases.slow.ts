import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'
import { testFolder } from '../../support/process.ts'

const folder = testFolder()
const file = join(folder, 'contract.yaml')

async function told(text: string): Promise<string[]> {
  writeFileSync(file, text)
  const findings = await lintContract(file, { today: '2026-11-28' })
  return findings.map(({ place, severity, message, fix }) => `${place.line} ${severity} ${message} ${fix}`)
}

const head = (version = '3.0.3'): string => `openapi: ${version}\ninfo: { title: A, version: '1' }\n`
const done = "responses: { '204': { description: Done. } }"
const body = (version: string, schema: string, more = ''): string =>
  `${head(version)}paths:
  /a:
    post:
      requestBody: { content: { application/json: { schema: ${schema}${more} } } }
      ${done}
`
const withParameter = (parameter: string, version?: string): string =>
  `${head(version)}paths: { /a: { get: { operationId: getA, parameters: [${parameter}], ${done} } } }\n`
const unserved = 'The service cannot serve this; write it in another way.'

test.each<[string, string, string[]]>([
  [
    'an example with a property more than the schema names',
    body('3.1.0', '{ type: object, properties: { a: {} } }', ', example: { a: 1, b: 2 }'),
    [],
  ],
  [
    'nullable without a type beside an example',
    body('3.0.3', '{ nullable: true, properties: { a: {} } }', ', example: { a: 1 }'),
    [],
  ],
  ['a keyword that JSON Schema does not have', body('3.1.0', '{ type: string, enumNames: [a] }'), []],
  [
    'an operation without responses',
    `${head('3.1.0')}paths: { /a: { get: { summary: A. } } }\n`,
    [`3 warning getA: it declares no answer. ${unserved}`],
  ],
  [
    'the style cookie of OpenAPI 3.2',
    withParameter('{ name: a, in: cookie, style: cookie, schema: { type: string } }', '3.2.0'),
    [`3 warning getA: the cookie parameter a has the style cookie; use form. ${unserved}`],
  ],
])('what OpenAPI allows is no error: %s', async (_, text, findings) => {
  expect(await told(text)).toEqual(findings)
})

const wrong = 'Correct it; the service does not start with it.'
test.each<[string, string, string[]]>([
  [
    'allOf as a mapping',
    body('3.0.3', '{ allOf: { type: string } }'),
    [`6 error OpenAPI 3.0: allOf must be an array. ${wrong}`],
  ],
  [
    'parameters as a mapping',
    `${head()}paths: { /a: { get: { parameters: { name: a }, ${done} } } }\n`,
    [`3 error OpenAPI 3.0: parameters must be an array. ${wrong}`],
  ],
  [
    'a version of two parts',
    'openapi: 3.1\n',
    ['1 error The version 3.1 is incomplete; it has three parts. Write "openapi: 3.1.0".'],
  ],
  [
    'two letters that are swapped',
    `${head()}paths: { /a: { pots: { ${done} } } }\n`,
    ['3 error Property `pots` is not expected here. Did you mean post?'],
  ],
  [
    'a text in quotes that goes on at the left edge',
    'openapi: 3.0.3\ninfo:\n  title: "A title\nthat goes on"\n  version: \'1\'\npaths: {}\n',
    [
      '4 error The line is a part of the text in quotes above it, and is not indented. Indent it deeper than the key of the text.',
    ],
  ],
  [
    'a parameter that is referred to twice',
    `${withParameter("{ $ref: '#/components/parameters/P' }, { $ref: '#/components/parameters/P' }")}components: { parameters: { P: { name: p, in: query, schema: { type: string } } } }\n`,
    ['3 error #/components/parameters/P is declared twice. Take one away.'],
  ],
  [
    'a status that there is none of',
    `${head()}paths: { /a: { get: { responses: { '601': { description: A. } } } } }\n`,
    [`3 error OpenAPI 3.0: responses.601 must be a status such as 404, a range such as 4XX, or default. ${wrong}`],
  ],
  [
    'a limit of another type',
    withParameter('{ name: a, in: query, schema: { type: string, maximum: 3 } }'),
    ['3 warning maximum has no effect on a string. Take it away, or correct the type.'],
  ],
  [
    'a format that is misspelt',
    withParameter('{ name: a, in: query, schema: { type: string, format: datetime } }'),
    ['3 warning There is no format datetime. Did you mean date-time?'],
  ],
  [
    'a format of integers that is misspelt',
    withParameter('{ name: a, in: query, schema: { type: integer, format: int63 } }'),
    ['3 warning There is no format int63. Did you mean int64?'],
  ],
  [
    'a header that the content says',
    `${head()}paths: { /a: { get: { responses: { '200': { description: A., headers: { Content-Type: { schema: { type: string } } } } } } } }\n`,
    ['3 warning The header Content-Type is ignored: the media types of the content say it. Take it away.'],
  ],
  [
    'allowReserved where it means nothing',
    withParameter('{ name: a, in: header, allowReserved: true, schema: { type: string } }'),
    ['3 warning allowReserved has no effect in a header parameter. Take it away.'],
  ],
  [
    'a sunset before the deprecation',
    withParameter('').replace(
      'get: {',
      "get: { deprecated: true, x-deprecated-since: '2026-12-01', x-sunset: '2026-11-30',",
    ),
    ['3 error The sunset of GET /a is before its deprecation. Swap the two days, or correct the wrong one.'],
  ],
  [
    'a default that is null',
    withParameter('{ name: a, in: query, schema: { type: string, default: null } }'),
    ['3 error The default must be a string. Correct the default or the schema.'],
  ],
  [
    'a media type that no header can have',
    `${head()}paths: { /a: { get: { operationId: getA, responses: { '200': { description: A., content: { 'application/pdf; x=日本': {} } } } } } }\n`,
    [`3 error getA: no header can have the media type "application/pdf; x=日本". ${wrong}`],
  ],
])('a fault is found at its line: %s', async (_, text, findings) => {
  expect(await told(text)).toEqual(findings)
})

test('a fault of a component is one finding, with the operations that use it', async () => {
  const get = (id: string): string =>
    `{ operationId: ${id}, parameters: [{ $ref: '#/components/parameters/P' }], ${done} }`
  const text = `${head()}paths:
  /a: { get: ${get('getA')}, put: ${get('putA')} }
  /b: { get: ${get('getB')} }
components: { parameters: { P: { name: p, in: query, content: { application/xml: {} } } } }
`
  expect(await told(text)).toEqual([
    `6 warning getA and 2 other operations: the query parameter p has the content application/xml; use application/json. ${unserved}`,
  ])
})

test('each default that the service would refuse is found', async () => {
  const text = `${head('3.1.0')}paths:
  /a: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }, ${done} } }
components:
  schemas:
    A:
      type: object
      properties:
        a: { type: object, dependentRequired: { x: [y] }, default: { x: 1 } }
        b: { type: object, propertyNames: { maxLength: 2 }, default: { abc: 1 } }
        c: { type: object, patternProperties: { '^n': { type: integer } }, default: { n: a } }
        d: { type: integer, if: { minimum: 5 }, then: { multipleOf: 2 }, default: 7 }
        e: { type: array, contains: { type: integer }, default: [a] }
        f: { type: object, properties: { a: {} }, unevaluatedProperties: false, default: { b: 1 } }
`
  expect((await told(text)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(
    ['10', '11', '12', '13', '14', '15'].map((line) => `${line} error`),
  )
})

test('lint exits with 0 for a contract that OpenAPI allows and the service does not serve', async () => {
  writeFileSync(file, `${head()}paths: { /metrics: { get: { ${done} } } }\n`)
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const ended = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'scripts/contract-lint.ts', file],
      { cwd: root },
      (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout })
      },
    )
  })
  expect(ended).toEqual({
    code: 0,
    stdout: expect.stringContaining('The address /metrics is of a page of the service itself.'),
  })
})
