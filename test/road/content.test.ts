import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RawReply } from '../../src/contract/compiled.ts'
import { startContract } from '../support/contracts/echo.ts'
import { contractText } from '../support/contracts/things.ts'
import type { TestService } from '../support/service.ts'

const form = `{ type: object, required: [name], additionalProperties: false, properties: {
        name: { type: string }, age: { type: integer, format: int64 }, wild: { type: boolean, default: false },
        tags: { type: array, items: { type: string } }, sizes: { type: array, items: { type: integer } },
        home: { type: object, properties: { street: { type: string }, number: { type: integer } } },
        photo: { type: string, nullable: true, format: binary }, photos: { type: array, items: { type: string, format: binary } } } }`
const echoed =
  "responses: { '200': { description: Done., content: { application/json: { schema: { type: object } } } } }"
const paths = `  /form: { post: { operationId: addForm, requestBody: { required: true, content: { application/x-www-form-urlencoded: { schema: ${form}, encoding: { sizes: { explode: false }, home: { style: deepObject } } } } }, ${echoed} } }
  /parts: { post: { operationId: addParts, requestBody: { required: true, content: { multipart/form-data: { schema: ${form}, encoding: { photo: { contentType: 'image/png, image/gif' } } } } }, ${echoed} } }
  /text: { post: { operationId: addText, requestBody: { content: { text/plain: { schema: { type: string, maxLength: 5 } } } }, ${echoed} } }
  /bytes: { post: { operationId: addBytes, requestBody: { required: true, content: { image/*: { schema: { type: string, format: binary } } } }, ${echoed} } }
  /several: { post: { operationId: addSeveral, requestBody: { content: { application/vnd.thing+json: { schema: { type: object, properties: { n: { type: integer, format: int64 } } } }, application/json: { schema: { type: integer } }, text/csv: {} } }, ${echoed} } }
  /answers:
    get:
      operationId: getAnswer
      responses:
        '200': { description: A., content: { text/plain: { schema: { type: string } } } }
        '201': { description: B., content: { application/problem+json: { schema: { type: object, properties: { n: { type: integer, format: int64 } } } } } }
        '202': { description: C., content: { image/png: { schema: { type: string, format: binary } } } }
        '204': { description: D. }
        2XX: { description: E., content: { application/xml: {}, application/json: { schema: { type: integer } } } }
  /any: { get: { operationId: getAny, responses: { default: { description: F., content: { '*/*': { schema: { type: object, properties: { a: {} } } } } } } } }
`
const names = ['addForm', 'addParts', 'addText', 'addBytes', 'addSeveral', 'getAnswer', 'getAny']

let service: TestService
let reply: RawReply | undefined
beforeAll(async () => {
  service = await startContract(contractText(paths), names, async ({ body }) =>
    Promise.resolve(reply ?? { status: 200, body: { body: plain(body) } }),
  )
})
afterAll(async () => {
  await service.stop()
})

