import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RawReply, ValidRequest } from '../../src/contract/compiled.ts'
import type { Handlers } from '../../src/contract/operation.ts'
import { compile, contractText, done, reading, withOperation } from '../support/contracts/things.ts'
import { testFolder } from '../support/process.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

const folder = testFolder()

describe('the servers of a contract', () => {
  test.each([
    ["[{ url: '/' }]", ''],
    ['[{ url: /v1 }]', '/v1'],
    ['[{ url: /api/v1/ }, { url: https://example.test/api/v1 }]', '/api/v1'],
    ["[{ url: 'https://{host}/{base}', variables: { host: { default: a.test }, base: { default: v2 } } }]", '/v2'],
  ])('%s give the API root %j', async (servers, apiRoot) => {
    const contract = await compile(withOperation(done).replace(/servers: .*/, `servers: ${servers}`))
    expect(contract.apiRoot).toBe(apiRoot)
    expect(contract.router.match('get', '/things').found).toBe('operation')
  })
})

describe('a contract of 206 operations', () => {
  const paths = Array.from({ length: 103 }, (_, index) => {
    const parameters = 'parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]'
    return `  /resources${index}/{id}:
    ${parameters}
    get:
      operationId: getResource${index}
      ${done}
    put:
      operationId: putResource${index}
      requestBody: { content: { application/json: { schema: { type: object, properties: { n: { type: integer } } } } } }
      ${done}
`
  }).join('')

  test('compiles, and each operation is found and reads its own parameters', async () => {
    const { operations, router } = await compile(contractText(paths), { checked: false })
    expect(operations.size).toBe(206)
    for (const [operationId, operation] of operations) {
      const number = /\d+/.exec(operationId)?.[0] ?? ''
      const match = router.match(operationId.slice(0, 3), `/resources${number}/7`)
      expect(match).toMatchObject({ found: 'operation', operation: { operationId }, values: ['7'] })
      expect(reading(operation, { values: ['7'] })).toMatchObject({ path: { id: 7n } })
      expect(operation.bodies !== undefined).toBe(operationId.startsWith('put'))
    }
  })
})

