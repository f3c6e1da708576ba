import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startContract } from '../support/contracts/echo.ts'
import type { TestService } from '../support/service.ts'

const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: /v1 }]
security: [{ Token: [] }, { Key: [] }]
paths:
  /either: { get: { operationId: getEither, ANSWER } }
  /basic: { get: { operationId: getBasic, security: [{ Password: [] }], ANSWER } }
  /query: { get: { operationId: getQuery, security: [{ InQuery: [] }], parameters: [{ name: n, in: query, schema: { type: integer } }], ANSWER } }
  /cookie: { get: { operationId: getCookie, security: [{ InCookie: [] }], ANSWER } }
  /both: { get: { operationId: getBoth, security: [{ Token: [], Key: [] }], ANSWER } }
  /header: { get: { operationId: getHeader, security: [{ Whole: [], Token: [] }], ANSWER } }
  /public: { get: { operationId: getPublic, security: [], ANSWER } }
  /optional: { get: { operationId: getOptional, security: [{}, { Token: [] }], ANSWER } }
  /oauth: { get: { operationId: getOauth, security: [{ OAuth: [read] }], ANSWER } }
components:
  securitySchemes:
    Token: { type: http, scheme: Bearer }
    Password: { type: http, scheme: basic }
    Key: { type: apiKey, in: header, name: X-Api-Key }
    Whole: { type: apiKey, in: header, name: authorization }
    InQuery: { type: apiKey, in: query, name: api_key }
    InCookie: { type: apiKey, in: cookie, name: session }
    OAuth: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://example.test', scopes: { read: Read. } } } }
`.replaceAll(
  'ANSWER',
  "responses: { '200': { description: Done., content: { application/json: { schema: { type: object } } } } }",
)
const names = ['Either', 'Basic', 'Query', 'Cookie', 'Both', 'Header', 'Public', 'Optional', 'Oauth'].map(
  (name) => `get${name}`,
)

let service: TestService
let other = ''
let ids: Record<string, string>
beforeAll(async () => {
  service = await startContract(contract, names, async ({ keyId, query }) =>
    Promise.resolve({ status: 200, body: { keyId, query } }),
  )
  const second = await service.addKey({ plan: 'unlimited' })
  other = second.key
  ids = { [other]: second.record.id }
})
afterAll(async () => {
  await service.stop()
})

async function ask(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, { headers })
  expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}

const basic = (text: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})

describe('the key of a request is found', () => {
  test.each<[string, string, () => Record<string, string>, string]>([
    ['as a bearer token', '/either', () => ({ Authorization: `Bearer ${other}` }), ''],
    ['in a header of its own', '/either', () => ({ 'x-api-key': other }), ''],
    [
      'in the second place when the first has no valid key',
      '/either',
      () => ({ Authorization: 'Bearer ak_x', 'X-API-KEY': other }),
      '',
    ],
    ['as the password', '/basic', () => basic(`anyone:${other}`), ''],
    ['as the user without a password', '/basic', () => basic(`${other}:`), ''],
    ['in the query', '/query', () => ({}), '?api_key='],
    ['in a cookie', '/cookie', () => ({ Cookie: `a=b; session=${other}` }), ''],
    ['in both places that are needed', '/both', () => ({ Authorization: `Bearer ${other}`, 'X-Api-Key': other }), ''],
    ['where two schemes have one header', '/header', () => ({ Authorization: `Bearer ${other}` }), ''],
    ['by an operation that does not need it', '/optional', () => ({ Authorization: `Bearer ${other}` }), ''],
    ['as the token of OAuth', '/oauth', () => ({ Authorization: `Bearer ${other}` }), ''],
  ])('%s', async (_, path, headers, query) => {
    const { status, body } = await ask(path + (query && query + other), headers())
    expect({ status, body }).toEqual({ status: 200, body: { keyId: ids[other], query: {} } })
  })

  test('and is no parameter of the operation', async () => {
    expect((await ask(`/query?n=5&api_key=${other}`)).body).toEqual({ keyId: ids[other], query: { n: 5 } })
    expect((await ask(`/query?api_key=${other}&other=1`)).status).toBe(400)
    expect(JSON.stringify(service.logged)).not.toContain(other)
  })
})

describe('a request without a valid key', () => {
  test.each<[string, string, Record<string, string>]>([
    ['/either', '"Authorization: Bearer <API_KEY>" or "X-Api-Key: <API_KEY>"', { Authorization: 'Bearer ak_x' }],
    ['/basic', 'the password of "Authorization: Basic"', basic('a:b')],
    ['/query', 'api_key in the query', {}],
    ['/query?api_key=a&api_key=b', 'api_key in the query', {}],
    ['/cookie', 'session in the cookies', { Cookie: 'session' }],
    ['/oauth', '"Authorization: Bearer <API_KEY>"', {}],
  ])('to %s is told how to send one', async (path, ways, headers) => {
    const { status, body } = await ask(path, headers)
    expect({ status, body }).toEqual({
      status: 401,
      body: { code: 'unauthorized', message: `A valid API key is needed, sent as ${ways}.`, status: 401 },
    })
  })

  test('has the challenges of the schemes', async () => {
    expect((await ask('/either')).headers.get('www-authenticate')).toBe('Bearer, ApiKey')
    expect((await ask('/basic')).headers.get('www-authenticate')).toBe('Basic realm="API key"')
  })

  test('is refused where two places must have the same key', async () => {
    const first = { Authorization: `Bearer ${other}` }
    expect((await ask('/both', first)).status).toBe(401)
    expect((await ask('/both', { ...first, 'X-Api-Key': service.key })).status).toBe(401)
  })

  test.each(['/public', '/optional'])('may call %s, and is counted by its address', async (path) => {
    const { status, body, headers } = await ask(path)
    expect({ status, body }).toEqual({ status: 200, body: { keyId: '', query: {} } })
    expect(headers.get('x-ratelimit-limit')).toBe('1000000')
    const before = Number(headers.get('x-ratelimit-remaining'))
    expect(Number((await ask(path, { Authorization: 'Bearer ak_x' })).headers.get('x-ratelimit-remaining'))).toBe(
      before - 1,
    )
  })

  test('is not told whether a path exists', async () => {
    expect((await ask('/none')).status).toBe(401)
    expect((await ask('/none', { 'X-Api-Key': other })).status).toBe(404)
  })
})

test('a public operation does not take the limit of a key that is sent with it', async () => {
  const { headers } = await ask('/public', { Authorization: `Bearer ${other}` })
  expect(headers.get('x-ratelimit-limit')).toBe('1000000')
})
