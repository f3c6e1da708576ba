import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'
import { testFolder } from '../../support/process.ts'

jest.setTimeout(60_000)

const file = join(testFolder(), 'contract.yaml')

/** The findings of a contract, by line; a comment `#! …` at a line has the beginning of the finding that it must have. */
async function held(text: string): Promise<void> {
  const expected = text.split('\n').flatMap((line, index) => {
    const message = /#! (.*)$/.exec(line)?.[1]
    return message === undefined ? [] : [`${index + 1} ${message}`]
  })
  const found = await told(text)
  expect(found).toEqual(expected.map((one) => expect.stringContaining(one)))
}

async function told(text: string): Promise<string[]> {
  writeFileSync(file, text)
  const findings = await lintContract(file, { today: '2026-11-28' })
  return findings.map(({ place, message, fix }) => `${place.line} ${message} ${fix}`)
}

const head = `openapi: 3.0.3
info: { title: Things, version: '1' }
`
const done = "responses: { '204': { description: Done. } }"

/** A contract with these properties of a schema, each in a line. */
function withProperties(...properties: string[]): string {
  return `${head}paths:
  /a:
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
      ${done}
components:
  schemas:
    B: { type: object, required: [kind], properties: { kind: { type: string } } }
    A:
      type: object
      properties:
        b: { $ref: '#/components/schemas/B' }
${properties.map((one) => `        ${one}\n`).join('')}`
}

describe('each fault is told once, at its line:', () => {
  test('what an operation, its messages, its server and its security have', async () => {
    await held(`${head}servers:
  - url: 'https://api.test/{base}?a=1' #! The address of the server has a query or a fragment
    variables:
      base:
        enum: [v1, v2]
        default: v3 #! The default is not a value of its enum.
security:
  - oauth: [wrte] #! The security scheme oauth has no scope wrte. Did you mean write?
paths:
  /a/{petId}:
    get:
      parameters:
        - name: petid #! getAPetId: the path has no {petid}. Did you mean petId?
          in: path
          required: true
          schema: { type: string }
        - { name: X-A, in: header, schema: { type: string } }
        - { name: x-a, in: header, schema: { type: string } } #! The header x-a is declared as X-A already.
      responses:
        '200':
          description: A.
          headers:
            X A: { schema: { type: string } } #! getAPetId: no header can have the name "X A".
          links:
            next: { operationId: getB } #! The link names the operation getB, which there is not.
          content:
            json: { schema: {} } #! "json" is no media type. Did you mean application/json?
        '204':
          description: A.
          content: #! The response 204 of GET /a/{petId} has content
            application/json: { schema: {} }
  /b/{id: #! The path /b/{id has a brace that encloses no parameter.
    get:
      ${done}
  /c:
    get:
      parameters:
        - { name: 'a;b', in: cookie, schema: { type: string } } #! getC: the cookie parameter a;b has a name that no cookie can have.
        - { name: q, in: query, style: deepObject, schema: { type: string } } #! getC: the query parameter q has the style deepObject
        - { name: s, in: query, style: comma, schema: { type: string } } #! \`style\` can be one of
      ${done}
components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://a.test', scopes: { write: A } } } }
x-plans: {} #! x-plans has no plan.
`)
  })

  test('keywords of schemas that do not go together', async () => {
    await held(
      withProperties(
        'c: { type: integer, minimum: 1.2, maximum: 1.8 } #! There is no integer between 1.2 and 1.8',
        'd: { type: integer, exclusiveMinimum: true } #! exclusiveMinimum has no effect without minimum.',
        'e: { type: array, items: { type: boolean }, uniqueItems: true, minItems: 3 } #! There are only 2 different items',
        'f: { type: array, items: [{ type: string }] } #! The items are a list',
        'g: { type: object, maxProperties: 1, required: [b, c], properties: { b: {}, c: {} } } #! 2 properties are required',
        'h: { type: object, additionalProperties: false, required: [nam], properties: { name: {} } } #! The property nam is required, but the object is closed and does not have it. Did you mean name?',
        'i: { type: string, not: {} } #! The value must not be what every value is',
        'j: { allOf: [{ type: string }, { type: integer }] } #! The parts have the types string and integer',
        'k: { allOf: [{ type: integer, minimum: 5 }, { maximum: 3 }] } #! The parts have minimum 5 and maximum 3',
        'l: { oneOf: [{ type: string }, { type: string }] } #! This alternative is the same as another one',
        'm: { type: string, readOnly: true, writeOnly: true } #! The value is read-only and write-only',
        'n: { type: string, maxLength: 2, enum: [abc] } #! The value "abc" must have at most 2 characters, so it is never valid.',
        "o: { oneOf: [{ $ref: '#/components/schemas/B' }], discriminator: { propertyName: kind, mapping: { a: Bb } } } #! The mapping leads to no schema. Did you mean",
        "p: { type: object, required: [a], properties: { a: { $ref: '#/components/schemas/A/properties/p' } } } #! Each value of the schema needs another one in it",
        "q: { anyOf: [{ $ref: '#/components/schemas/A/properties/q' }, {}] } #! The schema contains itself for the same value",
        'r: { type: string, minLength: 99999999999999999999 } #! minLength is beyond 2^53 - 1',
      ),
    )
  })

  test('defaults by every keyword', async () => {
    await held(
      withProperties(
        'c: { type: string, format: date, default: tomorrow } #! The default must be a date such as 2026-11-28.',
        'd: { type: integer, format: int32, default: 3000000000 } #! The default must fit in 32 bits.',
        'e: { type: integer, multipleOf: 2, default: 3 } #! The default must be a multiple of 2.',
        'f: { type: array, items: { type: integer }, uniqueItems: true, default: [1, 1] } #! The default must not have the same item twice (items 0 and 1).',
        'g: { type: object, additionalProperties: false, default: { a: 1 } } #! default.a is not a known field.',
        'h: { type: string, not: { enum: [a] }, default: a } #! The default must not be a.',
        'i: { oneOf: [{ type: string }, { maxLength: 5 }], default: a } #! The default must be in exactly one of the forms that the contract gives.',
        'j: { type: number, default: 1e999 } #! The number is one that JSON does not have.',
        'k: { type: number, multipleOf: 0.1, default: 0.3 }',
      ),
    )
  })

  test.each([
    [
      'a key that is misspelt',
      `openapi: 3.0.3\ninfo:\n  title: A\n  verison: '1' #! Property \`verison\`\npaths: {}\n`,
    ],
    [
      'a type beside a parameter, as in Swagger 2.0',
      `${head}paths:
  /a:
    get:
      parameters:
        - name: a
          in: query
          type: string #! Property \`type\` is not expected here, but in its schema.
      ${done}
`,
    ],
    [
      'a security scheme with a wrong type',
      `${head}security: [{ a: [] }]
paths: { /a: { get: { ${done} } } }
components:
  securitySchemes:
    a: { type: apikey, in: header, name: X-Key } #! \`type\` can be one of
`,
    ],
    [
      'a server that is no address',
      `${head}servers:\n  - url: 'https://a b' #! The url of the server is no address.\npaths: { /a: { get: { ${done} }, put: { ${done} } } }\n`,
    ],
  ])('%s', async (_, text) => {
    await held(text)
  })
})

