import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, expectRefusal, lines, rawRequests, rex, roomForStrangers, statuses } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'
import { talk } from '../support/talk.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only, post, storedNames } = rawRequests(() => service)

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
    const { socket, text, until } = talk(service.port, announce(key(), `Content-Length: ${rex.length}`, close))
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write(rex)
    await until(/"status":"available"}$/)
    expect(text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  })

  test('a request without a body is not told to continue', async () => {
    const { text, closed } = talk(service.port, head('GET /v1/pets HTTP/1.1', 'Expect: 100-continue', close))
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
    expect((await only(post(padded(100_000), close))).status).toBe(201)
    expectRefusal(await exchange(service.port, post(padded(100_001)), { quietMs: 3000 }), 413, 'payload_too_large')
    const chunked = (size: number): string =>
      head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', close) +
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
    expect((await only(head('GET /v1/pets HTTP/1.1', close))).status).toBe(200)
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
    const answer = await only(post(body, close))
    expectError(answer.body, 400)
    expect(answer.body.length).toBeLessThan(2000)
  })

  test('a message stays short, whatever is wrong with the request', async () => {
    const fields = Array.from({ length: 8000 }, (_, index) => `"a${index}":1`).join(',')
    const parameters = Array.from({ length: 3000 }, (_, index) => `a${index}=`).join('&')
    for (const bytes of [
      post(`{"name":"A","categoryId":1,${fields}}`, close),
      post(`{${fields}}`, close),
      post(`{"name":"A","categoryId":1,"${'x'.repeat(90_000)}":1}`, close),
      post(`{"name":"A","categoryId":1,"${'\\u0001'.repeat(15_000)}":1}`, close),
      post(`{"name":"A","categoryId":1,"status":"${'x'.repeat(90_000)}"}`, close),
      head(`GET /v1/pets?${parameters.slice(0, 15_000)} HTTP/1.1`, close),
      head(`GET /v1/pets?${'x'.repeat(15_000)}=1 HTTP/1.1`, close),
      head(`GET /v1/pets?status=${'x'.repeat(15_000)} HTTP/1.1`, close),
      head(`GET /v1/pets/${'9'.repeat(15_000)} HTTP/1.1`, close),
      head(`GET /v1/${'x'.repeat(15_000)} HTTP/1.1`, close),
    ]) {
      const answer = await only(bytes)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(405)
      expect(answer.body.length).toBeLessThan(2000)
    }
  })

  test('a body of keys that look like array indices is refused like any other', async () => {
    const fields = Array.from({ length: 7000 }, (_, index) => `"${(index + 1) * 65_536}":1`)
    expectError((await only(post(`{${fields.join(',')}}`, close))).body, 400, 'invalid_request')
  })
})
