import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { compile, contractText, done, withOperation } from '../support/contracts/things.ts'

const docs = readFileSync(fileURLToPath(new URL('../../docs/contract-workshop.md', import.meta.url)), 'utf8')
const [, section = ''] = docs.split('## What the server honours\n')
/** The rows of the table: the feature, and what it says of requests and answers. */
const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) +\| (yes|no|–) +\| (yes|no|–) +\|/gm)].map(
  ([, feature = '', request = '', answer = '']) => ({ feature, request, answer }),
)

const other = 'Other: { type: object, properties: { n: { type: integer } } }'
const bodyOf = (type: string, schema: string): string =>
  `requestBody: { content: { ${type}: ${schema === '' ? '{}' : `{ schema: ${schema} }`} } }`
const answerOf = (type: string, schema: string): string =>
  `responses: { '200': { description: A., content: { ${type}: ${schema === '' ? '{}' : `{ schema: ${schema} }`} } } }`

/** Contracts with a feature in a request or an answer, in the form that the feature is most used. */
function both(schema: string, type = 'application/json'): { request: string[]; answer: string[] } {
  const whole = (...lines: string[]): string => `${withOperation(...lines)}  schemas:\n    ${other}\n`
  return { request: [whole(bodyOf(type, schema), done)], answer: [whole(answerOf(type, schema))] }
}
/** The same in another version of OpenAPI. */
function of(version: string, schema: string, type?: string, more = ''): { request: string[]; answer: string[] } {
  const { request, answer } = both(schema, type)
  const inVersion = (text: string): string =>
    text.replace('openapi: 3.0.3', `openapi: ${version}`).replace('paths:', `${more}paths:`)
  return { request: request.map(inVersion), answer: answer.map(inVersion) }
}
const parameter = (...texts: string[]): { request: string[] } => ({
  request: texts.map((text) => withOperation(`parameters: [{ name: f, ${text} }]`, done)),
})
const scheme = (...texts: string[]): { request: string[] } => ({
  request: texts.map((text) => withOperation(done).replace('type: http, scheme: bearer', text)),
})
const server = (text: string): string => withOperation(done).replace(/servers: .*/, text)
const list = 'schema: { type: array, items: { type: integer } }'
const flows = "flows: { clientCredentials: { tokenUrl: 'https://example.test', scopes: {} } }"

