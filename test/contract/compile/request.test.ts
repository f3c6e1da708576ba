import { describe, expect, test } from '@jest/globals'
import type { ValidRequest } from '../../../src/contract/compiled.ts'
import { contractText, done, operationOf, reading, withBody, withParameters } from '../../support/contracts/things.ts'

describe('a compiled operation', () => {
  test('reads a list from a parameter that is repeated or given once', async () => {
    const operation = await operationOf(
      withParameters(
        '{ name: id, in: query, schema: { type: array, maxItems: 3, items: { type: integer, format: int64 } } }',
      ),
    )
    const ids = (query: string): unknown => {
      const read = reading(operation, { query })
      return typeof read === 'string' ? read : read.query.id
    }
    expect(ids('id=1&id=9007199254740993&id=-2')).toEqual([1n, 9007199254740993n, -2n])
    expect(ids('id=7')).toEqual([7n])
    expect(ids('')).toBeUndefined()
    expect(ids('id=1,2')).toBe('query.id.0 must be an integer.')
    expect(ids('id=1&id=01')).toBe('query.id.1 must be an integer.')
    expect(ids('id=')).toBe('query.id.0 must be an integer.')
    expect(ids('id=1&id=2&id=3&id=4')).toBe('query.id must have at most 3 items.')
    expect(ids('id[]=1')).toBe('query.id[] is not a parameter of this operation.')
  })

  test('reads a list from one parameter with commas when explode is false', async () => {
    const operation = await operationOf(
      withParameters(
        '{ name: tag, in: query, explode: false, schema: { type: array, items: { type: string, minLength: 1 } } }',
      ),
    )
    const tags = (query: string): unknown => {
      const read = reading(operation, { query })
      return typeof read === 'string' ? read : read.query.tag
    }
    expect(tags('tag=a,b,c')).toEqual(['a', 'b', 'c'])
    expect(tags('tag=a')).toEqual(['a'])
    expect(tags('tag=a%2Cb,c+d')).toEqual(['a,b', 'c d'])
    expect(tags('tag=a,,b')).toBe('query.tag.1 must not be empty.')
    expect(tags('tag=a&tag=b')).toBe('query.tag must not be given more than once.')
  })

  test('refuses a single parameter that is repeated', async () => {
    const operation = await operationOf(withParameters('{ name: a, in: query, schema: { type: string } }'))
    expect(reading(operation, { query: 'a=1&a=2' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'a=1&a=1' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'a=1&%61=1' })).toBe('query.a must not be given more than once.')
    expect(reading(operation, { query: 'x=1&x=2' })).toBe('query.x must not be given more than once.')
    expect(reading(operation, { query: '__proto__=1&__proto__=1' })).toBe(
      'query.__proto__ must not be given more than once.',
    )
  })

  test('converts parameters to the types of their schemas', async () => {
    const operation = await operationOf(
      withParameters(
        ...['integer, format: int64', 'integer', 'number', 'boolean', 'string'].map(
          (type, index) => `{ name: p${index}, in: query, schema: { type: ${type} } }`,
        ),
      ),
    )
    expect(reading(operation, { query: 'p0=9223372036854775807&p1=5&p2=-1.5e1&p3=false&p4=5' })).toEqual({
      ...{ path: {}, header: {}, body: undefined },
      query: { p0: 9223372036854775807n, p1: 5, p2: -15, p3: false, p4: '5' },
    })
    expect(reading(operation, { query: 'p0=x&p1=1.5&p2=1,5&p3=yes' })).toBe(
      'query.p0 must be an integer; query.p1 must be an integer; query.p2 must be a number; query.p3 must be a boolean.',
    )
    for (const text of ['1', '0', 'TRUE', '', 'null']) {
      expect(reading(operation, { query: `p3=${text}` })).toBe('query.p3 must be a boolean.')
    }
  })

  test('reads headers in any letter case, and ignores undeclared ones', async () => {
    const operation = await operationOf(
      withParameters(
        '{ name: X-Trace, in: header, required: true, schema: { type: integer, format: int64 } }',
        '{ name: x-mode, in: header, schema: { type: string, enum: [fast, exact] } }',
      ),
    )
    expect(
      reading(operation, { headers: { 'x-trace': '9007199254740993', 'x-mode': 'fast', 'x-other': '1' } }),
    ).toEqual({
      ...{ path: {}, query: {}, body: undefined },
      header: { 'X-Trace': 9007199254740993n, 'x-mode': 'fast' },
    })
    expect(reading(operation, { headers: { 'x-mode': 'slow' } })).toBe(
      'header.x-trace is required; header.x-mode must be one of fast, exact.',
    )
    expect(reading(operation, { headers: { 'x-trace': '01' } })).toBe('header.x-trace must be an integer.')
  })

  test('fills in defaults where a value is absent, and nowhere else', async () => {
    const text = contractText(`  /things:
    post:
      operationId: addThing
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 20 } }
        - { name: after, in: query, schema: { type: integer, format: int64, default: 0 } }
        - { name: order, in: query, schema: { type: string, default: up } }
        - { name: x-mode, in: header, schema: { type: string, default: exact } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                count: { type: integer, format: int64, default: 7 }
                note: { type: string, nullable: true, default: none }
                list: { type: array, items: { type: string }, default: [a, b] }
      ${done}
`)
    const operation = await operationOf(text)
    expect(reading(operation, { body: {} })).toEqual({
      path: {},
      query: { limit: 20, after: 0n, order: 'up' },
      header: { 'x-mode': 'exact' },
      body: { count: 7n, note: 'none', list: ['a', 'b'] },
    })
    expect(
      reading(operation, {
        query: 'limit=0&after=-1&order=',
        headers: { 'x-mode': '' },
        body: { count: 0, note: null, list: [] },
      }),
    ).toEqual({
      path: {},
      query: { limit: 0, after: -1n, order: '' },
      header: { 'x-mode': '' },
      body: { count: 0n, note: null, list: [] },
    })
    const { body: first } = reading(operation, { body: {} }) as { body: { list: string[] } }
    first.list.push('c')
    expect((reading(operation, { body: {} }) as ValidRequest).body).toMatchObject({ list: ['a', 'b'] })
  })

  test('accepts a request without a body when the body is optional', async () => {
    const operation = await operationOf(withBody('{ type: object }', { required: false }))
    expect(reading(operation, {})).toMatchObject({ body: undefined })
    expect(reading(operation, { body: null })).toBe('body must be an object.')
    expect(reading(await operationOf(withBody('{ type: object }')), {})).toBe('A body is required.')
  })

  test('does not convert the types of values in a body', async () => {
    const operation = await operationOf(
      withBody(
        '{ type: object, properties: { s: { type: string }, n: { type: number }, b: { type: boolean }, i: { type: integer } } }',
      ),
    )
    expect(reading(operation, { body: { s: 5, n: '5', b: 'true', i: '5' } })).toBe(
      'body.s must be a string; body.n must be a number; body.b must be a boolean; body.i must be an integer.',
    )
    expect(reading(operation, { body: { s: null, n: null, b: 1, i: true } })).toBe(
      'body.s must be a string; body.n must be a number; body.b must be a boolean; body.i must be an integer.',
    )
  })

  test('reads a body that contains itself, and finds the fault deep inside', async () => {
    const paths = `  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
      ${done}
`
    const schemas = `    Tree:
      type: object
      additionalProperties: false
      properties:
        id: { type: integer, format: int64 }
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
`
    const operation = await operationOf(contractText(paths, schemas))
    expect(
      reading(operation, { body: { children: [{ id: 1 }, { children: [{ id: 9007199254740993n }] }] } }),
    ).toMatchObject({
      body: { children: [{ id: 1n }, { children: [{ id: 9007199254740993n }] }] },
    })
    expect(reading(operation, { body: { children: [{ children: [{ id: 'x' }, { x: 1 }] }] } })).toBe(
      'body.children.0.children.0.id must be an integer; body.children.0.children.1.x is not a known field.',
    )
  })

  test('treats properties that are named like keywords as properties', async () => {
    const schema = `{ type: object, additionalProperties: false, properties: {
        type: { type: integer }, title: { type: string }, default: { type: integer }, enum: { type: string },
        example: { type: string }, x-a: { type: string }, required: { type: boolean }, format: { type: string },
        properties: { type: object, additionalProperties: false, properties: { title: { type: integer } } } } }`
    const operation = await operationOf(withBody(schema))
    const value = {
      ...{ type: 1, title: 'a', default: 2, enum: 'b', example: 'c', 'x-a': 'd', required: true, format: 'e' },
      properties: { title: 3 },
    }
    expect(reading(operation, { body: structuredClone(value) })).toMatchObject({ body: value })
    expect(reading(operation, { body: { ...value, properties: { title: 'x' }, 'x-b': 1 } })).toBe(
      'body.x-b is not a known field; body.properties.title must be an integer.',
    )
  })

  test('names at most ten faults, and says that there are more', async () => {
    const operation = await operationOf(withBody('{ type: object, additionalProperties: false }'))
    const fields = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
    const told = Array.from({ length: 10 }, (_, index) => `body.f${index} is not a known field`).join('; ')
    expect(reading(operation, { body: fields(10) })).toBe(`${told}.`)
    expect(reading(operation, { body: fields(11) })).toBe(`${told}; and more.`)
    expect(reading(operation, { body: fields(5000) })).toBe(`${told}; and more.`)
  })

  test.each<[string, string, string[], string[]]>([
    ['date', 'a date such as 2026-11-28', ['2030-12-05', '2028-02-29'], ['2030-02-30', '2027-02-29', '05.12.2030', '']],
    [
      'date-time',
      'a date and time such as 2026-11-28T09:30:00Z',
      ['2030-12-05T10:20:30Z', '2030-12-05T10:20:30.5+02:00'],
      ['2030-12-05', '2030-12-05T25:00:00Z'],
    ],
    [
      'uuid',
      'a UUID such as 8e03978e-40d5-43dd-bc93-6894a57f9324',
      ['123e4567-e89b-12d3-a456-426614174000'],
      ['123e4567', 'g23e4567-e89b-12d3-a456-426614174000'],
    ],
    ['email', 'an email address', ['a@example.test'], ['a@', 'a b@example.test']],
    ['ipv4', 'an IPv4 address', ['127.0.0.1'], ['256.0.0.1', '1.2.3']],
    ['byte', 'in base64', ['AAAA', ''], ['A', 'AAA*']],
    ['uri', 'a URI such as https://example.com/a', ['https://example.test/a'], ['/a', 'not a uri']],
  ])('checks the format %s', async (format, told, good, bad) => {
    const operation = await operationOf(
      withParameters(`{ name: a, in: query, schema: { type: string, format: ${format} } }`),
    )
    for (const value of good) {
      expect(reading(operation, { query: `a=${encodeURIComponent(value)}` })).toMatchObject({ query: { a: value } })
    }
    for (const value of bad) {
      expect(reading(operation, { query: `a=${encodeURIComponent(value)}` })).toBe(`query.a must be ${told}.`)
    }
  })
})
