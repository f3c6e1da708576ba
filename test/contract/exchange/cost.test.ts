import { afterEach, describe, expect, test } from '@jest/globals'
import type { CompiledOperation, FormPart, RawRequest, ValidRequest } from '../../../src/contract/compiled.ts'
import { parseJson } from '../../../src/road/json.ts'
import { contractText, done, operationOf, reading } from '../../support/contracts/things.ts'

/*
 * Work is counted and not timed: each element of a list that an iterator hands out or that a method copies, moves or
 * compares is one unit. A list that is copied for each of its items costs the square of their number in it.
 */

const copying = ['concat', 'slice', 'splice', 'shift', 'unshift', 'includes', 'indexOf', 'map', 'filter'] as const
const originals = new Map<PropertyKey, unknown>()

/** The work of a function, in elements. */
function workOf(run: () => void): number {
  let work = 0
  const prototype = Array.prototype as unknown as Record<PropertyKey, (this: unknown[], ...args: unknown[]) => unknown>
  for (const name of [...copying, Symbol.iterator] as const) {
    const original = prototype[name]
    if (!original) throw new Error(`Lists have no ${String(name)}.`)
    originals.set(name, original)
    prototype[name] = function (...args): unknown {
      work += this.length
      return original.apply(this, args)
    }
  }
  try {
    run()
  } finally {
    restore()
  }
  return work
}

function restore(): void {
  for (const [name, original] of originals)
    Object.defineProperty(Array.prototype, name, { value: original, writable: true, configurable: true })
  originals.clear()
}
afterEach(restore)

const integers = '{ type: array, items: { type: integer } }'
const open = '{ type: object, additionalProperties: { type: integer } }'
const lists = '{ type: object, properties: { t: { type: array, items: { type: string } } } }'

function withParameter(parameter: string, path = '/things'): string {
  return contractText(
    `  ${path}:\n    get:\n      operationId: getThing\n      parameters: [${parameter}]\n      ${done}\n`,
  )
}

function withForm(type: string, fields: string, encoding = '{}'): string {
  const content = `{ ${type}: { schema: { type: object, properties: ${fields} }, encoding: ${encoding} } }`
  return contractText(
    `  /things:\n    post:\n      operationId: addThing\n      requestBody: { content: ${content} }\n      ${done}\n`,
  )
}

type Make = (count: number) => Partial<RawRequest>

const repeated = (text: string, separator: string): ((count: number) => string) => {
  return (count) => Array.from({ length: count }, () => text).join(separator)
}
const numbered = (text: string, separator: string): ((count: number) => string) => {
  return (count) => Array.from({ length: count }, (_, index) => text.replaceAll('#', String(index))).join(separator)
}
const query =
  (text: (count: number) => string, before = ''): Make =>
  (count) => ({ query: before + text(count) })
const header =
  (text: (count: number) => string): Make =>
  (count) => ({ headers: { 'x-a': text(count) } })
const cookie =
  (text: (count: number) => string): Make =>
  (count) => ({ headers: { cookie: text(count) } })
const inPath =
  (text: (count: number) => string, before = ''): Make =>
  (count) => ({ values: [before + text(count)] })

/** What parameters of each place and style are made of, and how many parts of them are read. */
const parameters: [name: string, parameter: string, make: Make, path?: string][] = [
  ['a list in the query', `{ name: a, in: query, schema: ${integers} }`, query(repeated('a=1', '&'))],
  [
    'a list with commas',
    `{ name: a, in: query, explode: false, schema: ${integers} }`,
    query(repeated('1', ','), 'a='),
  ],
  [
    'a list with spaces',
    `{ name: a, in: query, style: spaceDelimited, explode: false, schema: ${integers} }`,
    query(repeated('1', '%20'), 'a='),
  ],
  [
    'a list with bars',
    `{ name: a, in: query, style: pipeDelimited, explode: false, schema: ${integers} }`,
    query(repeated('1', '|'), 'a='),
  ],
  ['an object in the query', `{ name: a, in: query, schema: ${open} }`, query(numbered('f#=1', '&'))],
  [
    'an object with commas',
    `{ name: a, in: query, explode: false, schema: ${open} }`,
    query(numbered('f#,1', ','), 'a='),
  ],
  ['a deep object', `{ name: a, in: query, style: deepObject, schema: ${open} }`, query(numbered('a[f#]=1', '&'))],
  [
    'a list in a deep object',
    `{ name: a, in: query, style: deepObject, schema: ${lists} }`,
    query(repeated('a[t][]=1', '&')),
  ],
  [
    'JSON in the query',
    `{ name: a, in: query, content: { application/json: { schema: ${integers} } } }`,
    (count) => ({ query: `a=[${repeated('1', ',')(count)}]` }),
  ],
  ['a list in a header', `{ name: X-A, in: header, schema: ${integers} }`, header(repeated('1', ', '))],
  ['an object in a header', `{ name: X-A, in: header, explode: true, schema: ${open} }`, header(numbered('f#=1', ','))],
  [
    'a list in a cookie',
    `{ name: a, in: cookie, explode: false, schema: ${integers} }`,
    (count) => ({ headers: { cookie: `a=${repeated('1', ',')(count)}` } }),
  ],
  ['one cookie among many', `{ name: a, in: cookie, schema: { type: string } }`, cookie(numbered('c#=1', '; '))],
  [
    'a list in the path',
    `{ name: a, in: path, required: true, schema: ${integers} }`,
    inPath(repeated('1', ',')),
    '/things/{a}',
  ],
  [
    'a list with dots in the path',
    `{ name: a, in: path, required: true, style: label, schema: ${integers} }`,
    inPath(repeated('1', '.'), '.'),
    '/things/{a}',
  ],
  [
    'a list in a matrix',
    `{ name: a, in: path, required: true, style: matrix, explode: true, schema: ${integers} }`,
    inPath(repeated('a=1', ';'), ';'),
    '/things/{a}',
  ],
  [
    'an object in the path',
    `{ name: a, in: path, required: true, explode: true, schema: ${open} }`,
    inPath(numbered('f#=1', ',')),
    '/things/{a}',
  ],
]

