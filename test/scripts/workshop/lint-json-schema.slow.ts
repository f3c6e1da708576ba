import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-lint-31-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** A sound contract of OpenAPI 3.1; the schema of the body is line 20, and of the webhook line 7. */
const sound = `openapi: 3.1.0
jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
info: { title: Things, summary: Of all kinds, version: '1', license: { name: MIT, identifier: MIT } }
security: [{ bearerAuth: [] }]
tags: [{ name: things }]
webhooks:
  told: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }, responses: { '204': { description: Done. } } } }
paths:
  /things/{id}:
    put:
      operationId: putThing
      tags: [things]
      parameters:
        - { name: id, in: path, required: true, schema: { type: [integer, string], exclusiveMinimum: 0 } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/Thing'
              description: The thing.
      responses:
        '200': { $ref: '#/components/responses/Done', description: Put. }
components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
  responses:
    Done: { description: Done. }
  schemas:
    Thing:
      type: object
      required: [name]
      properties:
        name: { type: [string, 'null'], minLength: 1, examples: [Rex, null], default: null }
        kind: { const: thing }
        one: { type: [integer, 'null'], format: int64, exclusiveMinimum: 1, exclusiveMaximum: 9007199254740993 }
        pair: { type: array, prefixItems: [{ type: string }, { type: integer }], items: false }
        other: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] }
        file: { type: string, contentEncoding: base64, contentMediaType: image/png }
        any: true
      patternProperties: { '^x': { type: string } }
      if: { required: [kind] }
      then: { required: [one] }
      unevaluatedProperties: false
    Other: { type: array }
`

async function told(text: string): Promise<string[]> {
  const file = join(folder, 'contract.yaml')
  writeFileSync(file, text)
  const findings = await lintContract(file, { today: '2026-11-28' })
  return findings.map(
    ({ place, severity, message, fix }) => `${place.line}:${place.column} ${severity} ${message} ${fix}`,
  )
}

test('a sound contract of OpenAPI 3.1 is sound', async () => {
  expect(await told(sound)).toEqual([])
})

test.each<[string, from: string, to: string, findings: string[]]>([
  [
    'nullable',
    "{ type: [string, 'null'], minLength: 1, examples: [Rex, null], default: null }",
    '{ type: string, nullable: true }',
    [
      `34:31 warning nullable means nothing in OpenAPI 3.1: write "type: [string, 'null']". It is ignored as it stands.`,
    ],
  ],
  [
    'an unknown type',
    "[integer, 'null'], format",
    "[integr, 'null'], format",
    ['36:16 error There is no type "integr". Did you mean integer?'],
  ],
  [
    'a type twice',
    "[integer, 'null'], format",
    '[integer, integer], format',
    ['36:16 error The list has a type twice. Take one away.'],
  ],
  [
    'a const of another type',
    '{ const: thing }',
    '{ type: integer, const: thing }',
    ['35:32 error The const must be an integer, so no value is valid. Correct one of the two.'],
  ],
  [
    'a const outside the enum',
    '{ const: thing }',
    '{ enum: [a, b], const: thing }',
    ['35:31 error The const is not a value of the enum, so no value is valid. Correct one of the two.'],
  ],
  [
    'a default of another type',
    'default: null',
    'default: 7',
    ['34:78 error The default must be a string. Correct the default or the schema.'],
  ],
  [
    'a default that is null',
    "[string, 'null'], minLength: 1, examples: [Rex, null]",
    '[string, integer], minLength: 1',
    ['34:56 error The default must be an integer or a string. Correct the default or the schema.'],
  ],
  [
    'limits that cross',
    'exclusiveMaximum: 9007199254740993',
    'exclusiveMaximum: 1',
    [
      '36:56 error exclusiveMinimum 1 leaves nothing below exclusiveMaximum 1, so no value is valid. Swap the two, or correct the wrong one.',
    ],
  ],
  [
    'an exclusive limit of OpenAPI 3.0',
    'exclusiveMinimum: 1,',
    'minimum: 1, exclusiveMinimum: true,',
    [
      '36:68 error exclusiveMinimum is a number in OpenAPI 3.1: write "exclusiveMinimum: 1" for "minimum: 1". The service would not start with it.',
    ],
  ],
  [
    'a list in items',
    'prefixItems: [{ type: string }, { type: integer }], items: false',
    'items: [{ type: string }]',
    [
      '37:30 error items is one schema in OpenAPI 3.1: write prefixItems for the first items. The service would not start with it.',
    ],
  ],
  [
    'a $ref to nothing in a webhook',
    "schemas/Thing' } } } }, responses",
    "schemas/Thin' } } } }, responses",
    [`7:75 error The $ref "#/components/schemas/Thin" leads to nothing. Did you mean "#/components/schemas/Thing"?`],
  ],
  [
    'another dialect',
    'https://spec.openapis.org/oas/3.1/dialect/base',
    'https://example.test/dialect',
    [
      '2:1 warning Schemas of this dialect are not supported; only those of JSON Schema 2020-12. The service would not start with it.',
    ],
  ],
  [
    'mutualTLS',
    '{ type: http, scheme: bearer }',
    '{ type: mutualTLS }',
    [
      '26:5 warning The security scheme bearerAuth is mutualTLS, which cannot carry an API key. The service cannot serve this; write it in another way.',
    ],
  ],
])('a contract of OpenAPI 3.1 with %s is told at its place', async (_, from, to, findings) => {
  expect(sound).toContain(from)
  expect(await told(sound.replace(from, to))).toEqual(findings)
})

test('a tag of OpenAPI 3.2 may have a parent, which must be declared', async () => {
  const text = sound.replace('openapi: 3.1.0', 'openapi: 3.2.0').replace('oas/3.1/', 'oas/3.2/')
  const tagged = (parent: string): string =>
    text.replace('tags: [{ name: things }]', `tags: [{ name: things, parent: ${parent} }, { name: all }]`)
  expect(await told(tagged('all'))).toEqual([])
  expect(await told(tagged('none'))).toEqual([
    '5:24 error There is no tag none, which is the parent of things. Declare it, or take it away.',
  ])
})
