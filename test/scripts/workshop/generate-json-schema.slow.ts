import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import ts from 'typescript'
import { typesOf } from '../../../scripts/generate/generated.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { testFolder } from '../../support/process.ts'

const folder = testFolder()

function contract(version: string): string {
  return `openapi: ${version}
info: { title: Things, version: '1' }
webhooks:
  told: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }, responses: { '204': { description: Done. } } } }
paths:
  /things:
    get:
      parameters:
        - { name: a, in: query, schema: { type: [integer, string], format: int64, default: 5 } }
      responses:
        '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } }, image/png: {} } }
components:
  schemas:
    Thing:
      type: object
      required: [id, name, kind, pair, other, map, file, large, any]
      properties:
        id: { type: [integer, 'null'], format: int64 }
        name: { type: [string, 'null'] }
        kind: { const: thing }
        pair: { type: array, prefixItems: [{ type: string }, { type: integer, format: int64 }], items: false }
        other: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] }
        map: { type: object, patternProperties: { '^x': { type: string } } }
        file: { type: string, contentMediaType: application/octet-stream }
        large: { const: 9007199254740993 }
        any: true
    Other: { type: object, required: [n], properties: { n: { type: [boolean, integer] } } }
`
}

/** What the compiler says of a use of the types, of which `use` is the body. */
function compiled(types: string, use: string): string[] {
  writeFileSync(join(folder, 'openapi.d.ts'), types)
  const file = join(folder, 'use.ts')
  writeFileSync(
    file,
    `import type { components, operations, webhooks } from './openapi.d.ts'\ntype Thing = components['schemas']['Thing']\n${use}\n`,
  )
  const options = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    types: [],
  }
  const program = ts.createProgram([file], options)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

const thing = `{ id: 1n, name: null, kind: 'thing', pair: ['a', 2n], other: null, map: { x1: 'a' }, file: new Uint8Array(), large: 9007199254740993n, any: 1 }`

test.each(['3.1.0', '3.2.0'])(
  'the types of a contract of OpenAPI %s compile, and say what its schemas say',
  async (version) => {
    const types = await typesOf(parseContract(contract(version), 'openapi.yaml'))
    const sound = `
    export const one: Thing = ${thing}
    export const two: Thing = { ...one, id: null, name: 'Rex', other: { n: true } }
    type Query = NonNullable<operations['getThings']['parameters']['query']>
    export const queries: Query[] = [{ a: 5n }, { a: 'x' }]
    export type Told = NonNullable<webhooks['told']['post']['requestBody']>['content']['application/json']
    export const told: Told = one
    export const image: operations['getThings']['responses'][200]['content']['image/png'] = new Uint8Array()
  `
    expect(compiled(types, sound)).toEqual([])
    const wrong = `
    export const one: Thing = { ...${thing}, id: 'x' }
    export const two: Thing = { ...${thing}, kind: 'other' }
    export const three: Thing = { ...${thing}, other: { n: 'x' } }
  `
    expect(compiled(types, wrong)).toEqual([
      expect.stringContaining("Type 'string' is not assignable to type 'bigint'"),
      expect.stringContaining(`Type '"other"' is not assignable to type '"thing"'`),
      expect.stringContaining("Type 'string' is not assignable to type 'number | boolean'"),
    ])
  },
)
