/** What a connection sends, and what becomes of it. */
export interface Attack {
  name: string
  /** The bytes, in the pieces in which they are sent. */
  pieces: Buffer[]
  /** Whether the client waits for an answer, closes, or resets the connection when all is sent. */
  then: 'wait' | 'close' | 'reset'
}

type Random = () => number

const crlf = '\r\n'

/** A request that is valid, and answered 200. */
export function listRequest(key: string, ...more: string[]): string {
  return [`GET /v1/pets?limit=1 HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, ...more, '', ''].join(crlf)
}

function post(key: string, headers: readonly string[], body: string): string {
  const type = 'Content-Type: application/json'
  return ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, type, ...headers, '', body].join(crlf)
}

const body = '{"name":"Fuzz","categoryId":7}'
const sized = `Content-Length: ${body.length}`
const chunked = 'Transfer-Encoding: chunked'

/** Each kind of attack makes its bytes; none of them is a request that adds an animal. */
const kinds: Record<string, (key: string, random: Random) => string | Buffer> = {
  bytes: (_, random) =>
    Buffer.from(Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 256))),
  'a broken head': (key, random) =>
    pick(random, [
      'GET',
      'GET /v1/pets',
      `GET /v1/pets${crlf}${crlf}`,
      `GET /v1/pets HTTP/3.7${crlf}Host: a${crlf}${crlf}`,
      `GET  /v1/pets HTTP/1.1${crlf}Host: a${crlf}${crlf}`,
      `GET /v1/pets HTTP/1.1${crlf}Host a${crlf}${crlf}`,
      `GET /v1/pets HTTP/1.1${crlf}Host: a${crlf}X: \u0000${crlf}${crlf}`,
      `GET /v1/pets HTTP/1.1${crlf}Host: a${crlf} folded: 1${crlf}${crlf}`,
      `GET /v1/pets HTTP/1.1\nHost: a\n\n`,
      `GET /v1/pets HTTP/1.1${crlf}Host: a${crlf}Host: b${crlf}${crlf}`,
      `GET /v1/pets HTTP/1.1${crlf}${crlf}`,
      listRequest(key, `X-Long: ${'a'.repeat(20_000)}`),
      listRequest(key, ...Array.from({ length: 900 }, (_, index) => `X-${index}: 1`)),
    ]),
  'an odd method': (key, random) => {
    const method = pick(random, ['FOO', 'get', 'TRACE', 'CONNECT', 'PROPFIND', 'PRI', 'M-SEARCH', 'OPTIONS', 'QUERY'])
    const target = pick(random, ['/v1/pets', '*', 'a:443', 'http://b/v1/pets', '//', '/v1/%', '/v1/pets#a', '/\u0001'])
    return [`${method} ${target} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, '', ''].join(crlf)
  },
  'a wrong length': (key, random) =>
    post(
      key,
      [`Content-Length: ${pick(random, ['-1', '1e3', '0x10', '99999999999999999999', '40', '5, 6', ''])}`],
      body,
    ),
  'two lengths': (key, random) =>
    post(
      key,
      pick(random, [
        [sized, chunked],
        [sized, 'Content-Length: 3'],
        [chunked, chunked],
      ]),
      body,
    ),
  'a wrong chunk': (key, random) =>
    post(
      key,
      [chunked],
      pick(random, [
        `zz${crlf}${body}${crlf}0${crlf}${crlf}`,
        `ffffffffffffffff${crlf}`,
        `5${crlf}abcdefgh${crlf}0${crlf}${crlf}`,
        `5;${'x'.repeat(20_000)}${crlf}abcde${crlf}`,
        `1${crlf}{${crlf}`,
        `0${crlf}Trailer${crlf}${crlf}`,
        `-5${crlf}abcde${crlf}`,
      ]),
    ),
  'an odd encoding': (key, random) =>
    post(
      key,
      pick(random, [
        [sized, 'Content-Encoding: gzip'],
        [sized, 'Content-Encoding: br, identity'],
        ['Transfer-Encoding: gzip, chunked'],
        ['Transfer-Encoding: identity'],
        [sized, 'Expect: 200-nothing'],
      ]),
      body,
    ),
  'a wrong body': (key, random) => {
    const wrong = pick(random, [
      ...['{', '[]', '{"name":7}', '\u0000', '"\\ud800"', '{"name":"a","name":"b","categoryId":1}', 'null', '1e999999'],
      ...['['.repeat(3000), `{"name":"${'a'.repeat(5000)}","categoryId":1}`, '{"__proto__":{},"name":"a"}'],
    ])
    return post(key, [`Content-Length: ${Buffer.byteLength(wrong)}`], wrong)
  },
  'half a request': (key, random) => {
    const whole = post(key, [sized], body)
    return whole.slice(0, 1 + Math.floor(random() * (whole.length - 2)))
  },
  'a spoilt request': (key, random) => {
    const bytes = Buffer.from(listRequest(key))
    for (let count = 0; count < 1 + random() * 4; count += 1) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    }
    return bytes
  },
  'an upgrade': (key, random) =>
    pick(random, [
      listRequest(key, 'Connection: Upgrade', 'Upgrade: websocket'),
      listRequest(key, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000\u0001',
    ]),
  'requests before a broken one': (key) => listRequest(key).repeat(3) + 'GET / HTTP/9' + crlf + crlf,
  'more requests than are answered': (key) => listRequest(key).repeat(40),
}

const names = Object.keys(kinds)

export function attack(key: string, random: Random): Attack {
  const name = pick(random, names)
  const made = kinds[name]?.(key, random) ?? ''
  const bytes = typeof made === 'string' ? Buffer.from(made, 'latin1') : made
  const cut = Math.floor(random() * bytes.length)
  const pieces = random() < 0.3 ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes]
  return { name, pieces, then: pick(random, ['wait', 'close', 'close', 'reset']) }
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}
