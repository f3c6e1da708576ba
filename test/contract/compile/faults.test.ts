import { describe, expect, test } from '@jest/globals'
import { operationOf, reading, withBody, withParameters } from '../../support/contracts/things.ts'

/** What a client is told of a wrong body. */
async function told(schema: string, body: unknown): Promise<unknown> {
  return reading(await operationOf(withBody(schema)), { body })
}

const begins = "pattern: ^a, x-pattern-message: must begin with 'a'"

describe('a pattern', () => {
  test('is told by the rule of its schema, wherever the schema stands', async () => {
    const field = (schema: string): string => `{ type: object, properties: { name: ${schema} } }`
    expect(await told(field(`{ type: string, ${begins} }`), { name: 'b' })).toBe("body.name must begin with 'a'.")
    expect(await told(`{ type: array, items: { type: string, ${begins} } }`, ['ab', 'b'])).toBe(
      "body.1 must begin with 'a'.",
    )
    for (const place of ['query', 'header', 'cookie']) {
      const operation = await operationOf(
        withParameters(`{ name: n, in: ${place}, schema: { type: string, ${begins} } }`),
      )
      const headers = place === 'header' ? { n: 'b' } : place === 'cookie' ? { cookie: 'n=b' } : {}
      expect(reading(operation, { headers, query: place === 'query' ? 'n=b' : '' })).toBe(
        `${place}.n must begin with 'a'.`,
      )
    }
  })

  test('without a rule, or with one that is no text, is told as before', async () => {
    for (const rule of ['', ', x-pattern-message: 7', ', x-pattern-message: [must]']) {
      expect(await told(`{ type: string, pattern: ^a${rule} }`, 'b')).toBe(
        'body is not in the form that the contract gives.',
      )
    }
  })

  test('is told beside another pattern of the same value, and not beside another fault', async () => {
    const two = `{ type: string, maxLength: 3, allOf: [{ ${begins} }, { pattern: z$, x-pattern-message: must end with z }] }`
    expect(await told(two, 'b')).toBe("body must begin with 'a'; body must end with z.")
    expect(await told(two, 'abcd')).toBe('body must have at most 3 characters.')
  })
})

test.each([
  ['{ type: string, maxLength: 1 }', 'ab', 'must have at most 1 character'],
  ['{ type: string, minLength: 2 }', 'a', 'must have at least 2 characters'],
  ['{ type: string, enum: [a, b] }', 1, 'must be one of a, b'],
  ['{ type: array, items: { type: string }, minItems: 2 }', ['a'], 'must have at least 2 items'],
  ['{ type: array, items: { type: string }, maxItems: 1 }', ['a', 'b'], 'must have at most 1 item'],
  [
    '{ type: array, items: { type: string }, uniqueItems: true }',
    ['a', 'b', 'a'],
    'must not have the same item twice (items 0 and 2)',
  ],
  ['{ type: object, minProperties: 1 }', {}, 'must have at least 1 field'],
  ['{ type: object, maxProperties: 1 }', { a: 1, b: 2 }, 'must have at most 1 field'],
  ['{ type: integer, multipleOf: 5 }', 7, 'must be a multiple of 5'],
  ['{ type: integer }', 2n ** 53n, 'must be between -(2^53 - 1) and 2^53 - 1'],
  ['{ type: integer, format: int32 }', 2 ** 31, 'must fit in 32 bits'],
  ['{ type: integer, format: int64 }', 2n ** 63n, 'must fit in 64 bits'],
  ['{ type: string, format: date-time }', 'now', 'must be a date and time such as 2026-11-28T09:30:00Z'],
  ['{ type: string, format: ipv6 }', 'now', 'must be an IPv6 address'],
  ['{ type: string, not: { enum: [root] } }', 'root', 'must not be what the contract excludes'],
  [
    '{ oneOf: [{ type: integer }, { type: number }] }',
    1,
    'must be in exactly one of the forms that the contract gives',
  ],
])('a body that does not fit %s is told so: %j', async (schema, body, rule) => {
  expect(await told(schema, body)).toBe(`body ${rule}.`)
})
