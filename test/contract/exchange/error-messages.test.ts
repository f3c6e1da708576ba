import { describe, expect, test } from '@jest/globals'
import { contractText, done, operationOf, reading, withBody, withParameters } from '../../support/contracts/things.ts'

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

  test('is told where a condition asks for it', async () => {
    const schema = `{ type: string, if: { maxLength: 2 }, then: { ${begins} } }`
    const operation = await operationOf(withBody(schema).replace('3.0.3', '3.1.0'))
    expect(reading(operation, { body: 'b' })).toBe("body must begin with 'a'.")
    expect(reading(operation, { body: 'bbb' })).toMatchObject({ body: 'bbb' })
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
  ['{ type: string, not: { enum: [root] } }', 'root', 'must not be root'],
  ['{ type: integer, not: { type: integer, enum: [1, 2] } }', 1, 'must not be one of 1, 2'],
  ['{ not: { type: boolean } }', true, 'must not be a boolean'],
  ['{ not: { required: [a, b c] } }', { a: 1, 'b c': 1 }, 'must not have a and "b c" together'],
  ['{ not: { minLength: 2 } }', 'ab', 'must not be what the contract excludes'],
  ['{ type: string, enum: [in stock, "1", "true", "", a] }', 1, 'must be one of "in stock", "1", "true", "", a'],
  [
    `{ enum: [${Array.from({ length: 250 }, (_, index) => `v${index}`).join()}] }`,
    1,
    'must be one of v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19 and 230 more',
  ],
  ['{ type: number, minimum: 0, exclusiveMinimum: true }', 0, 'must be > 0'],
  [
    '{ type: number, maximum: 9007199254740993, exclusiveMaximum: true }',
    9007199254740993n,
    'must be < 9007199254740993',
  ],
  ['{ type: number, multipleOf: 0.01 }', 0.005, 'must be a multiple of 0.01'],
])('a body that does not fit %s is told so: %j', async (schema, body, rule) => {
  expect(await told(schema, body)).toBe(`body ${rule}.`)
})

test.each<[string, unknown, string]>([
  ['{ type: object, additionalProperties: false }', { 'a b': 1 }, 'body["a b"] is not a known field.'],
  ['{ type: object, required: [a.b] }', {}, 'body["a.b"] is required.'],
  [
    '{ type: object, additionalProperties: { type: object, properties: { c: { type: integer } } } }',
    { 'a b': { c: 'x' }, 'd"e': { c: 'x' }, 'f/g~h': { c: 'x' } },
    String.raw`body["a b"].c must be an integer; body["d\"e"].c must be an integer; body["f/g~h"].c must be an integer.`,
  ],
])('the place of a fault is clear where names are odd: %s', async (schema, body, message) => {
  expect(await told(schema, body)).toBe(message)
})

describe('the fault of a parameter', () => {
  test.each([
    ['{ in: query, name: a b, schema: { type: integer } }', { query: 'a%20b=x' }, 'query["a b"] must be an integer.'],
    [
      '{ in: query, name: f.n, schema: { type: string } }',
      { query: 'f.n=1&f.n=2' },
      'query["f.n"] must not be given more than once.',
    ],
    [
      '{ in: query, name: q, style: deepObject, schema: { type: object, properties: { n: { type: integer } } } }',
      { query: 'q[n]=x' },
      'query.q.n must be an integer.',
    ],
    [
      '{ in: query, name: q, style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } } }',
      { query: 'q=1|x' },
      'query.q.1 must be an integer.',
    ],
    [
      '{ in: query, name: q, content: { application/json: { schema: { type: object } } } }',
      { query: 'q=%7B' },
      'query.q is not JSON.',
    ],
    [
      '{ in: header, name: X-List, schema: { type: array, items: { type: integer } } }',
      { headers: { 'x-list': '1, x' } },
      'header.x-list.1 must be an integer.',
    ],
    [
      '{ in: header, name: X-Json, content: { application/json: { schema: {} } } }',
      { headers: { 'x-json': '{' } },
      'header.x-json is not JSON.',
    ],
    [
      '{ in: cookie, name: c, schema: { type: boolean } }',
      { headers: { cookie: 'c=x' } },
      'cookie.c must be a boolean.',
    ],
  ])('names it by its place and style: %s', async (parameter, request, message) => {
    expect(reading(await operationOf(withParameters(parameter)), request)).toBe(message)
  })
})