/** Bytes as text that tells them, and integers with their kind. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (typeof value === 'bigint') return `int64 ${value}`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

interface Seen {
  status: number
  body?: unknown
  message?: string
}

async function send(path: string, body: string | Buffer | FormData | undefined, type?: string): Promise<Seen> {
  reply = undefined
  const headers = { Authorization: `Bearer ${service.key}`, ...(type === undefined ? {} : { 'Content-Type': type }) }
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const { body: seen, message } = (await answer.json()) as { body?: unknown; message?: string }
  return answer.ok ? { status: answer.status, body: seen } : { status: answer.status, message: message ?? '' }
}

const urlencoded = 'application/x-www-form-urlencoded'

describe('a form', () => {
  test('is read by the types of its fields', async () => {
    const text =
      'name=Rex+%26+Mia&age=9007199254740993&wild=true&tags=a&tags=b%2Cc&sizes=1,2&home[street]=High&home%5Bnumber%5D=5'
    expect(await send('/form', text, urlencoded)).toEqual({
      status: 200,
      body: {
        ...{ name: 'Rex & Mia', age: 'int64 9007199254740993', wild: true, tags: ['a', 'b,c'], sizes: [1, 2] },
        home: { street: 'High', number: 5 },
      },
    })
    expect(await send('/form', 'name=a', urlencoded)).toEqual({ status: 200, body: { name: 'a', wild: false } })
  })

  test.each([
    ['age=1', 'body.name is required.'],
    ['name=a&name=b', 'body.name must not be given more than once.'],
    ['name=a&home[street]=a&home[street]=b', 'body.home[street] must not be given more than once.'],
    ['name=a&age=01', 'body.age must be an integer.'],
    ['name=a&wild=yes', 'body.wild must be a boolean.'],
    ['name=a&home[number]=x', 'body.home.number must be an integer.'],
    ['name=a&other=1', 'body.other is not a known field.'],
    ['', 'A body is required.'],
  ])('%s is refused', async (text, message) => {
    const { status, message: told } = await send('/form', text, urlencoded)
    expect({ status, told }).toEqual({ status: 400, told: message })
  })

  test('is refused in another format', async () => {
    expect(await send('/form', '{}', 'application/json')).toEqual({
      status: 415,
      message: `The body must be sent as "Content-Type: ${urlencoded}".`,
    })
  })
})

describe('a multipart body', () => {
  const png = new Blob([Buffer.from([0, 255, 13, 10])], { type: 'image/png' })
  const parts = (fields: [string, string | Blob][]): FormData => {
    const data = new FormData()
    for (const [name, value] of fields) data.append(name, value)
    return data
  }

  test('has texts, JSON values and files with every byte', async () => {
    const sent = parts([
      ['name', 'Rex'],
      ['age', '9007199254740993'],
      ['tags', 'a'],
      ['home', '{"street":"High","number":5}'],
      ['photo', png],
      ['photos', png],
      ['photos', png],
    ])
    expect(await send('/parts', sent)).toEqual({
      status: 200,
      body: {
        ...{
          name: 'Rex',
          age: 'int64 9007199254740993',
          tags: ['a'],
          home: { street: 'High', number: 5 },
          wild: false,
        },
        ...{ photo: 'bytes 00ff0d0a', photos: ['bytes 00ff0d0a', 'bytes 00ff0d0a'] },
      },
    })
  })

  test.each<[string, [string, string | Blob][]]>([
    ['body.name is required.', [['age', '1']]],
    [
      'body.name must not be given more than once.',
      [
        ['name', 'a'],
        ['name', 'b'],
      ],
    ],
    [
      'body.photo must be of the type image/png, image/gif.',
      [
        ['name', 'a'],
        ['photo', new Blob(['x'], { type: 'text/plain' })],
      ],
    ],
    [
      'body.other is not a known field.',
      [
        ['name', 'a'],
        ['other', 'b'],
      ],
    ],
  ])('is refused: %s', async (message, fields) => {
    expect(await send('/parts', parts(fields))).toEqual({ status: 400, message })
  })

  test.each([
    ['--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nRex', 'multipart/form-data; boundary=x'],
    ['--x--', 'multipart/form-data'],
    ['no boundary', 'multipart/form-data; boundary=x'],
  ])('that is none is refused: %j', async (body, type) => {
    expect(await send('/parts', body, type)).toEqual({
      status: 400,
      message: 'The body is not multipart/form-data with the boundary that Content-Type names.',
    })
  })

  test('that is too large is refused', async () => {
    const sent = parts([
      ['name', 'a'],
      ['photo', new Blob([Buffer.alloc(100_001)], { type: 'image/png' })],
    ])
    expect((await send('/parts', sent)).status).toBe(413)
  })
})

describe('other bodies', () => {
  test('are text, by its schema', async () => {
    expect(await send('/text', 'abc', 'text/plain; charset=utf-8')).toEqual({ status: 200, body: 'abc' })
    expect(await send('/text', undefined)).toEqual({ status: 200, body: undefined })
    expect(await send('/text', 'abcdef', 'text/plain')).toMatchObject({
      status: 400,
      message: 'body must have at most 5 characters.',
    })
    expect(await send('/text', Buffer.from([255]), 'text/plain')).toMatchObject({
      status: 400,
      message: 'The body is not valid UTF-8.',
    })
    expect((await send('/text', 'abc', 'text/plain; charset=latin1')).status).toBe(415)
  })

  test('are bytes of a range of types', async () => {
    expect(await send('/bytes', Buffer.from([0, 255]), 'image/png')).toEqual({ status: 200, body: 'bytes 00ff' })
    expect(await send('/bytes', undefined)).toEqual({ status: 400, message: 'A body is required.' })
    expect((await send('/bytes', 'x', 'text/plain')).status).toBe(415)
  })

  test('are of one of several types, each with its own schema', async () => {
    expect(await send('/several', '{"n":9007199254740993}', 'application/vnd.thing+json')).toEqual({
      status: 200,
      body: { n: 'int64 9007199254740993' },
    })
    expect(await send('/several', '5', 'application/json')).toEqual({ status: 200, body: 5 })
    expect(await send('/several', '{}', 'application/json')).toMatchObject({
      status: 400,
      message: 'body must be an integer.',
    })
    expect(await send('/several', 'a,b', 'text/csv')).toEqual({ status: 200, body: 'a,b' })
    expect(await send('/several', undefined)).toEqual({ status: 200, body: undefined })
    expect((await send('/several', 'x', 'text/plain')).message).toBe(
      'The body must be sent as "Content-Type: application/vnd.thing+json" or "application/json" or "text/csv".',
    )
  })
})

describe('answers', () => {
  async function answer(
    path: string,
    given: RawReply,
  ): Promise<{ status: number; type: string | null; bytes: string }> {
    reply = given
    const headers = { Authorization: `Bearer ${service.key}` }
    const {
      status,
      headers: sent,
      ...rest
    } = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, { headers }).then(async (one) => ({
      status: one.status,
      headers: one.headers,
      bytes: Buffer.from(await one.arrayBuffer()),
    }))
    return { status, type: sent.get('content-type'), bytes: rest.bytes.toString('latin1') }
  }

  test.each<[RawReply, string | null, string]>([
    [{ status: 200, body: 'plain' }, 'text/plain; charset=utf-8', 'plain'],
    [{ status: 201, body: { n: 9007199254740993n } }, 'application/problem+json', '{"n":9007199254740993}'],
    [{ status: 202, body: Buffer.from([0, 255]) }, 'image/png', '\u0000\u00ff'],
    [{ status: 204 }, null, ''],
    [{ status: 203, body: 5 }, 'application/json', '5'],
  ])('have the type that the contract gives them: %j', async (given, type, bytes) => {
    expect(await answer('/answers', given)).toEqual({ status: given.status, type, bytes })
  })

  test('of default stand for success where no success is declared', async () => {
    expect(await answer('/any', { status: 200, body: { a: 1n } })).toEqual({
      status: 200,
      type: 'application/json',
      bytes: '{"a":1}',
    })
  })

  test('of no declared status or range are faults', async () => {
    expect((await answer('/answers', { status: 302 })).status).toBe(500)
    expect((await answer('/answers', { status: 200, body: 5 })).status).toBe(500)
  })
})