const cases: Record<string, { request?: string[]; answer?: string[] }> = {
  '`$ref` to a component, to a `$ref`, or through a path': both("{ $ref: '#/components/schemas/Other' }"),
  '`$ref` to another file': both("{ $ref: 'other.yaml#/Thing' }"),
  'YAML anchors, aliases and merge keys': both(
    '{ allOf: [&a { type: string }, *a], properties: { n: { <<: *a, maxLength: 9 } } }',
  ),
  'schemas that contain themselves': {
    request: [withTree(bodyOf('application/json', "{ $ref: '#/components/schemas/Tree' }"), done)],
    answer: [withTree(answerOf('application/json', "{ $ref: '#/components/schemas/Tree' }"))],
  },
  '`oneOf`, `anyOf`, `not`, `allOf`': both(
    '{ oneOf: [{ type: string }, { anyOf: [{ type: integer }], not: { enum: [1] } }], allOf: [{}] }',
  ),
  '`discriminator` beside `oneOf` or `anyOf`': both(
    "{ oneOf: [{ $ref: '#/components/schemas/Other' }], discriminator: { propertyName: kind } }",
  ),
  '`nullable` beside a type, `allOf`, `oneOf` or `anyOf`': both(
    "{ nullable: true, allOf: [{ $ref: '#/components/schemas/Other' }] }",
  ),
  'values without a type, `additionalProperties`': both(
    '{ type: object, properties: { a: {} }, additionalProperties: true }',
  ),
  formats: both('{ type: string, format: isbn }'),
  '`readOnly`, `writeOnly`': both(
    '{ type: object, required: [a], properties: { a: { type: string, readOnly: true } } }',
  ),
  'patterns of ECMA-262 5.1': both(String.raw`{ type: string, pattern: '^a\-b$' }`),
  'a property named `__proto__`': both('{ type: object, properties: { __proto__: { type: string } } }'),
  'an operationId that is no identifier, or none': {
    request: [
      withOperation(done).replace('getThing', 'things/get'),
      contractText(`  /things:\n    get:\n      ${done}\n`),
      withOperation(done).replace('getThing', 'delete'),
    ],
  },
  'HEAD and OPTIONS as operations': {
    request: [
      withOperation(done).replace('    get:', '    head:'),
      withOperation(done).replace('    get:', '    options:'),
    ],
  },
  '`http` bearer and basic, `apiKey` in header, query or cookie': scheme(
    ...['type: http, scheme: basic', 'type: apiKey, in: header, name: X-Key', 'type: apiKey, in: query, name: key'],
    'type: apiKey, in: cookie, name: key',
  ),
  '`oauth2`, `openIdConnect`': scheme(
    `type: oauth2, ${flows}`,
    "type: openIdConnect, openIdConnectUrl: 'https://example.test'",
  ),
  'other `http` schemes': scheme('type: http, scheme: digest'),
  'several schemes at once, alternatives, `security: []`': {
    request: [withOperation('security: []', done), withOperation('security: [{ bearerAuth: [] }, {}]', done)],
  },
  'no `x-plans`': { request: [withOperation(done).replace(/x-plans: .*\n/, '')] },
  'servers at `/`, of a path, of an operation': {
    request: [server('servers: [{ url: / }]'), server('x-none: 1'), withOperation('servers: [{ url: /v2 }]', done)],
  },
  '`application/json` and types that end in `+json`': both('{ type: integer }', 'application/vnd.thing+json'),
  '`application/x-www-form-urlencoded`': both('{ type: object }', 'application/x-www-form-urlencoded'),
  '`multipart/form-data`': both('{ type: object }', 'multipart/form-data'),
  '`text/*`': both('{ type: string }', 'text/plain'),
  'bytes: other types, such as `image/*`': both('{ type: string, format: binary }', 'image/*'),
  'XML with a structure': both('{ type: object }', 'application/xml'),
  'several types of a body, optional bodies': both('{ type: integer }', "text/plain: {}, 'a/b': {}, application/json"),
  'statuses, ranges such as `2XX`, `default`': {
    answer: [
      withOperation(
        "responses: { '200': { description: A. }, 2XX: { description: B. }, default: { description: C. } }",
      ),
    ],
  },
  'parameters in path, query, header, cookie': parameter(
    'in: header, schema: {}',
    'in: cookie, schema: { type: string }',
  ),
  'styles `form`, `simple`, `spaceDelimited`, `pipeDelimited`': parameter(
    ...['form', 'spaceDelimited', 'pipeDelimited'].map((style) => `in: query, style: ${style}, ${list}`),
    `in: header, style: simple, ${list}`,
  ),
  'style `deepObject`': parameter('in: query, style: deepObject, schema: { type: object }'),
  'styles `label` and `matrix`': {
    request: ['label', 'matrix'].map((style) =>
      withOperation(`parameters: [{ name: f, in: path, required: true, style: ${style}, schema: {} }]`, done).replace(
        '/things:',
        '/things/{f}:',
      ),
    ),
  },
  '`content: application/json` of a parameter': parameter('in: query, content: { application/json: { schema: {} } }'),
  'OpenAPI 3.1: lists of types, `const`, numeric `exclusiveMinimum`': of(
    '3.1.0',
    "{ anyOf: [{ type: [integer, 'null'], exclusiveMinimum: 1 }, { const: 9007199254740993 }] }",
  ),
  'OpenAPI 3.1: keys beside a `$ref`, `true` and `false` as schemas': of(
    '3.1.0',
    "{ $ref: '#/components/schemas/Other', properties: { a: true, b: false } }",
  ),
  'JSON Schema 2020-12: `prefixItems`, `contains`, `if`, `patternProperties`, `unevaluatedProperties` and the like': of(
    '3.1.0',
    "{ prefixItems: [{}], contains: {}, if: {}, then: {}, patternProperties: { '^a': {} }, unevaluatedProperties: false }",
  ),
  '`$dynamicRef`, another `jsonSchemaDialect`': of('3.1.0', "{ $dynamicRef: '#a' }"),
  'OpenAPI 3.1: `webhooks`, no `paths`': {
    request: [
      withOperation(done)
        .replace('3.0.3', '3.1.0')
        .replace(/paths:[^]*(?=components:)/, `webhooks: { thing: { post: { ${done} } } }\n`),
    ],
  },
  '`mutualTLS`': { request: [scheme('type: mutualTLS').request[0]?.replace('3.0.3', '3.1.0') ?? ''] },
  'OpenAPI 3.2: `itemSchema`, `$self`, tags with a `parent`': of(
    '3.2.0',
    '{ type: string }, itemSchema: { type: string }',
    'text/event-stream',
    '$self: /openapi.yaml\ntags: [{ name: a }, { name: b, parent: a, kind: nav }]\n',
  ),
  'OpenAPI 3.2: `query`, `additionalOperations`, `in: querystring`': {
    request: [
      withOperation(done).replace('    get:', `    query: { ${done} }\n    get:`),
      withOperation(done).replace('    get:', `    additionalOperations: { COPY: { ${done} } }\n    get:`),
      ...parameter('in: querystring, content: { application/json: { schema: {} } }').request,
    ].map((text) => text.replace('3.0.3', '3.2.0')),
  },
}

function withTree(...lines: string[]): string {
  const tree = "Tree: { type: object, properties: { next: { $ref: '#/components/schemas/Tree' } } }"
  return `${withOperation(...lines)}  schemas:\n    ${tree}\n`
}

test('the table of what the server honours has a case for each row', () => {
  expect(rows.map(({ feature }) => feature)).toEqual(Object.keys(cases))
})

describe.each(rows)('the table of what the server honours is right of $feature', ({ feature, request, answer }) => {
  test.each([
    ['requests', request, cases[feature]?.request],
    ['answers', answer, cases[feature]?.answer],
  ] as const)('in %s', async (_, said, contracts) => {
    expect(contracts === undefined).toBe(said === '–')
    for (const contract of contracts ?? []) {
      const compiling = Promise.resolve().then(() => compile(contract, { checked: false }))
      if (said === 'yes') await expect(compiling).resolves.toMatchObject({ operations: expect.any(Map) as unknown })
      else await expect(compiling).rejects.toThrow(/^openapi\.yaml:\d+:\d+ /)
    }
  })
})
