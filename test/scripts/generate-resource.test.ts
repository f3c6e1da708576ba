import { describe, expect, test } from '@jest/globals'
import { planOf } from '../../scripts/generate/resource/plan.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import { contractText } from '../support/contracts/things.ts'

/** The plan of `/books`, whose answers have this schema and whose path ends with a parameter of this name. */
function plan(schema: string, { parameter = 'isbn', path = '/books' } = {}): ReturnType<typeof planOf> {
  const text = contractText(`  /books/{${parameter}}:
    get:
      operationId: getBook
      parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: One., content: { application/json: { schema: ${schema} } } } }
`)
  return planOf(modelOf(parseContract(text, 'openapi.yaml')), path)
}

const object = (properties: string, more = ''): string => `{ type: object${more}, properties: { ${properties} } }`
const kindOf = (schema: string): string | undefined =>
  plan(object(`isbn: { type: string }, value: ${schema}`)).columns.find(({ property }) => property === 'value')?.kind

describe('a resource of the contract', () => {
  test.each([
    ['{ type: integer, format: int64 }', 'int64'],
    ['{ type: integer }', 'integer'],
    ['{ type: integer, enum: [1, 9007199254740993] }', 'int64'],
    ['{ type: number }', 'double'],
    ['{ type: boolean }', 'boolean'],
    ['{ type: string }', 'text'],
    ['{ type: string, format: date-time }', 'time'],
    ['{ type: string, enum: [a, b] }', 'oneOf'],
    ['{ allOf: [{ type: string }] }', 'text'],
    ['{ type: string, nullable: true }', 'json'],
    ['{ type: array, items: { type: string } }', 'json'],
    ['{ type: object }', 'json'],
    ['{ oneOf: [{ type: string }, { type: integer }] }', 'json'],
    ['{}', 'json'],
  ])('stores %s as %s', (schema, kind) => {
    expect(kindOf(schema)).toBe(kind)
  })

  test.each([
    ['isbn', 'isbn', 'isbn'],
    ['id', 'isbn', 'id'],
    ['id', 'bookId', 'id'],
    ['book_id', 'bookId', 'book_id'],
    ['code', 'bookCode', 'code'],
  ])('has the key %s for the parameter %s', (property, parameter, key) => {
    expect(plan(object(`title: { type: string }, ${property}: { type: string }`), { parameter }).key.property).toBe(key)
  })

  test.each([
    [object('title: { type: string }'), 'No body of book has a property that is its key.'],
    [`{ oneOf: [${object('isbn: { type: string }')}] }`, 'A row is one of several schemas, so it has no columns.'],
    [object('isbn: { type: string }', ', additionalProperties: true'), 'A row may have properties without a name'],
    [object('isbn: { type: array, items: { type: string } }'), 'The key isbn must be an integer or a text'],
    [object('isbn: { type: string }, aB: { type: string }, a_b: { type: string }'), 'a_b and aB would have one column'],
    [
      object('isbn: { type: string }, cover: { type: string, format: binary }'),
      'Bytes cannot be stored as a property.',
    ],
  ])('refuses %s with a sentence', (schema, message) => {
    expect(() => plan(schema)).toThrow(message)
    expect(() => plan(schema)).toThrow(/^openapi\.yaml:\d+:\d+ /)
  })

  test('refuses a path that is not there, and tells which are', () => {
    expect(() => plan(object('isbn: { type: string }'), { path: '/boks' })).toThrow(
      'The contract has no path /boks. It has /books/{isbn}.',
    )
  })

  test('is the same by the path of one and by that of all', () => {
    const schema = object('isbn: { type: string }')
    expect(plan(schema, { path: '/books/{isbn}' })).toMatchObject({ name: 'books', item: '/books/{isbn}', one: 'book' })
    expect(plan(schema)).toMatchObject({ name: 'books', item: '/books/{isbn}', one: 'book' })
  })
})
