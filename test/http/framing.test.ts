import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { handlers } from '../../generated/handlers.ts'
import { exchange, type RawAnswer, type RawExchange } from '../support/raw.ts'
import { checkEveryAnswer, expectError, startService, type TestService } from '../support/service.ts'
import { talk } from '../support/talk.ts'

const roomForStrangers = { ANONYMOUS_PER_MINUTE: '100000', ANONYMOUS_PER_DAY: '100000' }

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

/** A request head with Host and the key. */
function head(line: string, ...headers: string[]): string {
  return lines(line, 'Host: store.example', `Authorization: Bearer ${service.key}`, ...headers)
}

function lines(...all: string[]): string {
  return [...all, '', ''].join('\r\n')
}

/** A POST of a body in one piece. */
function post(body: string, ...headers: string[]): string {
  const framing = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  return head('POST /v1/pets HTTP/1.1', ...framing, ...headers) + body
}

const rex = '{"name":"Rex","categoryId":7}'

/** Sends a request after which the server closes, and gives the one answer. */
async function only(bytes: string | Buffer, quietMs = 3000): Promise<RawAnswer> {
  // pages are not counted, and show no limit
  const target = /^[A-Z]+ (?:\w+:\/\/[^/?]+)?(\S*) HTTP/i.exec(bytes.toString('latin1'))?.[1]
  const page = target !== undefined && target !== '*' && !/^\/v1([/?]|$)/.test(target)
  const { answers, closed } = await exchange(service.port, bytes, { quietMs, page })
  expect({ statuses: answers.length, closed }).toEqual({ statuses: 1, closed: true })
  const answer = answers[0] as RawAnswer
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  if (!page) checkEveryAnswer({ ...answer, text: answer.body })
  return answer
}

/** One whole Error answer, after which the connection is closed. */
function expectRefusal({ answers, closed }: RawExchange, status: number, code?: string): void {
  expect(answers.map((answer) => answer.status)).toEqual([status])
  const { headers, body } = answers[0] as RawAnswer
  checkEveryAnswer({ status, headers, text: body })
  expectError(body, status, code)
  expect(headers.connection).toBe('close')
  expect(closed).toBe(true)
}

function statuses({ answers }: RawExchange): number[] {
  return answers.map(({ status }) => status)
}

async function storedNames(): Promise<string[]> {
  const pets = await service.stores.pets.list({ limit: 1000 })
  return pets.map(({ name }) => name)
}

const open = 'Connection: close'

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
    const answer = await only(head(`GET ${path} HTTP/1.1`, open))
    expect(answer.status).toBe(status)
    expectError(answer.body, status, status === 404 ? 'not_found' : 'invalid_request')
  })

  test.each(['/v1/pets/%', '/v1/pets/%2e%2e', '/v1/pets/../pets', '/v1/pets/', '/v1/nothing', '/v1/', '/v1'])(
    '%s is kept from strangers like everything else below the API root',
    async (path) => {
      const answer = await only(lines(`GET ${path} HTTP/1.1`, 'Host: a', open))
      expectError(answer.body, 401, 'unauthorized')
    },
  )
})