const form = 'application/x-www-form-urlencoded'
const text = (value: string): FormPart => ({
  name: 'a',
  filename: undefined,
  type: undefined,
  bytes: Buffer.from(value),
})
const file: FormPart = { name: 'a', filename: 'a', type: 'image/png', bytes: Buffer.from('1') }
const same =
  (part: FormPart) =>
  (count: number): FormPart[] =>
    Array.from({ length: count }, () => part)

/** What forms of each kind are made of. */
const forms: [
  name: string,
  type: string,
  fields: string,
  encoding: string,
  make: (count: number) => string | FormPart[],
][] = [
  ['a list in a form', form, `{ a: ${integers} }`, '{}', repeated('a=1', '&')],
  ['a list of names alone', form, '{ a: { type: array, items: { type: string } } }', '{}', repeated('a', '&')],
  [
    'a list with commas in a form',
    form,
    `{ a: ${integers} }`,
    '{ a: { explode: false } }',
    (count) => `a=${repeated('1', ',')(count)}`,
  ],
  ['a deep object in a form', form, `{ a: ${open} }`, '{ a: { style: deepObject } }', numbered('a[f#]=1', '&')],
  [
    'a list in a deep object of a form',
    form,
    `{ a: ${lists} }`,
    '{ a: { style: deepObject } }',
    repeated('a[t][]=1', '&'),
  ],
  [
    'a deep object that is a list',
    form,
    `{ a: ${integers} }`,
    '{ a: { style: deepObject, explode: true } }',
    repeated('a=1', '&'),
  ],
  ['JSON in a form', form, `{ a: ${open} }`, '{}', (count) => `a={${numbered('"f#":1', ',')(count)}}`],
  ['parts of text', 'multipart/form-data', `{ a: ${integers} }`, '{}', same(text('1'))],
  ['files', 'multipart/form-data', '{ a: { type: array, items: { type: string, format: binary } } }', '{}', same(file)],
  ['parts of JSON', 'multipart/form-data', '{ a: { type: array, items: { type: object } } }', '{}', same(text('{}'))],
]

/** The value of a form, as the road has it read. */
function formOf(operation: CompiledOperation, type: string, content: string | FormPart[]): unknown {
  const reader = operation.bodies?.find(type)
  if (reader?.kind === 'form' && typeof content === 'string') return reader.read(content, parseJson)
  if (reader?.kind === 'multipart' && typeof content !== 'string') return reader.read(content, parseJson)
  throw new Error(`There is no ${type}.`)
}

/** How many values a request has. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value === undefined ? 0 : 1
  return Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 0)
}

describe('the work for a request grows as its bytes do', () => {
  const [few, many] = [2000, 8000]
  const expectLinear = (works: Record<number, number>): void => {
    expect((works[many] ?? Infinity) / (works[few] ?? 0)).toBeLessThan(4.2)
  }

  test.each(parameters)('of %s', async (...[name, parameter, make, path]) => {
    const operation = await operationOf(withParameter(parameter, path))
    const works: Record<number, number> = {}
    for (const count of [few, many]) {
      const request = make(count)
      let read: ValidRequest | string = ''
      works[count] = workOf(() => {
        read = reading(operation, request)
      })
      const size = sizeOf(read)
      expect({ name, size }).toEqual({ name, size: name === 'one cookie among many' ? 0 : count })
    }
    expectLinear(works)
  })

  test.each(forms)('of %s', async (name, type, fields, encoding, make) => {
    const operation = await operationOf(withForm(type, fields, encoding))
    const works: Record<number, number> = {}
    for (const count of [few, many]) {
      const content = make(count)
      let read: ValidRequest | string = ''
      works[count] = workOf(() => {
        read = reading(operation, { body: formOf(operation, type, content), type })
      })
      const size = typeof read === 'string' ? read : sizeOf(read)
      expect({ name, size }).toEqual({ name, size: count })
    }
    expectLinear(works)
  })
})