describe('of alternatives', () => {
  const object = (fields: string, required = '', more = ''): string =>
    `{ type: object, required: [${required}], ${more} properties: { ${fields} } }`
  const cat = object('kind: { type: string, enum: [cat] }, lives: { type: integer }', 'kind, lives')
  const dog = object(
    'kind: { type: string, enum: [dog, hound] }, bark: { type: string }, tag: { type: string }',
    'kind',
  )
  const closed = 'additionalProperties: false,'
  const circle = object('r: { type: number }', 'r', `title: Circle, ${closed}`)
  const square = object('w: { type: number }, h: { type: number }', 'w, h', `title: Square, ${closed}`)
  const many = 'title: T, required: [a, b, c]'
  test.each<[string, unknown, string]>([
    [`{ oneOf: [${cat}, ${dog}] }`, { kind: 'cat', lives: 'x', bark: 1 }, 'body.lives must be an integer.'],
    [`{ oneOf: [${cat}, ${dog}] }`, { kind: 'hound', bark: 1, lives: 'x' }, 'body.bark must be a string.'],
    [`{ anyOf: [${cat}, ${dog}] }`, { kind: 'cow' }, 'body.kind must be one of cat, dog, hound.'],
    [`{ anyOf: [${cat}, ${dog}] }`, { lives: 'x' }, 'body.kind is required.'],
    [`{ anyOf: [${cat}, ${dog}] }`, 'cat', 'body must be an object.'],
    [`{ oneOf: [${circle}, ${square}] }`, { w: 'x', h: 1 }, 'body.w must be a number.'],
    [`{ oneOf: [${circle}, ${square}] }`, { r: 1, w: 1 }, 'body.w is not a known field.'],
    [`{ oneOf: [${circle}, ${square}, { type: string, enum: [none] }] }`, { w: 1, h: 'x' }, 'body.h must be a number.'],
    [`{ oneOf: [${circle}, ${square}, { type: string, enum: [none] }] }`, 'some', 'body must be none.'],
    [`{ oneOf: [${circle}, ${square}] }`, true, 'body must be an object.'],
    ['{ anyOf: [{ type: integer }, { type: boolean }, { type: string, enum: [a] }] }', 'x', 'body must be a.'],
    ['{ anyOf: [{ type: integer }, { type: boolean }] }', 'x', 'body must be an integer or a boolean.'],
    [
      '{ anyOf: [{ type: string, maxLength: 1 }, { type: string, format: ipv4 }] }',
      'abc',
      'body must have at most 1 character or must be an IPv4 address.',
    ],
    [
      '{ type: object, anyOf: [{ required: [a] }, { required: [b] }] }',
      {},
      'body.a is required or body.b is required.',
    ],
    [
      '{ oneOf: [{ required: [a], title: A }, { required: [b], title: B }] }',
      { a: 1, b: 1 },
      'body must be exactly one of: A, B, and is both A and B.',
    ],
    [
      `{ anyOf: [{ ${many} }, { ${many.replace('T', 'U').replace('c', 'd')} }] }`,
      {},
      'body.a is required; body.b is required; body must be one of: T, U.',
    ],
    [
      '{ anyOf: [{ required: [a, b] }, { required: [c, d] }] }',
      {},
      'body must be in one of the forms that the contract gives.',
    ],
    [
      `{ type: array, items: { oneOf: [${circle}, ${square}] } }`,
      [{ r: 1 }, { r: 'x' }, 5, { w: 1 }],
      'body.1.r must be a number; body.2 must be an object; body.3.h is required.',
    ],
    [
      `{ type: object, required: [z], properties: { a: { oneOf: [{ oneOf: [${circle}, ${square}] }, { type: array }] } } }`,
      { a: { r: 'x' } },
      'body.z is required; body.a.r must be a number.',
    ],
    [
      '{ type: object, properties: { n: { oneOf: [{ type: integer, format: int64, minimum: 1 }, { type: integer, format: int64, maximum: -1 }] } } }',
      { n: 0 },
      'body.n must be >= 1 or <= -1.',
    ],
  ])('the one that is meant tells its faults: %s, %j', async (schema, body, message) => {
    expect(await told(schema, body)).toBe(message)
  })

  test('that contain themselves, the faults are told quickly', async () => {
    const text = contractText(
      `  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
      ${done}
`,
      `    Tree:
      oneOf: [{ type: integer }, { type: array, items: { $ref: '#/components/schemas/Tree' } }]
`,
    )
    const operation = await operationOf(text)
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
    expect(reading(operation, { body: nested(3) })).toBe('body.0.0.0 must be an integer or an array.')
    const start = process.cpuUsage()
    expect(reading(operation, { body: nested(500) })).toMatch(/^body(\.0){4} must be in exactly one of the forms/)
    expect(reading(operation, { body: Array.from({ length: 20_000 }, () => 'x') })).toMatch(
      /^body.0 must be an integer or an array; .*; and more\.$/,
    )
    expect(process.cpuUsage(start).user).toBeLessThan(1_500_000)
  })
})

test('equal items of a long list are found quickly, whatever the order of their fields', async () => {
  const operation = await operationOf(withBody('{ type: array, uniqueItems: true, items: { type: object } }'))
  const items: unknown[] = Array.from({ length: 12_000 }, (_, index) => ({ a: index, b: [1] }))
  const start = process.cpuUsage()
  expect(reading(operation, { body: items })).toMatchObject({ body: items })
  expect(reading(operation, { body: [...items, { b: [1n], a: 7 }] })).toBe(
    'body must not have the same item twice (items 7 and 12000).',
  )
  expect(reading(operation, { body: [{ a: '1' }, { a: 1 }, { a: [1] }] })).toMatchObject({ body: {} })
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
})
