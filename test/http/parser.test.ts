import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, expectRefusal, lines, rawRequests, rex, roomForStrangers } from '../support/raw.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only, post, storedNames } = rawRequests(() => service)

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
      { quietMs: 3000 },
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
    const start = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', close)
    expect((await only(`${start}1d;a=b\r\n${rex}\r\n0\r\n\r\n`)).status).toBe(201)
    const long = await exchange(service.port, `${start}1d;a=${big}\r\n${rex}\r\n0\r\n\r\n`)
    expectRefusal(long, 413, 'payload_too_large')
  })

  test('trailers of 20 kB are refused', async () => {
    const start = head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', close)
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
      expect((await only(head('GET /v1/pets HTTP/1.1', `${name}: x`, close))).status).toBe(200)
      const framing = ['Content-Type: application/json', 'Transfer-Encoding: chunked', `Trailer: ${name}`, close]
      const body = `1d\r\n${rex}\r\n0\r\n${name}: x\r\n\r\n`
      expect((await only(head('POST /v1/pets HTTP/1.1', ...framing) + body)).status).toBe(201)
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )

  test.each(['websocket', 'h2c', 'TLS/1.0'])(
    'an offer to go on in %s is ignored, and nothing behind it is carried out',
    async (protocol) => {
      const offer = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAAQAAP__']
      const before = await storedNames()
      for (const [request, status] of [
        [head('GET /v1/pets?limit=1 HTTP/1.1', ...offer), 200],
        [post(rex, ...offer), 201],
        [lines('GET /v1/pets HTTP/1.1', 'Host: a', ...offer), 401],
      ] as const) {
        const { answers, closed } = await exchange(service.port, request + post('{"name":"Behind","categoryId":1}'), {
          quietMs: 3000,
        })
        expect(answers.map((answer) => answer.status)).toEqual([status])
        expect(answers[0]?.headers.connection).toBe('close')
        expect(closed).toBe(true)
      }
      expect(await storedNames()).toEqual([...before, 'Rex'])
    },
  )

  test.each([
    ['HTTP/1.0 with a coding', 'POST /v1/pets HTTP/1.0', ['Transfer-Encoding: chunked']],
    ['a coding before chunked', 'POST /v1/pets HTTP/1.1', ['Transfer-Encoding: gzip, chunked']],
    ['an empty coding beside a length', 'POST /v1/pets HTTP/1.1', ['Transfer-Encoding:', 'Content-Length: 29']],
    ['HTTP/2.0', 'POST /v1/pets HTTP/2.0', ['Content-Length: 29']],
    ['HTTP/0.9', 'POST /v1/pets HTTP/0.9', ['Content-Length: 29']],
  ])('%s is read by others in another way: 400, and nothing is carried out', async (_, line, headers) => {
    const before = await storedNames()
    const bytes = head(line, 'Content-Type: application/json', ...headers) + rex + post(rex)
    expectRefusal(await exchange(service.port, bytes, { quietMs: 3000 }), 400)
    expect(await storedNames()).toEqual(before)
  })

  test.each(['a b', 'a, b', 'a@b', 'a/b', 'a:b', '[::1', 'a\\b', '<a>'])('the Host %j is none: 400', async (host) => {
    const result = await exchange(service.port, lines('GET /v1/pets HTTP/1.1', `Host: ${host}`), { quietMs: 3000 })
    expectRefusal(result, 400, 'invalid_request')
  })

  test.each(['a', 'a:80', 'a.example:', '127.0.0.1:8080', '[::1]', '[2001:db8::1]:443', ''])(
    'the Host %j is read',
    async (host) => {
      const { answers } = await exchange(service.port, lines('GET /v1/pets HTTP/1.1', `Host: ${host}`, close))
      expect(answers.map(({ status }) => status)).toEqual([401])
    },
  )

  test('a client that goes on sending after garbage gets to read its answer', async () => {
    for (let round = 0; round < 20; round += 1) {
      const garbage = `BAD\r\n\r\n${'x'.repeat(100_000)}`
      const { answers } = await exchange(service.port, garbage, {
        quietMs: 3000,
        after: (socket) => {
          for (let part = 0; part < 5; part += 1) socket.write('y'.repeat(50_000))
        },
      })
      expect(answers.map(({ status }) => status)).toEqual([400])
    }
  })
})
