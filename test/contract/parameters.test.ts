import { describe, expect, test } from '@jest/globals'
import { done, operationOf, reading, withOperation, withParameters } from '../support/contracts/things.ts'

const fields =
  '{ type: object, properties: { a: { type: integer, format: int64 }, b: { type: string }, c: { type: boolean } } }'
const list = '{ type: array, items: { type: integer } }'
const wordOrList = `{ anyOf: [{ type: string, enum: [all] }, { type: boolean }, ${list}] }`

type Given = [parameter: string, request: { query?: string; headers?: Record<string, string> }, seen: unknown]

describe('a parameter is read', () => {
  test.each<Given>([
    [
      `{ name: f, in: query, style: deepObject, schema: ${fields} }`,
      { query: 'f[a]=9007199254740993&f%5Bb%5D=x+y&f[c]=true' },
      { query: { f: { a: 9007199254740993n, b: 'x y', c: true } } },
    ],
    [
      '{ name: f, in: query, style: deepObject, schema: { type: object, properties: { at: { type: object, properties: { gte: { type: integer } } }, tags: { type: array, items: { type: string } } } } }',
      { query: 'f[at][gte]=5&f[tags][]=x&f[tags][]=y' },
      { query: { f: { at: { gte: 5 }, tags: ['x', 'y'] } } },
    ],
    [
      `{ name: f, in: query, style: deepObject, schema: { anyOf: [${fields}, { type: integer, format: int64 }] } }`,
      { query: 'f=9007199254740993' },
      { query: { f: 9007199254740993n } },
    ],
    [
      `{ name: f, in: query, style: deepObject, schema: { anyOf: [${fields}, { type: integer, format: int64 }] } }`,
      { query: 'f[a]=5' },
      { query: { f: { a: 5n } } },
    ],
    [
      '{ name: f, in: query, style: deepObject, schema: { type: object, required: [x], properties: { a: { type: string } }, additionalProperties: { type: boolean } } }',
      { query: 'f[a]=1&f[x]=true&f[y]=false' },
      { query: { f: { a: '1', x: true, y: false } } },
    ],
    [`{ name: f, in: query, schema: ${fields} }`, { query: 'a=5&c=false' }, { query: { f: { a: 5n, c: false } } }],
    [
      `{ name: f, in: query, explode: false, schema: ${fields} }`,
      { query: 'f=a,5,b,x%2Cy' },
      { query: { f: { a: 5n, b: 'x,y' } } },
    ],
    [
      '{ name: f, in: query, schema: { type: object, additionalProperties: { type: integer } } }',
      { query: 'x=1&y=2' },
      { query: { f: { x: 1, y: 2 } } },
    ],
    [
      `{ name: l, in: query, style: pipeDelimited, explode: false, schema: ${list} }`,
      { query: 'l=1|2%7C3' },
      { query: { l: [1, 2, 3] } },
    ],
    [
      `{ name: l, in: query, style: spaceDelimited, explode: false, schema: ${list} }`,
      { query: 'l=1%202+3' },
      { query: { l: [1, 2, 3] } },
    ],
    [
      `{ name: l, in: query, style: pipeDelimited, explode: true, schema: ${list} }`,
      { query: 'l=1&l=2' },
      { query: { l: [1, 2] } },
    ],
    [`{ name: X-L, in: header, schema: ${list} }`, { headers: { 'x-l': '1, 2,3' } }, { header: { 'X-L': [1, 2, 3] } }],
    [
      `{ name: X-F, in: header, schema: ${fields} }`,
      { headers: { 'x-f': 'a,5,c,true' } },
      { header: { 'X-F': { a: 5n, c: true } } },
    ],
    [
      `{ name: X-F, in: header, explode: true, schema: ${fields} }`,
      { headers: { 'x-f': 'a=5,b=x' } },
      { header: { 'X-F': { a: 5n, b: 'x' } } },
    ],
    [
      '{ name: s, in: cookie, schema: { type: integer, format: int64 } }',
      { headers: { cookie: 'a=1; s=9007199254740993; s=2' } },
      { cookie: { s: 9007199254740993n } },
    ],
    [
      `{ name: s, in: cookie, explode: false, schema: ${list} }`,
      { headers: { cookie: 's="1,2"' } },
      { cookie: { s: [1, 2] } },
    ],
    [
      `{ name: j, in: query, content: { application/json: { schema: ${fields} } } }`,
      { query: 'j=%7B%22a%22%3A9007199254740993%7D' },
      { query: { j: { a: 9007199254740993n } } },
    ],
    [
      '{ name: n, in: query, schema: { oneOf: [{ type: integer }, { type: string, enum: [all] }] } }',
      { query: 'n=5' },
      { query: { n: 5 } },
    ],
    [
      '{ name: n, in: query, schema: { oneOf: [{ type: integer }, { type: string, enum: [all] }] } }',
      { query: 'n=all' },
      { query: { n: 'all' } },
    ],
    ...Object.entries({ 'v=all': 'all', 'v=true': true, 'v=5': [5], 'v=5&v=6': [5, 6] }).map(([query, v]): Given => [
      `{ name: v, in: query, schema: ${wordOrList} }`,
      { query },
      { query: { v } },
    ]),
    ['{ name: b, in: query, schema: { type: boolean, default: true } }', {}, { query: { b: true } }],
    [
      '{ name: n, in: query, schema: { type: integer, format: int64, oneOf: [{ enum: [1] }, { enum: [10] }] } }',
      { query: 'n=10' },
      { query: { n: 10n } },
    ],
    [
      '{ name: l, in: query, schema: { type: array, items: { type: integer, allOf: [{ enum: [1, 2] }] } } }',
      { query: 'l=2&l=1' },
      { query: { l: [2, 1] } },
    ],
  ])('%s', async (parameter, request, seen) => {
    expect(reading(await operationOf(withParameters(parameter)), request)).toMatchObject(seen as object)
  })

  test('as a list or an object in the path', async () => {
    const parameters = `parameters: [{ name: l, in: path, required: true, schema: ${list} }, { name: f, in: path, required: true, explode: true, schema: ${fields} }]`
    const one = await operationOf(withOperation(parameters, done).replace('/things:', '/things/{l}/{f}:'))
    expect(reading(one, { values: ['1,2', 'a=5,b=x'] })).toMatchObject({ path: { l: [1, 2], f: { a: 5n, b: 'x' } } })
  })

  const text = '{ type: string }'
  test.each([
    ['label', text, '.a%2Eb', 'a.b'],
    ['label', '{ type: integer, format: int64 }', '.9007199254740993', 9007199254740993n],
    ['label', list, '.3.4', [3, 4]],
    ['label', list, '.3,4', [3, 4]],
    ['label, explode: true', list, '.3.4', [3, 4]],
    ['label', fields, '.a.5.b.x', { a: 5n, b: 'x' }],
    ['label, explode: true', fields, '.a=5.b=x%3D', { a: 5n, b: 'x=' }],
    ['matrix', text, ';p=a%3Bb', 'a;b'],
    ['matrix', list, ';p=3,4', [3, 4]],
    ['matrix, explode: true', list, ';p=3;p=4', [3, 4]],
    ['matrix', fields, ';p=a,5,b,x', { a: 5n, b: 'x' }],
    ['matrix, explode: true', fields, ';a=5;b=x', { a: 5n, b: 'x' }],
    ['label', text, 'a', 'path.p must begin with ..'],
    ['matrix', text, ';q=a', 'path.p must begin with ;p=.'],
    ['matrix, explode: true', list, ';p=3;q=4', 'path.p must begin with ;p=.'],
  ])('in the path in the style %s, for %s, from %s', async (style, schema, value, seen) => {
    const parameter = `{ name: p, in: path, required: true, style: ${style}, schema: ${schema} }`
    const one = await operationOf(withParameters(parameter).replace('/things:', '/things/{p}:'))
    const read = reading(one, { values: [value] })
    expect(typeof read === 'string' ? read : read.path.p).toEqual(seen)
  })
})

