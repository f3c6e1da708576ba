import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, expectRefusal, lines, rawRequests, roomForStrangers } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only } = rawRequests(() => service)

describe('the path', () => {
  test.each([
    ['/v1/pets/%', 400],
    ['/v1/pets/%F', 400],
    ['/v1/pets/%FF', 400],
    ['/v1/pets/%zz', 400],
    ['/v1/pets/%c0%ae', 400],
    ['/v1/pets/%ed%a0%80', 400],
    ['/v1/pets/1%', 400],
    ['/v1/%', 400],
    ['/v1/nothing/%FF', 400],
    ['/v1/pets/%2e%2e', 400],
    ['/v1/pets/.', 400],
    ['/v1/pets/..', 400],
    ['/v1/pets/1%2f2', 400],
    ['/v1/pets/1%5c2', 400],
    ['/v1/pets/1;x=2', 400],
    ['/v1/pets/../pets', 404],
    ['/v1/./pets', 404],
    ['/v1/%2e/pets', 404],
    ['/v1%2fpets', 404],
    ['/v1%2Fpets/1', 404],
    ['//v1//pets', 404],
    ['/v1//pets', 404],
    ['/v1/pets//1', 404],
    ['/v1\\pets', 404],
    ['/v1/pets;x=1', 404],
    ['/v1/pets/', 404],
    ['/v1/pets/1/', 404],
    ['/v1/pets/?limit=1', 404],
    ['/V1/PETS', 404],
    ['/v1/Pets', 404],
    ['/v1', 404],
    ['/v1/', 404],
    ['/v1?limit=1', 404],
    ['/v1x/pets', 404],
    ['/v2/pets', 404],
    ['/pets', 404],
    ['/v1/store/nothing', 404],
  ])('%s is answered %d, as it stands', async (path, status) => {
    const answer = await only(head(`GET ${path} HTTP/1.1`, close))
    expect(answer.status).toBe(status)
    expectError(answer.body, status, status === 404 ? 'not_found' : 'invalid_request')
  })

  test.each(['/v1/pets/%', '/v1/pets/%2e%2e', '/v1/pets/../pets', '/v1/pets/', '/v1/nothing', '/v1/', '/v1'])(
    '%s is kept from strangers like everything else below the API root',
    async (path) => {
      const answer = await only(lines(`GET ${path} HTTP/1.1`, 'Host: a', close))
      expectError(answer.body, 401, 'unauthorized')
    },
  )
})

describe('the target', () => {
  test.each(['/v1/%70ets?limit=1', '/%761/pets?limit=1', '/v1/p%65%74s?limit=1'])(
    'means the same with letters percent-encoded: %s',
    async (target) => {
      expect((await only(head(`GET ${target} HTTP/1.1`, close))).status).toBe(200)
    },
  )

  beforeAll(async () => {
    await service.stores.pets.add({ name: 'A', categoryId: 1n, status: 'available' })
    await service.stores.pets.add({ name: 'B', categoryId: 1n, status: 'available' })
  })

  test.each([
    'http://evil.example/v1/pets?limit=1',
    'HTTP://evil.example/v1/pets?limit=1',
    'https://evil.example:8443/v1/pets?limit=1',
    'http://127.0.0.1/v1/pets?limit=1',
  ])('may be absolute: %s leads to the list, and no link names that authority', async (target) => {
    const answer = await only(head(`GET ${target} HTTP/1.1`, close))
    expect(answer.status).toBe(200)
    expect(answer.headers.link).toMatch(/^<\/v1\/pets\?limit=1&cursor=[\w-]{11}>; rel="next"$/)
    expect(JSON.stringify(answer)).not.toMatch(/evil|store\.example|127\.0\.0\.1/)
  })

  test.each([
    ['http://evil.example', 200],
    ['http://evil.example/', 200],
    ['http://evil.example?limit=1', 200],
    ['http://evil.example/nothing', 404],
    ['http://evil.example/v1', 404],
    ['http://evil.example/livez', 200],
  ])('%s is answered %d', async (target, status) => {
    const answer = await only(head(`GET ${target} HTTP/1.1`, close))
    expect(answer.status).toBe(status)
    expect(JSON.stringify(answer)).not.toContain('evil')
  })

  test('does not make an absolute target do without Host', async () => {
    const bytes = lines('GET http://evil.example/v1/pets HTTP/1.1', `Authorization: Bearer ${service.key}`, close)
    expectError((await only(bytes)).body, 400, 'invalid_request')
  })

  test.each([
    'http:///v1/pets',
    'http://?limit=1',
    'http:/v1/pets',
    'ftp://evil.example/v1/pets',
    '/v1/pets#x',
    '/v1/pets?limit=1#x',
    'http://evil.example/v1/pets#x',
    '/v1/pets?a=b c',
    '/v1/pets ?limit=1',
    '/v1/pets?status=\xc3\xa9',
    '/v1/pets/\xc3\xa9',
    '/v1/pets?status=\x00',
    '/v1/pets?status=\x01',
    '/v1/pets?status=\x7f',
    'v1/pets',
    '?limit=1',
    '*',
    '',
  ])('%j is no target: 400', async (target) => {
    expectRefusal(await exchange(service.port, Buffer.from(head(`GET ${target} HTTP/1.1`, close), 'latin1')), 400)
  })
})

describe('Host', () => {
  const key = (): string => `Authorization: Bearer ${service.key}`

  test.each([
    ['two', ['Host: a', 'Host: b']],
    ['two that are alike', ['Host: a', 'Host: a']],
    ['two in other letter case', ['Host: a', 'hOST: b']],
    ['two, one of them empty', ['Host:', 'Host: a']],
    ['two, far apart', ['Host: a', ...Array.from({ length: 2100 }, () => 'x:'), 'Host: b']],
    ['none', []],
  ])('%s: 400', async (_, hosts) => {
    const answer = await only(lines('GET /v1/pets HTTP/1.1', key(), close, ...hosts))
    expectError(answer.body, 400, 'invalid_request')
  })

  test.each([['OPTIONS * HTTP/1.1'], ['GET /livez HTTP/1.1'], ['OPTIONS /v1/pets HTTP/1.1']])(
    'is needed for %s as well, once',
    async (line) => {
      for (const hosts of [[], ['Host: a', 'Host: b']]) {
        expectError((await only(lines(line, ...hosts, key(), close))).body, 400, 'invalid_request')
      }
    },
  )

  test('may be empty', async () => {
    expect((await only(lines('GET /v1/pets HTTP/1.1', 'Host:', key(), close))).status).toBe(200)
  })

  test('is not needed by HTTP/1.0, whose connection is closed after the answer', async () => {
    const answer = await only(lines('GET /v1/pets HTTP/1.0', key()))
    expect(answer.status).toBe(200)
    expect(answer.headers.connection).toBe('close')
  })

  test('must not stand twice in HTTP/1.0 either', async () => {
    const answer = await only(lines('GET /v1/pets HTTP/1.0', 'Host: a', 'Host: b', key()))
    expectError(answer.body, 400, 'invalid_request')
  })
})