test.each([
  ['a quote that is not closed', '2', `info: { title: "A }\npaths: {}\n`, 'What begins here with " does not end.'],
  [
    'a bracket that is not closed',
    '3',
    `info: { title: A, version: '1' }\npaths: { /a: {}\nx-a: 1\n`,
    'What begins here with { does not end.',
  ],
  ['a bracket too many', '2', 'info: { title: A } }\npaths: {}\n', 'Unexpected flow-map-end token'],
  [
    'marks of a merge',
    '2',
    '<<<<<<< HEAD\npaths: {}\n=======\npaths: {}\n>>>>>>> other\n',
    'The file has the marks of a merge',
  ],
  ['a tag that is not known', '2', 'info: !draft { title: A }\npaths: {}\n', '!draft is no tag of YAML.'],
  [
    'a key as number and text',
    '3',
    "x-a: { 1: a }\nx-b: { 1: a, '1': b }\n",
    'The key 1 is not unique. Take one away, or join them.',
  ],
])('a file with %s is told of this alone', async (_, line, text, message) => {
  expect(await told(`openapi: 3.0.3\n${text}`)).toEqual([expect.stringContaining(`${line} ${message}`)])
})

test.each([
  ['asyncapi: 2.6.0\n', '1 The file is a document of AsyncAPI. Only OpenAPI 3.0, 3.1 and 3.2 are read.'],
  ['openapi: 4.0.0\n', '1 The version 4.0.0 is not of OpenAPI 3.0, 3.1 or 3.2. Write such as "openapi: 3.0.3".'],
  ['{\n  // a comment\n  "openapi": "3.0.3"\n}\n', '2 JSON has no comments. Take it away.'],
  [
    'openapi: 3.0.3\rinfo: {}\r',
    '1 The lines of the file end with carriage returns alone. Save it with the line ends of Unix or Windows.',
  ],
])('%j is told what it is', async (text, line) => {
  expect(await told(text)).toEqual([line])
})

test('what is sound is not refused: not with a $ref, true as a schema, a parameter of the path in the operation, deep nesting', async () => {
  const deep = `${'{ type: object, properties: { a: '.repeat(60)}{}${' } }'.repeat(60)}`
  const lines = await told(`openapi: 3.1.0
info: { title: A, version: '1' }
paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    post:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      requestBody:
        content: { application/json: { schema: true }, application/b+json: { schema: { not: { $ref: '#/components/schemas/A' } } } }
      responses: { '200': { description: A., content: { application/json: { schema: { contains: {}, minContains: 0 } } } } }
components: { schemas: { A: { type: object, properties: { deep: ${deep} } } } }
`)
  expect(lines).toEqual([
    '7 POST /a/{id} repeats the path parameter id of its path. The one of the operation holds; some tools do not know that.',
  ])
})