describe('a parameter is refused', () => {
  test.each<Given>([
    [
      `{ name: f, in: query, style: deepObject, schema: ${fields} }`,
      { query: 'f[a]=x' },
      'query.f.a must be an integer.',
    ],
    [
      `{ name: f, in: query, style: deepObject, schema: { anyOf: [${fields}, { type: integer, format: int64 }] } }`,
      { query: 'f=5&f[a]=5' },
      'query.f[a] must not be given more than once.',
    ],
    [
      `{ name: f, in: query, style: deepObject, schema: ${fields} }`,
      { query: 'f[b]=x&f[b]=y' },
      'query.f[b] must not be given more than once.',
    ],
    [
      `{ name: f, in: query, style: deepObject, schema: ${fields} }`,
      { query: 'g[a]=5' },
      'query.g[a] is not a parameter of this operation.',
    ],
    [`{ name: f, in: query, schema: ${fields} }`, { query: 'x=5' }, 'query.x is not a parameter of this operation.'],
    [
      `{ name: l, in: query, style: pipeDelimited, explode: false, schema: ${list} }`,
      { query: 'l=1&l=2' },
      'query.l must not be given more than once.',
    ],
    [`{ name: X-L, in: header, schema: ${list} }`, { headers: { 'x-l': '1,a' } }, 'header.x-l.1 must be an integer.'],
    [
      '{ name: s, in: cookie, required: true, schema: { type: integer } }',
      { headers: { cookie: 'a=1' } },
      'cookie.s is required.',
    ],
    [
      `{ name: j, in: query, content: { application/json: { schema: ${fields} } } }`,
      { query: 'j={' },
      'query.j is not JSON.',
    ],
    [`{ name: v, in: query, schema: ${wordOrList} }`, { query: 'v=none&v=5' }, 'query.v.0 must be an integer.'],
    ['{ name: b, in: query, schema: { type: boolean } }', { query: 'b=1' }, 'query.b must be a boolean.'],
    [
      '{ name: n, in: query, schema: { type: integer, not: { enum: [1] } } }',
      { query: 'n=1' },
      'query.n must not be 1.',
    ],
    [
      '{ name: n, in: query, schema: { type: number, anyOf: [{ minimum: 3 }] } }',
      { query: 'n=2' },
      'query.n must be >= 3.',
    ],
    [
      '{ name: n, in: query, schema: { type: integer, anyOf: [{ minimum: 3 }] } }',
      { query: 'n=4.0' },
      'query.n must be an integer.',
    ],
  ])('%s', async (parameter, request, message) => {
    expect(reading(await operationOf(withParameters(parameter)), request)).toBe(message)
  })
})

test.each(['Accept', 'Content-Type', 'Authorization'])('a header parameter named %s is ignored', async (name) => {
  const one = await operationOf(
    withParameters(`{ name: ${name}, in: header, required: true, schema: { type: integer } }`),
  )
  expect(reading(one, { headers: { [name.toLowerCase()]: 'any' } })).toMatchObject({ header: {} })
})
