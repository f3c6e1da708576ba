import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, rawRequests, rex, roomForStrangers, type RawAnswer } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only, post, storedNames } = rawRequests(() => service)

describe('Content-Type', () => {
  const send = (...headers: string[]): Promise<RawAnswer> =>
    only(head('POST /v1/pets HTTP/1.1', ...headers, `Content-Length: ${rex.length}`, close) + rex)

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
    ['', Buffer.from(rex)],
  ])('a Content-Encoding, here %j, is refused: 415', async (encoding, body) => {
    const framing = ['Content-Type: application/json', `Content-Length: ${body.length}`, close]
    const start = head('POST /v1/pets HTTP/1.1', `Content-Encoding: ${encoding}`, ...framing)
    const answer = await only(Buffer.concat([Buffer.from(start), body]))
    expectError(answer.body, 415, 'unsupported_media_type')
    // RFC 9110 section 15.5.16
    expect(answer.headers['accept-encoding']).toBe('identity')
  })

  test('the Content-Encoding identity is none', async () => {
    expect((await only(post(rex, 'Content-Encoding: identity', close))).status).toBe(201)
  })

  test('an empty body in chunks is no body', async () => {
    const chunked = ['Transfer-Encoding: chunked', close]
    const none = await only(`${head('POST /v1/pets HTTP/1.1', ...chunked)}0\r\n\r\n`)
    expectError(none.body, 400, 'invalid_request')
    expect(none.body).toContain('A body is required')
    const some = await only(`${head('POST /v1/pets HTTP/1.1', ...chunked)}2\r\n{}\r\n0\r\n\r\n`)
    expectError(some.body, 415, 'unsupported_media_type')
  })

  test('a GET with an empty body in chunks keeps its connection', async () => {
    const get = `${head('GET /v1/pets/404 HTTP/1.1', 'Transfer-Encoding: chunked')}0\r\n\r\n`
    const { answers } = await exchange(service.port, get.repeat(3))
    expect(answers.map(({ status, headers }) => [status, headers.connection ?? 'keep-alive'])).toEqual(
      Array.from({ length: 3 }, () => [404, 'keep-alive']),
    )
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
    const framing = ['Content-Type: application/json', `Content-Length: ${body.length}`, close]
    const answer = await only(Buffer.concat([Buffer.from(head('POST /v1/pets HTTP/1.1', ...framing)), body]))
    expectError(answer.body, 400, 'invalid_json')
    expect(await storedNames()).toEqual(before)
  })

  test('a byte order mark before the body is skipped', async () => {
    expect((await only(post(`\ufeff${rex}`, close))).status).toBe(201)
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
    const answer = await only(post(body, close))
    expectError(answer.body, 400)
    expect(answer.body).toContain('body')
  })

  test('a chunked body of zero bytes is no animal: 400', async () => {
    const framing = ['Content-Type: application/json', 'Transfer-Encoding: chunked', close]
    expectError((await only(`${head('POST /v1/pets HTTP/1.1', ...framing)}0\r\n\r\n`)).body, 400)
  })

  test('no body at all is no animal: 400, whatever its type', async () => {
    for (const headers of [[], ['Content-Length: 0'], ['Content-Type: text/plain']]) {
      const answer = await only(head('POST /v1/pets HTTP/1.1', ...headers, close))
      expectError(answer.body, 400, 'invalid_request')
    }
  })

  test('no answer and no log line quotes a body', async () => {
    for (const body of ['{"apiKey":"sk-SECRET-123", oops', '{"name":"sk-SECRET-123","categoryId":"sk-SECRET-123"}']) {
      expect((await only(post(body, close))).body).not.toContain('SECRET')
    }
    expect(JSON.stringify(service.logged)).not.toContain('SECRET')
  })

  test('Accept does not matter: the answer is JSON', async () => {
    for (const accept of ['application/xml', 'text/html', 'application/json;q=0', 'nonsense', '']) {
      const answer = await only(head('GET /v1/pets HTTP/1.1', `Accept: ${accept}`, close))
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