describe('a service with another contract', () => {
  const paths = `  /things/{thingId}:
    parameters:
      - { name: thingId, in: path, required: true, schema: { type: integer, format: int64 } }
      - { name: depth, in: query, schema: { type: integer, maximum: 3, default: 1 } }
      - { name: X-Mode, in: header, schema: { type: string, enum: [fast, exact] } }
    get:
      operationId: getThing
      parameters:
        - { name: depth, in: query, schema: { type: integer, maximum: 9, default: 2 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
        - { name: field, in: query, explode: false, schema: { type: array, items: { type: string } } }
      responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Echo' } } } } }
    delete:
      operationId: dropThing
      responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Echo' } } } } }
  /replies:
    get:
      operationId: getReply
      responses:
        '200':
          description: Done.
          content: { application/json: { schema: { $ref: '#/components/schemas/Reply' } } }
          headers: { X-Total: { required: true, schema: { type: integer } } }
        '202': { description: Begun. }
`
  const schemas = `    Echo:
      type: object
      required: [text]
      properties: { text: { type: string } }
    Reply:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64 }
        name: { type: string, nullable: true }
        parts: { type: array, items: { type: object, required: [n], properties: { n: { type: integer } } } }
`
  let checked: TestService
  let unchecked: TestService
  let reply: RawReply = { status: 202 }

  beforeAll(async () => {
    const contractFile = join(folder, 'openapi.yaml')
    writeFileSync(contractFile, contractText(paths, schemas))
    const echo = async (request: ValidRequest): Promise<RawReply> => {
      const text = JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
      return { status: 200, body: { text } }
    }
    const handlers = { getThing: echo, dropThing: echo, getReply: async () => reply } as unknown as Handlers
    checked = await startService({}, { contractFile, handlers })
    unchecked = await startService({ NODE_ENV: 'production' }, { contractFile, handlers })
  })
  afterAll(async () => {
    await checked.stop()
    await unchecked.stop()
  })

  async function seenBy(
    method: 'get' | 'delete',
    path: string,
    headers: Record<string, string> = {},
  ): Promise<unknown> {
    const { text } = await checked.call(method, path).set(headers).expect(200)
    return JSON.parse((JSON.parse(text) as { text: string }).text) as unknown
  }

  test("gives handlers the parameters of the path beside the operation's own, which come first", async () => {
    expect(await seenBy('get', '/things/9007199254740993?depth=9', { 'X-Mode': 'fast' })).toEqual({
      ...{ path: { thingId: '9007199254740993n' }, query: { depth: 9 }, header: { 'X-Mode': 'fast' } },
      address: '/v1/things/9007199254740993',
      ...{ keyId: expect.stringMatching(/^key_/), now: expect.any(Number) },
    })
    expect(await seenBy('get', '/things/1')).toMatchObject({ query: { depth: 2 } })
    expect(await seenBy('delete', '/things/1')).toMatchObject({ query: { depth: 1 } })
    await checked.call('get', '/things/1?depth=10').expect(400)
    await checked.call('delete', '/things/1?depth=9').expect(400)
    await checked.call('delete', '/things/1?tag=a').expect(400)
    const { text } = await checked.call('delete', '/things/x?depth=9').set('X-Mode', 'slow').expect(400)
    expect(JSON.parse(text)).toMatchObject({
      message: 'path.thingId must be an integer; query.depth must be <= 3; header.x-mode must be one of fast, exact.',
    })
  })

  test('gives handlers lists, and refuses a repeated parameter that is no list', async () => {
    expect(await seenBy('get', '/things/1?tag=a&tag=b,c&field=x,y')).toMatchObject({
      query: { tag: ['a', 'b,c'], field: ['x', 'y'] },
    })
    for (const query of ['depth=1&depth=1', 'field=x&field=y']) {
      const { text } = await checked.call('get', `/things/1?${query}`).expect(400)
      expect(text).toContain('must not be given more than once.')
    }
  })

  const broken: [string, RawReply, RegExp][] = [
    ['a status that the operation does not declare', { status: 201, body: { id: 1n } }, /answered 201/],
    ['a status that belongs to the road', { status: 401 }, /answered 401/],
    [
      'a header that cannot be sent',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': 'Žofka' } },
      /a value of the header X-Total that cannot be sent/,
    ],
    [
      'a header that would end and begin another',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': '1\r\nX-Other: 1' } },
      /a value of the header X-Total that cannot be sent/,
    ],
  ]
  const wrong: [string, RawReply, RegExp][] = [
    ['an undeclared field', { status: 200, body: { id: 1n, secret: 'x' } }, /\bsecret is not a known field/],
    [
      'an undeclared field deep inside',
      { status: 200, body: { id: 1n, parts: [{ n: 1, secret: 'x' }] } },
      /\bparts\.0\.secret is not a known field/,
    ],
    ['a wrong type', { status: 200, body: { id: 'x' } }, /\bid must be an integer/],
    ['a fraction for an integer', { status: 200, body: { id: 1.5 } }, /\bid must be an integer/],
    ['an integer beyond 64 bits', { status: 200, body: { id: 2n ** 63n } }, /\bid must fit in 64 bits/],
    ['null where it is not allowed', { status: 200, body: { id: null } }, /\bid must be an integer/],
    ['a field missing', { status: 200, body: { name: 'x' } }, /\bis required/],
    ['no body', { status: 200 }, /must be an object/],
    ['a list for an object', { status: 200, body: [] }, /must be an object/],
    [
      'an undeclared header',
      { status: 200, body: { id: 1n }, headers: { 'X-Total': '1', 'X-Other': '1' } },
      /the header X-Other/,
    ],
    ['a required header missing', { status: 200, body: { id: 1n }, headers: {} }, /the header X-Total/],
  ]

  test.each([...broken, ...wrong])(
    'answers 500 to a reply with %s, and logs what was wrong',
    async (_, { headers = { 'X-Total': '1' }, ...bad }, message) => {
      reply = { ...bad, headers }
      checked.logged.length = 0
      const { text } = await checked.call('get', '/replies').set('X-Request-Id', 'broken-reply').expect(500)
      expectError(text, 500, 'internal_error')
      expect(JSON.parse(text)).toMatchObject({ message: 'The service failed to answer.' })
      const failures = checked.logged.filter(({ msg }) => msg === 'request failed')
      expect(failures).toMatchObject([
        {
          ...{ level: 50, requestId: 'broken-reply', operationId: 'getReply', status: 500 },
          err: { message: expect.stringMatching(message) },
        },
      ])
    },
  )

  test.each(broken)('answers 500 to a reply with %s, also when replies are not checked', async (_, bad) => {
    reply = bad
    const { text } = await unchecked.call('get', '/replies').expect(500)
    expectError(text, 500, 'internal_error')
  })

  test.each<[string, RawReply, string]>([
    [
      'everything',
      { status: 200, body: { id: 9223372036854775807n, name: null, parts: [{ n: 1 }] } },
      '{"id":9223372036854775807,"name":null,"parts":[{"n":1}]}',
    ],
    ['what is required', { status: 200, body: { id: -1n } }, '{"id":-1}'],
    ['a plain number for an int64', { status: 200, body: { id: 7 } }, '{"id":7}'],
    [
      'text that JSON escapes',
      { status: 200, body: { id: 1n, name: '"\\\u0000\u2028😀' } },
      '{"id":1,"name":"\\"\\\\\\u0000\u2028😀"}',
    ],
  ])('writes a reply with %s the same way, checked or not', async (_, good, expected) => {
    reply = { ...structuredClone(good), headers: { 'X-Total': 1 } }
    expect((await checked.call('get', '/replies').expect(200)).text).toBe(expected)
    reply = { ...structuredClone(good), headers: { 'X-Total': 1 } }
    expect((await unchecked.call('get', '/replies').expect(200)).text).toBe(expected)
  })

  test('drops undeclared fields when replies are not checked', async () => {
    reply = { status: 200, body: { id: 1n, secret: 'x', parts: [{ n: 1, secret: 'x' }] } }
    const { text } = await unchecked.call('get', '/replies').expect(200)
    expect(text).toBe('{"id":1,"parts":[{"n":1}]}')
  })

  test('answers without a body when the status has none', async () => {
    reply = { status: 202 }
    for (const service of [checked, unchecked]) {
      const { text, headers } = await service.call('get', '/replies').expect(202)
      expect(text).toBe('')
      expect(headers['content-type']).toBeUndefined()
    }
  })
})
