import { expect, test } from '@jest/globals'
import { answering, mockedReply } from '../support/contracts/mocked.ts'

/** What the mock of a contract of OpenAPI 3.1 answers with this schema, as text. */
async function mocked(schema: string, schemas = ''): Promise<unknown> {
  const text = answering(`schema: ${schema}`).replace('openapi: 3.0.3', 'openapi: 3.1.0')
  return (await mockedReply(`${text}${schemas && `  schemas:\n${schemas}`}`)).body
}

test.each([
  ['an example of several', '{ type: integer, format: int64, examples: [9007199254740993] }', '9007199254740993'],
  ['a const', '{ const: 9007199254740993 }', '9007199254740993'],
  ['first items', '{ type: array, prefixItems: [{ const: a }, { const: 2 }], items: false, minItems: 2 }', '["a",2]'],
  ['a type of several', "{ type: [object, 'null'], properties: { a: { const: b } }, required: [a] }", '{"a":"b"}'],
])('a mock makes up %s', async (_, schema, body) => {
  expect(await mocked(schema)).toBe(body)
})

test('a mock takes no keyword for a property', async () => {
  const map = "{ type: [object, 'null'], additionalProperties: { type: string }, x-note: 1, externalDocs: { url: a } }"
  expect(await mocked(map)).not.toMatch(/nullable|x-note|externalDocs/)
})

test('a mock makes up what a $ref with keys beside it leads to, at any depth', async () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
  const schemas = names.map((name, index) => {
    const next = names[index + 1]
    const inner = next === undefined ? '{ const: end }' : `{ $ref: '#/components/schemas/${next}', description: Next. }`
    return `    ${name}: { type: object, required: [next], properties: { next: ${inner} } }\n`
  })
  const body = String(await mocked("{ $ref: '#/components/schemas/A' }", schemas.join('')))
  expect(body).toBe(`${'{"next":'.repeat(7)}"end"${'}'.repeat(7)}`)
})

test('a mock makes up null where one part of an allOf allows nothing else', async () => {
  const parts = [
    "{ type: object, properties: { a: { type: [string, 'null'], format: uuid, example: x }, b: { type: integer, const: 2 } } }",
    "{ type: object, required: [a], properties: { a: { type: 'null', example: null } } }",
  ]
  expect(await mocked(`{ allOf: [${parts.join()}] }`)).toBe('{"a":null,"b":2}')
})