describe('the target', () => {
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
    const answer = await only(head(`GET ${target} HTTP/1.1`, open))
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
    const answer = await only(head(`GET ${target} HTTP/1.1`, open))
    expect(answer.status).toBe(status)
    expect(JSON.stringify(answer)).not.toContain('evil')
  })

  test('does not make an absolute target do without Host', async () => {
    const bytes = lines('GET http://evil.example/v1/pets HTTP/1.1', `Authorization: Bearer ${service.key}`, open)
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
    expectRefusal(await exchange(service.port, Buffer.from(head(`GET ${target} HTTP/1.1`, open), 'latin1')), 400)
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
    const answer = await only(lines('GET /v1/pets HTTP/1.1', key(), open, ...hosts))
    expectError(answer.body, 400, 'invalid_request')
  })

  test.each([['OPTIONS * HTTP/1.1'], ['GET /livez HTTP/1.1'], ['OPTIONS /v1/pets HTTP/1.1']])(
    'is needed for %s as well, once',
    async (line) => {
      for (const hosts of [[], ['Host: a', 'Host: b']]) {
        expectError((await only(lines(line, ...hosts, key(), open))).body, 400, 'invalid_request')
      }
    },
  )

  test('may be empty', async () => {
    expect((await only(lines('GET /v1/pets HTTP/1.1', 'Host:', key(), open))).status).toBe(200)
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

describe('methods', () => {
  afterEach(async () => {
    expect((await only(head('GET /v1/pets HTTP/1.1', open))).status).toBe(200)
  })

  test.each(['/v1/pets', '/v1/pets?limit=1', '/v1/pets/1', '/v1/pets/404', '/v1/pets/abc', '/v1/nothing'])(
    'HEAD %s is answered like GET, without the body',
    async (path) => {
      const [get, answer] = await Promise.all(
        ['GET', 'HEAD'].map((method) => only(head(`${method} ${path} HTTP/1.1`, open, 'X-Request-Id: same'))),
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
    const answer = await only(lines('HEAD /v1/pets HTTP/1.1', 'Host: a', open))
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
    const answer = await only(head(`${method} ${path} HTTP/1.1`, open, 'X-Mark: echo-me'))
    expectError(answer.body, 405, 'method_not_allowed')
    expect(answer.headers.allow).toBe(allow)
    expect(JSON.stringify(answer)).not.toContain('echo-me')
  })

  test.each(['DELETE', 'PUT', 'TRACE', 'PROPFIND'])('%s of a path that is not there: 404', async (method) => {
    const answer = await only(head(`${method} /v1/nothing HTTP/1.1`, open))
    expectError(answer.body, 404, 'not_found')
    expect(answer.headers.allow).toBeUndefined()
  })

  test('a method that a path does not have tells strangers nothing', async () => {
    const answer = await only(lines('DELETE /v1/pets HTTP/1.1', 'Host: a', open))
    expectError(answer.body, 401, 'unauthorized')
    expect(answer.headers.allow).toBeUndefined()
  })

  test.each([
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets?limit=1', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s: 204 with what the path has, without a key', async (path, allow) => {
    const answer = await only(lines(`OPTIONS ${path} HTTP/1.1`, 'Host: a', open))
    expect(answer).toMatchObject({ status: 204, headers: { allow }, body: '' })
    expect(answer.headers['content-length']).toBeUndefined()
  })

  test('OPTIONS of a path that is not there: 404', async () => {
    expectError((await only(lines('OPTIONS /v1/nothing HTTP/1.1', 'Host: a', open))).body, 404, 'not_found')
  })

  test('OPTIONS * asks whether the server is there: 204', async () => {
    expect((await only(lines('OPTIONS * HTTP/1.1', 'Host: a', open))).status).toBe(204)
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

describe('what is no request', () => {
  const big = 'a'.repeat(20_000)

  test.each([
    ['a line of garbage', 'GARBAGE\r\n\r\n', 400, 'invalid_request'],
    ['bytes of another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'invalid_request'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
    ['a head of 20 kB', `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-A: ${big}\r\n\r\n`, 431, 'headers_too_large'],
    ['a head of 20 kB without an end', `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-A: ${big}`, 431, 'headers_too_large'],
    [
      '20 kB of headers',
      `GET /v1/pets HTTP/1.1\r\n${'X-Abcdef: ghijklmn\r\n'.repeat(1300)}\r\n`,
      431,
      'headers_too_large',
    ],
    ['a target of 20 kB', `GET /v1/pets?x=${big} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
    ['a method of 20 kB', `${'A'.repeat(20_000)} / HTTP/1.1\r\n\r\n`, 400, 'invalid_request'],
  ])('%s is answered as an Error, and the connection is closed', async (_, bytes, status, code) => {
    expectRefusal(await exchange(service.port, Buffer.from(bytes, 'latin1')), status, code)
  })

  test.each([
    ['Content-Length: +27'],
    ['Content-Length: -1'],
    ['Content-Length: 0x1b'],
    ['Content-Length: 2 7'],
    ['Content-Length: 1e1'],
    ['Content-Length: 27,27'],
    ['Content-Length: 27.0'],
    ['Content-Length: 99999999999999999999999'],
    ['Content-Length:'],
    ['Content-Length : 29'],
    ['Content-Length: 29', 'Content-Length: 29'],
    ['Content-Length: 29', 'Content-Length: 30'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: identity', 'Content-Length: 29'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: \x0bchunked'],
    ['Transfer-Encoding : chunked'],
    ['X-A: b\r\n c', 'Content-Length: 29'],
    [' X-A: b', 'Content-Length: 29'],
    ['X A: b', 'Content-Length: 29'],
    ['X-A', 'Content-Length: 29'],
    [': b', 'Content-Length: 29'],
    ['X-A: b\x00c', 'Content-Length: 29'],
    ['X-A: b\rc', 'Content-Length: 29'],
    ['X-\xe9: b', 'Content-Length: 29'],
    ['Host : x', 'Content-Length: 29'],
  ])('the framing %j is refused, and nothing behind it is carried out', async (...headers) => {
    const bytes = `${head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', ...headers)}${rex}`
    const before = await storedNames()
    const answer = await exchange(
      service.port,
      Buffer.from(bytes + post('{"name":"Smuggled","categoryId":1}'), 'latin1'),
    )
    expectRefusal(answer, 400, 'invalid_request')
    expect(await storedNames()).toEqual(before)
  })

  test('lines that end in LF alone are refused', async () => {
    const bytes = post(rex).replaceAll('\r\n', '\n')
    const before = await storedNames()
    expectRefusal(await exchange(service.port, bytes + bytes), 400, 'invalid_request')
    expect(await storedNames()).toEqual(before)
  })

  test.each([
    ['a size that is no number', `zz\r\n${rex}\r\n0\r\n\r\n`],
    ['a size with a prefix', `0x1d\r\n${rex}\r\n0\r\n\r\n`],
    ['a size with a sign', `-1d\r\n${rex}\r\n0\r\n\r\n`],
    ['a size beyond 64 bits', `fffffffffffffffff\r\n${rex}\r\n0\r\n\r\n`],
    ['a chunk that is longer than its size', `1\r\n${rex}\r\n0\r\n\r\n`],
    ['an end of line that is LF alone', `1d\n${rex}\n0\n\n`],
  ])('a chunked body with %s is refused, and nothing behind it is carried out', async (_, body) => {
    const before = await storedNames()
    const start = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')
    const answer = await exchange(service.port, start + body + post('{"name":"Smuggled","categoryId":1}'))
    expectRefusal(answer, 400, 'invalid_request')
    expect(await storedNames()).toEqual(before)
  })

  test('extensions of chunks may be 16 kB long, and not 20', async () => {
    const start = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', open)
    expect((await only(`${start}1d;a=b\r\n${rex}\r\n0\r\n\r\n`)).status).toBe(201)
    const long = await exchange(service.port, `${start}1d;a=${big}\r\n${rex}\r\n0\r\n\r\n`)
    expectRefusal(long, 413, 'payload_too_large')
  })

  test('trailers of 20 kB are refused', async () => {
    const start = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', open)
    const before = await storedNames()
    expectRefusal(
      await exchange(service.port, `${start}1d\r\n${rex}\r\n0\r\nX-A: ${big}\r\n\r\n`),
      431,
      'headers_too_large',
    )
    expect(await storedNames()).toEqual(before)
  })

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'a header and a trailer named %s are nothing special',
    async (name) => {
      expect((await only(head('GET /v1/pets HTTP/1.1', `${name}: x`, open))).status).toBe(200)
      const framing = ['Content-Type: application/json', 'Transfer-Encoding: chunked', `Trailer: ${name}`, open]
      const body = `1d\r\n${rex}\r\n0\r\n${name}: x\r\n\r\n`
      expect((await only(head('POST /v1/pets HTTP/1.1', ...framing) + body)).status).toBe(201)
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )

  test.each(['websocket', 'h2c', 'TLS/1.0'])('an offer to go on in %s is ignored', async (protocol) => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAAQAAP__']
    const { socket, text, until, closed } = talk(service.port, head('GET /v1/pets?limit=1 HTTP/1.1', ...offer))
    await until(/^HTTP\/1\.1 200 OK\r\n[^]*\]$/)
    socket.write(post(rex, ...offer))
    await until(/HTTP\/1\.1 201 Created\r\n[^]*"status":"available"}$/)
    socket.write(lines('GET /v1/pets HTTP/1.1', 'Host: a', ...offer))
    await until(/HTTP\/1\.1 401 Unauthorized\r\n[^]*"status":401}$/)
    expect(text().match(/HTTP\/1\.1 /g)).toHaveLength(3)
    socket.end()
    await closed
  })
})

describe('Expect', () => {
  const announce = (...headers: string[]): string =>
    lines('POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Expect: 100-continue', ...headers)
  const key = (): string => `Authorization: Bearer ${service.key}`

  test.each(['bogus', '200-ok', '100-continued', 'x100-continue'])('%s cannot be met: 417 and close', async (value) => {
    const before = await storedNames()
    expectRefusal(
      await exchange(service.port, post(rex, `Expect: ${value}`), { quietMs: 3000 }),
      417,
      'expectation_failed',
    )
    expect(await storedNames()).toEqual(before)
  })

  test('100-continue is told before the body is sent, when it is wanted', async () => {
    const { socket, text, until } = talk(service.port, announce(key(), `Content-Length: ${rex.length}`, open))
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write(rex)
    await until(/"status":"available"}$/)
    expect(text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  })

  test('a request without a body is not told to continue', async () => {
    const { text, closed } = talk(service.port, head('GET /v1/pets HTTP/1.1', 'Expect: 100-continue', open))
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  test('HTTP/1.0 knows no 100: the expectation is ignored', async () => {
    const bytes = post(rex, 'Expect: 100-continue').replace('HTTP/1.1', 'HTTP/1.0')
    const { text, closed } = talk(service.port, bytes)
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
  })

  test('a body that is not wanted is refused before it is sent, and the connection is closed', async () => {
    const key = `Authorization: Bearer ${service.key}`
    const refused: [status: number, bytes: string][] = [
      [401, announce('Content-Length: 29')],
      [401, announce('Content-Length: 10000000000')],
      [413, announce(key, 'Content-Length: 100001')],
      [415, announce(key, 'Content-Length: 29', 'Content-Encoding: gzip')],
      [415, announce(key, 'Content-Length: 29').replace('application/json', 'text/plain')],
      [404, announce(key, 'Content-Length: 29').replace('/pets', '/nothing')],
      [405, announce(key, 'Content-Length: 29').replace('POST', 'PUT')],
    ]
    await Promise.all(
      refused.map(async ([status, bytes]) => {
        const { text, closed } = talk(service.port, bytes)
        await closed
        expect(text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*"status":${status}}$`))
        expect(text().toLowerCase()).toContain('\r\nconnection: close\r\n')
      }),
    )
  })
})

describe('several requests on a connection', () => {
  test('pipelined requests are answered in their order', async () => {
    const ids = await Promise.all(
      ['P', 'Q'].map(async (name) => {
        const { id } = await service.stores.pets.add({ name, categoryId: 1n, status: 'sold' })
        return String(id)
      }),
    )
    const targets = [ids[0], 'abc', ids[1]].map((id) => `GET /v1/pets/${id ?? ''} HTTP/1.1`)
    const { answers } = await exchange(service.port, targets.map((line) => head(line)).join(''))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200])
    expect(answers.map(({ body }) => /"name":"(.)"/.exec(body)?.[1])).toEqual(['P', undefined, 'Q'])
  })

  test.each([
    ['garbage', 'BAD\r\n\r\n', 400],
    ['a broken Content-Length', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
    ['too large a head', `GET / HTTP/1.1\r\nHost: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['an expectation', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\nx', 417],
  ])(
    'a request before %s is answered whole, then the fault is answered and the connection closed',
    async (_, bad, status) => {
      for (const good of [head('GET /v1/pets/404 HTTP/1.1'), head('GET /v1/pets/404 HTTP/1.1').repeat(3)]) {
        const count = good.length / head('GET /v1/pets/404 HTTP/1.1').length
        const result = await exchange(service.port, good + bad, { quietMs: 3000 })
        expect(statuses(result)).toEqual([...Array.from({ length: count }, () => 404), status])
        expect(result.closed).toBe(true)
        for (const { body, ...answer } of result.answers) expectError(body, answer.status)
      }
    },
  )

  test('an animal that was sent before garbage is stored once and its answer arrives', async () => {
    const { answers, closed } = await exchange(service.port, `${post('{"name":"Once","categoryId":1}')}BAD\r\n\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([201, 400])
    expect(closed).toBe(true)
    expect((await storedNames()).filter((name) => name === 'Once')).toEqual(['Once'])
  })

  test('a slow answer is waited for before garbage behind it is answered', async () => {
    const slow = await startService(roomForStrangers, {
      handlers: {
        ...handlers,
        getPet: async (request, stores) => {
          await sleep(100)
          return handlers.getPet(request, stores)
        },
      },
    })
    const bytes = lines('GET /v1/pets/404 HTTP/1.1', 'Host: a', `Authorization: Bearer ${slow.key}`)
    const result = await exchange(slow.port, `${bytes}BAD\r\n\r\n`)
    expect(statuses(result)).toEqual([404, 400])
    expect(result.closed).toBe(true)
    await slow.stop()
  })
})

describe('the body', () => {
  test('a body that is announced and not wanted is refused at once, while the client is silent', async () => {
    const json = 'Content-Type: application/json'
    const key = `Authorization: Bearer ${service.key}`
    const refused: [status: number, code: string, ...headers: string[]][] = [
      [413, 'payload_too_large', key, json, 'Content-Length: 200000'],
      [413, 'payload_too_large', key, json, 'Content-Length: 100001'],
      [415, 'unsupported_media_type', key, json, 'Content-Length: 203861', 'Content-Encoding: gzip'],
      [415, 'unsupported_media_type', key, 'Content-Length: 200000'],
      [401, 'unauthorized', json, 'Content-Length: 10000000000'],
      [401, 'unauthorized', 'Authorization: Bearer nonsense', 'Content-Length: 10000000000'],
      [401, 'unauthorized', json, 'Transfer-Encoding: chunked'],
    ]
    await Promise.all(
      refused.map(async ([status, code, ...headers]) => {
        const bytes = `${lines('POST /v1/pets HTTP/1.1', 'Host: a', ...headers)}1`
        expectRefusal(await exchange(service.port, bytes, { quietMs: 3000 }), status, code)
      }),
    )
  })

  test.each([300_000, 900_000])('a client that goes on to send %d bytes can read the refusal', async (size) => {
    const framing = ['Content-Type: application/json', `Content-Length: ${size}`]
    const result = await exchange(service.port, head('POST /v1/pets HTTP/1.1', ...framing), {
      quietMs: 3000,
      after: (socket) => socket.write(Buffer.alloc(size, ' ')),
    })
    expectRefusal(result, 413, 'payload_too_large')
  })

  test.each([
    ['with the key', 413, true],
    ['without a key', 401, false],
  ])('a chunked body without end, sent %s, is answered %d and cut', async (_, status, withKey) => {
    const key = withKey ? `Authorization: Bearer ${service.key}` : 'X-No-Key: 1'
    const framing = ['Host: a', key, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
    const { socket, text, until, closed } = talk(service.port, lines('POST /v1/pets HTTP/1.1', ...framing))
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    const pump = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', pump)
    pump()
    await until(/"status":\d+}$/)
    await closed
    expect(text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test('100 000 bytes are read, one more is not', async () => {
    const padded = (size: number): string => rex + ' '.repeat(size - rex.length)
    expect((await only(post(padded(100_000), open))).status).toBe(201)
    expectRefusal(await exchange(service.port, post(padded(100_001)), { quietMs: 3000 }), 413, 'payload_too_large')
    const chunked = (size: number): string =>
      head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', open) +
      `${size.toString(16)}\r\n${padded(size)}\r\n0\r\n\r\n`
    expect((await only(chunked(100_000))).status).toBe(201)
    expectRefusal(await exchange(service.port, chunked(100_001), { quietMs: 3000 }), 413, 'payload_too_large')
  })

  test('a client that closes its half after a request is answered', async () => {
    for (const bytes of [head('GET /v1/pets HTTP/1.1'), post(rex)]) {
      const result = await exchange(service.port, bytes, { after: (socket) => socket.end() })
      expect(statuses(result)).toEqual([bytes.startsWith('GET') ? 200 : 201])
      expect(result.closed).toBe(true)
    }
  })

  test('nothing is stored of a body that a client breaks off, and no fault is logged', async () => {
    const before = await storedNames()
    const half = post('{"name":"Half","categoryId":7}').slice(0, -1)
    const chunked = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')
    for (const bytes of [half, `${chunked}1d\r\n${rex}\r\n`]) {
      const ended = await exchange(service.port, bytes, { after: (socket) => socket.end() })
      expect(statuses(ended).every((status) => status === 400)).toBe(true)
      expect(ended.closed).toBe(true)
      const cut = talk(service.port, bytes)
      cut.socket.once('connect', () => setTimeout(() => cut.socket.resetAndDestroy(), 20))
      await cut.closed
    }
    const gone = talk(service.port, head('GET /v1/pets HTTP/1.1'))
    gone.socket.once('connect', () => setImmediate(() => gone.socket.resetAndDestroy()))
    await gone.closed
    expect((await only(head('GET /v1/pets HTTP/1.1', open))).status).toBe(200)
    expect(await storedNames()).toEqual(before)
    expect(service.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
  })

  test.each([
    ['arrays in an unknown field', `{"name":"A","categoryId":1,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['objects in an unknown field', `{"name":"A","categoryId":1,"x":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`],
    ['arrays in a known field', `{"categoryId":1,"name":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['arrays alone', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['arrays without end', '['.repeat(100_000)],
    ['objects without end', '{"a":'.repeat(20_000)],
  ])('%s, nested many thousand times deep: 400', async (_, body) => {
    const answer = await only(post(body, open))
    expectError(answer.body, 400)
    expect(answer.body.length).toBeLessThan(2000)
  })

  test('a message stays short, whatever is wrong with the request', async () => {
    const fields = Array.from({ length: 8000 }, (_, index) => `"a${index}":1`).join(',')
    const parameters = Array.from({ length: 3000 }, (_, index) => `a${index}=`).join('&')
    for (const bytes of [
      post(`{"name":"A","categoryId":1,${fields}}`, open),
      post(`{${fields}}`, open),
      post(`{"name":"A","categoryId":1,"${'x'.repeat(90_000)}":1}`, open),
      post(`{"name":"A","categoryId":1,"${'\\u0001'.repeat(15_000)}":1}`, open),
      post(`{"name":"A","categoryId":1,"status":"${'x'.repeat(90_000)}"}`, open),
      head(`GET /v1/pets?${parameters.slice(0, 15_000)} HTTP/1.1`, open),
      head(`GET /v1/pets?${'x'.repeat(15_000)}=1 HTTP/1.1`, open),
      head(`GET /v1/pets?status=${'x'.repeat(15_000)} HTTP/1.1`, open),
      head(`GET /v1/pets/${'9'.repeat(15_000)} HTTP/1.1`, open),
      head(`GET /v1/${'x'.repeat(15_000)} HTTP/1.1`, open),
    ]) {
      const answer = await only(bytes)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(405)
      expect(answer.body.length).toBeLessThan(2000)
    }
  })

  test('a body of keys that look like array indices is refused like any other', async () => {
    const fields = Array.from({ length: 7000 }, (_, index) => `"${(index + 1) * 65_536}":1`)
    expectError((await only(post(`{${fields.join(',')}}`, open))).body, 400, 'invalid_request')
  })
})

describe('Content-Type', () => {
  const send = (...headers: string[]): Promise<RawAnswer> =>
    only(head('POST /v1/pets HTTP/1.1', ...headers, `Content-Length: ${rex.length}`, open) + rex)

  test.each([
    ['application/json'],
    ['APPLICATION/JSON'],
    ['Application/Json;Charset=UTF-8'],
    ['application/json ; charset=utf-8'],
    ['application/json;charset=utf-8'],
    ['application/json;\tcharset=utf-8'],
    ['application/json;'],
    ['application/json; charset="UTF-8"'],
    ['application/json; charset="utf-8"'],
    ['application/json; charset=utf8'],
    ['application/json; charset=UTF8'],
    ['application/json; version=1'],
    ['application/json;version=1 ; q="a;b";charset=utf-8'],
    [String.raw`application/json; a="x\"; charset=utf-16"`],
  ])('%j is JSON in UTF-8', async (type) => {
    expect((await send(`Content-Type: ${type}`)).status).toBe(201)
  })

  test.each([
    [[]],
    [['']],
    [['text/plain']],
    [['text/json']],
    [['application/x-www-form-urlencoded']],
    [['multipart/form-data; boundary=x']],
    [['application/jsonx']],
    [['application/json5']],
    [['application/problem+json']],
    [['application/json, text/plain']],
    [['application/json application/json']],
    [['json']],
    [['*/*']],
    [['application/*']],
    [['application/json\t;x']],
    [['application/json; x']],
    [['application/json; charset']],
    [['application/json; charset=']],
    [['application/json; charset=utf-7']],
    [['application/json; charset=utf-16']],
    [['application/json; charset=utf-16le']],
    [['application/json; charset=utf-32']],
    [['application/json; charset=iso-8859-1']],
    [['application/json; charset="utf-7"']],
    [['application/json; charset="utf-8']],
    [['application/json; charset="utf-8"x']],
    [['application/json; q="a;b"; charset=utf-16']],
    [['application/json; charset=utf-8; charset=utf-16']],
    [['application/json; charset=utf-16; charset=utf-8']],
    [['application/json', 'application/json']],
    [['application/json', 'text/plain']],
    [['text/plain', 'application/json']],
  ])('%j is not: 415', async (types) => {
    const before = await storedNames()
    const answer = await send(...types.map((type) => `Content-Type: ${type}`))
    expectError(answer.body, 415, 'unsupported_media_type')
    expect(await storedNames()).toEqual(before)
  })

  test.each([
    ['gzip', gzipSync(rex)],
    ['GZIP', gzipSync(rex)],
    ['gzip', gzipSync(rex).subarray(0, 10)],
    ['gzip', Buffer.concat([gzipSync(rex), Buffer.from('junk')])],
    ['gzip', Buffer.from(rex)],
    ['gzip', gzipSync(Buffer.alloc(50_000_000, ' '))],
    ['gzip, gzip', gzipSync(gzipSync(rex))],
    ['deflate', Buffer.from(rex)],
    ['br', Buffer.from(rex)],
    ['zstd', Buffer.from(rex)],
    ['identity', Buffer.from(rex)],
    ['', Buffer.from(rex)],
  ])('a Content-Encoding, here %j, is refused: 415', async (encoding, body) => {
    const framing = ['Content-Type: application/json', `Content-Length: ${body.length}`, open]
    const start = head('POST /v1/pets HTTP/1.1', `Content-Encoding: ${encoding}`, ...framing)
    expectError((await only(Buffer.concat([Buffer.from(start), body]))).body, 415, 'unsupported_media_type')
  })

  test.each([
    ['a byte that begins nothing', Buffer.from([0xff, 0xfe, 0xc3, 0x28])],
    ['a sequence that is cut off', Buffer.from([0xc3])],
    ['a stray continuation', Buffer.from([0x80])],
    ['an overlong slash', Buffer.from([0xc0, 0xaf])],
    ['an overlong NUL', Buffer.from([0xc0, 0x80])],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
    ['a pair of surrogates', Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80])],
    ['a code point beyond the last', Buffer.from([0xf4, 0x90, 0x80, 0x80])],
  ])('%s is no UTF-8: 400', async (_, bytes) => {
    const before = await storedNames()
    const body = Buffer.concat([Buffer.from('{"categoryId":1,"name":"a'), bytes, Buffer.from('b"}')])
    const framing = ['Content-Type: application/json', `Content-Length: ${body.length}`, open]
    const answer = await only(Buffer.concat([Buffer.from(head('POST /v1/pets HTTP/1.1', ...framing)), body]))
    expectError(answer.body, 400, 'invalid_json')
    expect(await storedNames()).toEqual(before)
  })

  test('a byte order mark before the body is skipped', async () => {
    expect((await only(post(`\ufeff${rex}`, open))).status).toBe(201)
  })

  test.each([
    ['white space', '   '],
    ['line breaks', '\r\n\t'],
    ['nothing', ''],
    ['a byte order mark alone', '\ufeff'],
    ['two byte order marks', `\ufeff\ufeff${rex}`],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['true', 'true'],
    ['an array', '[]'],
    ['an array of animals', `[${rex}]`],
    ['two objects', `${rex}${rex}`],
    ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
    ['single quotes', "{'name':'Rex','categoryId':7}"],
    ['a comment', `/* */${rex}`],
    ['a raw line break in a string', '{"name":"R\nx","categoryId":7}'],
    ['an unknown escape', '{"name":"R\\x","categoryId":7}'],
    ['a form feed between tokens', `\f${rex}`],
    ['a no-break space between tokens', `\u00a0${rex}`],
  ])('a body of %s is no animal: 400', async (_, body) => {
    const answer = await only(post(body, open))
    expectError(answer.body, 400)
    expect(answer.body).toContain('body')
  })

  test('a chunked body of zero bytes is no animal: 400', async () => {
    const framing = ['Content-Type: application/json', 'Transfer-Encoding: chunked', open]
    expectError((await only(`${head('POST /v1/pets HTTP/1.1', ...framing)}0\r\n\r\n`)).body, 400)
  })

  test('no body at all is no animal: 400, whatever its type', async () => {
    for (const headers of [[], ['Content-Length: 0'], ['Content-Type: text/plain']]) {
      const answer = await only(head('POST /v1/pets HTTP/1.1', ...headers, open))
      expectError(answer.body, 400, 'invalid_request')
    }
  })

  test('no answer and no log line quotes a body', async () => {
    for (const body of ['{"apiKey":"sk-SECRET-123", oops', '{"name":"sk-SECRET-123","categoryId":"sk-SECRET-123"}']) {
      expect((await only(post(body, open))).body).not.toContain('SECRET')
    }
    expect(JSON.stringify(service.logged)).not.toContain('SECRET')
  })

  test('Accept does not matter: the answer is JSON', async () => {
    for (const accept of ['application/xml', 'text/html', 'application/json;q=0', 'nonsense', '']) {
      const answer = await only(head('GET /v1/pets HTTP/1.1', `Accept: ${accept}`, open))
      expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    }
  })

  test('a body of GET is ignored', async () => {
    for (const headers of [['Content-Type: application/json'], ['Content-Encoding: gzip'], []]) {
      const bytes = `${head('GET /v1/pets?limit=1 HTTP/1.1', ...headers, 'Content-Length: 1')}{`
      expect((await only(bytes)).status).toBe(200)
    }
  })
})

describe('X-Request-Id', () => {
  const ask = (...headers: string[]): Promise<RawAnswer> => only(head('GET /v1/pets HTTP/1.1', ...headers, open))

  test.each(['a', 'abc-DEF_1.2', '0f8fad5b-d9cb-469f-a165-70867728950e', 'x'.repeat(64)])(
    '%s is taken over',
    async (id) => {
      expect((await ask(`X-Request-Id: ${id}`)).headers['x-request-id']).toBe(id)
    },
  )

  test.each([
    'x'.repeat(65),
    '',
    'a b',
    'a\tb',
    'a"b',
    'a/b',
    'a,b',
    '{"level":50}',
    '\x1b[31m',
    'a\x7fb',
    '\xc3\xa9',
    '%0a',
  ])('%j is not safe and is replaced', async (id) => {
    const bytes = Buffer.from(head('GET /v1/pets HTTP/1.1', `X-Request-Id: ${id}`, open), 'latin1')
    const { answers } = await exchange(service.port, bytes)
    const given = answers[0]?.headers['x-request-id']
    expect(given).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    expect(given).not.toBe(id)
  })

  test('two are replaced', async () => {
    const { headers } = await ask('X-Request-Id: a', 'X-Request-Id: b')
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{2,64}$/)
  })

  test('is made for every request, and is taken over by refusals and by pages', async () => {
    const ids = await Promise.all([ask(), ask(), only('BAD\r\n\r\n'), only('BAD\r\n\r\n')])
    expect(new Set(ids.map(({ headers }) => headers['x-request-id'])).size).toBe(4)
    for (const line of ['GET /v1/nothing HTTP/1.1', 'GET /livez HTTP/1.1', 'OPTIONS * HTTP/1.1']) {
      const answer = await only(lines(line, 'Host: a', 'X-Request-Id: mine', open))
      expect(answer.headers['x-request-id']).toBe('mine')
    }
  })
})

describe('time', () => {
  const timeouts = { headers: 200, request: 500, stalled: 1000, keepAlive: 1000 }
  let quick: TestService
  beforeAll(async () => {
    quick = await startService(roomForStrangers, { timeouts })
  })
  afterAll(() => quick.stop())

  const request = (...headers: string[]): string =>
    lines('GET /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${quick.key}`, ...headers)

  test.each([
    ['a line of HTTP/0.9', 'GET /v1/pets\r\n'],
    ['half a line', 'GET /v1'],
    ['a head without an end', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n'],
  ])('%s, and then silence: 408 and close', async (_, bytes) => {
    expectRefusal(await exchange(quick.port, bytes, { quietMs: 5000 }), 408, 'request_timeout')
  })

  test('a connection on which nothing is ever sent is closed', async () => {
    const { closed } = talk(quick.port)
    await closed
  })

  test('heads that arrive a byte at a time get 408, while others are answered', async () => {
    const slow = Array.from({ length: 50 }, () => talk(quick.port, 'GET /v1/pets HTTP/1.1\r\n'))
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write('X')
    }, 50)
    expect(statuses(await exchange(quick.port, request(open)))).toEqual([200])
    await Promise.all(slow.map(({ closed }) => closed))
    clearInterval(drip)
    for (const { text } of slow) expect(text()).toMatch(/^HTTP\/1\.1 408 [^]*"status":408}$/)
  })

  test('a body that arrives a byte at a time gets 408', async () => {
    const framing = ['Content-Type: application/json', 'Content-Length: 100']
    const { socket, text, closed } = talk(quick.port, request(...framing).replace('GET', 'POST'))
    const drip = setInterval(() => {
      if (!socket.destroyed) socket.write(' ')
    }, 50)
    await closed
    clearInterval(drip)
    expect(text()).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"[^]*"status":408}$/)
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('a connection may be idle between requests for longer than a head may take', async () => {
    const { socket, text, until, closed } = talk(quick.port, request())
    await until(/\[\]$/)
    await sleep(700)
    expect(socket.destroyed).toBe(false)
    socket.write(request(open))
    await closed
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  test('a connection that stays idle is closed without an answer', async () => {
    const { text, closed } = talk(quick.port, request())
    await closed
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('by default a head has 10 s, a request 30 s, and idle connections outlive the 60 s of common proxies', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = service.server
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 10_000, requestTimeout: 30_000 })
    expect(keepAliveTimeout).toBeGreaterThan(60_000)
  })
})
