import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startContract } from '../support/contracts/echo.ts'
import { exchange, type RawAnswer } from '../support/raw.ts'
import { expectError, type TestService } from '../support/service.ts'

const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: /v1 }]
security: [{ Token: [] }]
paths:
  /c++/docs: { get: { operationId: getDocs, ANSWER } }
  /users/@me: { get: { operationId: getMe, ANSWER } }
  /users/{id}: { get: { operationId: getUser, ID, ANSWER } }
  /Pets('{id}'): { get: { operationId: getPet, ID, ANSWER } }
  /a%2Fb: { get: { operationId: getSlash, ANSWER } }
  /café au lait: { get: { operationId: getDrink, ANSWER } }
components: { securitySchemes: { Token: { type: http, scheme: bearer } } }
`
  .replaceAll('ID, ', 'parameters: [{ name: id, in: path, required: true, schema: { type: string } }], ')
  .replaceAll(
    'ANSWER',
    "responses: { '200': { description: Done., content: { application/json: { schema: { type: object } } } } }",
  )

let service: TestService
beforeAll(async () => {
  service = await startContract(
    contract,
    ['getDocs', 'getMe', 'getUser', 'getPet', 'getSlash', 'getDrink'],
    async ({ path }) => ({ status: 200, body: path }),
  )
})
afterAll(() => service.stop())

/** Sends the path as it is written, which no client library promises. */
async function ask(path: string, key = service.key): Promise<RawAnswer> {
  const head = `GET /v1${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const { answers } = await exchange(service.port, head)
  if (!answers[0]) throw new Error('There is no answer.')
  return answers[0]
}

describe('the base path of a request', () => {
  const addressed = contract.replace('url: /v1', "url: 'https://example.test/@api/caf%c3%a9/%761'")
  let other: TestService
  beforeAll(async () => {
    other = await startContract(
      addressed,
      ['getDocs', 'getMe', 'getUser', 'getPet', 'getSlash', 'getDrink'],
      ({ path, query }) => Promise.resolve({ status: 200, body: { ...path, ...query } }),
    )
  })
  afterAll(() => other.stop())

  test.each<[string, number]>([
    ['/@api/caf%C3%A9/v1/users/7', 200],
    ['/%40api/caf%c3%a9/v1/users/7', 200],
    ['/%40%61pi/c%61f%C3%a9/%76%31/users/7', 200],
    ['/@api/caf%C3%A9/v1/users/%37', 200],
    ['/@api%2Fcaf%C3%A9/v1/users/7', 404],
    ['/%40api/caf%C3%A9/v1x/users/7', 404],
    ['/%40api/caf%C3/v1/users/7', 404],
    ['/@api/caf%C3%A8/v1/users/7', 404],
    ['/%2540api/caf%C3%A9/v1/users/7', 404],
    ['/%40api', 404],
  ])('%s matches what it stands for', async (path, expected) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${other.key}\r\n\r\n`
    const { answers } = await exchange(other.port, head, { page: expected === 404, quietMs: 20_000 })
    expect(answers.map(({ status }) => status)).toEqual([expected])
    if (expected === 200) expect(JSON.parse(answers[0]?.body ?? '')).toEqual({ id: '7' })
  })
})

describe('the path of a request', () => {
  test.each<[string, object]>([
    ['/c++/docs', {}],
    ['/c%2B%2B/docs', {}],
    ['/c%2b+/docs', {}],
    ['/users/@me', {}],
    ['/users/%40me', {}],
    ['/users/%40you', { id: '@you' }],
    ["/Pets('1')", { id: '1' }],
    ['/Pets(%271%27)', { id: '1' }],
    ['/Pets%28%27a%2Fb%27%29', { id: 'a/b' }],
    ['/a%2Fb', {}],
    ['/a%2fb', {}],
    ['/caf%C3%A9%20au%20lait', {}],
    ['/caf%c3%a9%20au%20lait', {}],
  ])('%s matches what it stands for when it is decoded', async (path, values) => {
    const { status, body } = await ask(path)
    expect({ status, body: JSON.parse(body) as unknown }).toEqual({ status: 200, body: values })
  })

  test.each(['/a/b', '/c%252B%252B/docs', '/caf%E9%20au%20lait%', '/users%2F@me', '/c++/docs/', '/C%2B%2B/docs'])(
    '%s stands for nothing that the contract has',
    async (path) => {
      const { status } = await ask(path)
      expect(status).toBe(path.endsWith('%') ? 400 : 404)
    },
  )

  test('is looked at first, and told about last: after the key and the count', async () => {
    const counted: number[] = []
    for (const path of ['/none', '/users/%zz', '/users/1']) {
      const { body, headers } = await ask(path, 'ak_none')
      expectError(body, 401, 'unauthorized')
      counted.push(Number(headers['x-ratelimit-remaining']))
    }
    for (const [path, status, code] of [
      ['/none', 404, 'not_found'],
      ['/users/%zz', 400, 'invalid_request'],
    ] as const) {
      const { body, headers } = await ask(path)
      expectError(body, status, code)
      counted.push(Number(headers['x-ratelimit-remaining']))
    }
    const [first = 0, , , withKey = 0] = counted
    expect(counted).toEqual([first, first - 1, first - 2, withKey, withKey - 1])
  })
})
