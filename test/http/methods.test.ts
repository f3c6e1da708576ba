import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, expectRefusal, lines, rawRequests, roomForStrangers, type RawAnswer } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only } = rawRequests(() => service)

describe('methods', () => {
  afterEach(async () => {
    expect((await only(head('GET /v1/pets HTTP/1.1', close))).status).toBe(200)
  })

  test.each(['/v1/pets', '/v1/pets?limit=1', '/v1/pets/1', '/v1/pets/404', '/v1/pets/abc', '/v1/nothing'])(
    'HEAD %s is answered like GET, without the body',
    async (path) => {
      const [get, answer] = await Promise.all(
        ['GET', 'HEAD'].map((method) => only(head(`${method} ${path} HTTP/1.1`, close, 'X-Request-Id: same'))),
      )
      const stable = ({ headers }: RawAnswer): unknown => {
        const changing = /^(date|x-ratelimit-|ratelimit)/
        return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.test(name)))
      }
      expect(answer?.status).toBe(get?.status)
      expect(answer && stable(answer)).toEqual(get && stable(get))
      expect(Number(answer?.headers['content-length'])).toBeGreaterThan(0)
      expect(answer?.body).toBe('')
    },
  )

  test('HEAD needs the key too', async () => {
    const answer = await only(lines('HEAD /v1/pets HTTP/1.1', 'Host: a', close))
    expect(answer).toMatchObject({ status: 401, body: '', headers: { 'www-authenticate': 'Bearer' } })
  })

  test.each([
    ['DELETE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/v1/pets?limit=1', 'GET, HEAD, POST, OPTIONS'],
    ['PROPFIND', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['M-SEARCH', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/pets/abc', 'GET, HEAD, OPTIONS'],
  ])('%s %s: 405 with what the path has', async (method, path, allow) => {
    const answer = await only(head(`${method} ${path} HTTP/1.1`, close, 'X-Mark: echo-me'))
    expectError(answer.body, 405, 'method_not_allowed')
    expect(answer.headers.allow).toBe(allow)
    expect(JSON.stringify(answer)).not.toContain('echo-me')
  })

  test.each(['DELETE', 'PUT', 'TRACE', 'PROPFIND'])('%s of a path that is not there: 404', async (method) => {
    const answer = await only(head(`${method} /v1/nothing HTTP/1.1`, close))
    expectError(answer.body, 404, 'not_found')
    expect(answer.headers.allow).toBeUndefined()
  })

  test('a method that a path does not have tells strangers nothing', async () => {
    const answer = await only(lines('DELETE /v1/pets HTTP/1.1', 'Host: a', close))
    expectError(answer.body, 401, 'unauthorized')
    expect(answer.headers.allow).toBeUndefined()
  })

  test.each([
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets?limit=1', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s: 204 with what the path has, without a key', async (path, allow) => {
    const answer = await only(lines(`OPTIONS ${path} HTTP/1.1`, 'Host: a', close))
    expect(answer).toMatchObject({ status: 204, headers: { allow }, body: '' })
    expect(answer.headers['content-length']).toBeUndefined()
  })

  test('OPTIONS of a path that is not there: 404', async () => {
    expectError((await only(lines('OPTIONS /v1/nothing HTTP/1.1', 'Host: a', close))).body, 404, 'not_found')
  })

  test('OPTIONS * asks whether the server is there: 204', async () => {
    expect((await only(lines('OPTIONS * HTTP/1.1', 'Host: a', close))).status).toBe(204)
  })

  test.each([
    ['CONNECT x:443 HTTP/1.1'],
    ['CONNECT 127.0.0.1:8080 HTTP/1.1'],
    ['FOO /v1/pets HTTP/1.1'],
    ['get /v1/pets HTTP/1.1'],
    ['GET\t/v1/pets HTTP/1.1'],
    ['GET /v1/pets HTTP/3.7'],
    ['GET /v1/pets HTTP/1.1x'],
    ['GET /v1/pets HTTPS/1.1'],
    ['GET /v1/pets http/1.1'],
    [' GET /v1/pets HTTP/1.1'],
  ])('%j: 400 and close', async (line) => {
    expectRefusal(await exchange(service.port, head(line)), 400, 'invalid_request')
  })
})
