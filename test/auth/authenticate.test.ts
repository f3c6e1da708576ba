import { readdirSync, readFileSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { authenticator } from '../../src/auth/authenticate.ts'
import { digestOf, isKey, newKey, newRecord } from '../../src/auth/key.ts'
import type { Key, KeyStore } from '../../src/store/store.ts'
import { close, exchange, lines, roomForStrangers, type RawAnswer } from '../support/raw.ts'
import { checkEveryAnswer, expectError, startService, type TestService } from '../support/service.ts'

/** Unix time in ms, as the service sees it. */
let now = 1_800_000_000_000
let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers, { now: () => now })
})
afterAll(() => service.stop())

/** Sends a request with these header lines, in which `$K` stands for the key. */
async function ask(headers: readonly string[], line = 'GET /v1/pets HTTP/1.1', body = ''): Promise<RawAnswer> {
  const own = headers.map((header) => header.replaceAll('$K', service.key))
  const bytes = Buffer.from(lines(line, 'Host: a', close, ...own) + body, 'latin1')
  const { answers } = await exchange(service.port, bytes, { quietMs: 10_000 })
  expect(answers).toHaveLength(1)
  const answer = answers[0] as RawAnswer
  checkEveryAnswer({ ...answer, text: answer.body })
  return answer
}

const oneText =
  '{"code":"unauthorized","message":"A valid API key is needed, sent as \\"Authorization: Bearer <API_KEY>\\".","status":401}'

function expectUnauthorized({ status, headers, body }: RawAnswer): void {
  expectError(body, 401, 'unauthorized')
  expect({ status, challenge: headers['www-authenticate'], body }).toEqual({
    status: 401,
    challenge: 'Bearer',
    body: oneText,
  })
}

describe('a key', () => {
  test.each([
    'Authorization: Bearer $K',
    'Authorization: bearer $K',
    'Authorization: BEARER $K',
    'Authorization: bEaReR $K',
    'authorization: Bearer $K',
    'AUTHORIZATION: Bearer $K',
    'Authorization:Bearer $K',
    'Authorization:   Bearer $K',
    'Authorization: Bearer  $K',
    'Authorization: Bearer     $K',
    'Authorization: Bearer $K ',
    'Authorization: Bearer $K   ',
    'Authorization: Bearer $K\t',
  ])('is taken from %j', async (header) => {
    expect((await ask([header])).status).toBe(200)
  })

  test.each([
    'Authorization: Basic $K',
    'Authorization: Token $K',
    'Authorization: Digest $K',
    'Authorization: ApiKey $K',
    'Authorization: $K',
    'Authorization: n1 Bearer $K',
    'Authorization: Bearer Bearer $K',
    'Authorization: Bearer$K',
    'Authorization: Bearer:$K',
    'Authorization: Bearer: $K',
    'Authorization: Bearer=$K',
    'Authorization: Bearer, $K',
    'Authorization: XBearer $K',
    'Authorization: Bearers $K',
    'Authorization: Bearer\t$K',
    'Authorization: Bearer \t$K',
    'Authorization: Bearer \xa0$K',
    'Authorization:',
    'Authorization: ',
    'Authorization: Bearer',
    'Authorization: Bearer ',
    'Authorization: Bearer    ',
    'Authorization: Bearer "$K"',
    "Authorization: Bearer '$K'",
    'Authorization: Bearer <$K>',
    'Authorization: "Bearer $K"',
    'Authorization: Bearer $K extra',
    'Authorization: Bearer $K,',
    'Authorization: Bearer $K, Bearer nope',
    'Authorization: Bearer nope, Bearer $K',
    'Authorization: Bearer $K, Bearer $K',
    'Authorization: Bearer $K;',
    'Authorization: Bearer $K=',
    'Authorization: Bearer $K\xe9',
    'Authorization: Bearer k\xc3\xa9y',
    'Authorization: Bearer token=$K',
    'Authorization: Bearer $K$K',
    'X-Api-Key: $K',
    'X-Authorization: Bearer $K',
    'Proxy-Authorization: Bearer $K',
    'Cookie: Authorization=Bearer $K',
  ])('is not taken from %j', async (header) => {
    expectUnauthorized(await ask([header]))
  })

  test.each([
    ['good and bad', ['Authorization: Bearer $K', 'Authorization: Bearer nope']],
    ['bad and good', ['Authorization: Bearer nope', 'Authorization: Bearer $K']],
    ['good twice', ['Authorization: Bearer $K', 'Authorization: Bearer $K']],
    ['good twice, in other letter case', ['Authorization: Bearer $K', 'aUTHORIZATION: Bearer $K']],
    ['good and empty', ['Authorization: Bearer $K', 'Authorization:']],
    ['empty and good', ['Authorization:', 'Authorization: Bearer $K']],
    ['good and Basic', ['Authorization: Bearer $K', 'Authorization: Basic eDp5']],
    [
      'good and bad, far apart',
      ['Authorization: Bearer $K', ...Array.from({ length: 2100 }, () => 'x:'), 'Authorization: Bearer nope'],
    ],
  ])('is not taken from two headers: %s', async (_, headers) => {
    expect((await ask(headers)).status).toBe(401)
  })

  test('is not taken from the address or the body', async () => {
    for (const name of ['api_key', 'access_token', 'key', 'token', 'Authorization']) {
      expectUnauthorized(await ask([], `GET /v1/pets?${name}=${service.key} HTTP/1.1`))
    }
    expectUnauthorized(await ask([], `GET http://${service.key}@a/v1/pets HTTP/1.1`))
    const form = `access_token=${service.key}`
    const framing = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`]
    expectUnauthorized(await ask(framing, 'POST /v1/pets HTTP/1.1', form))
  })

  test.each([
    ['one character', 'x'],
    ['a key of the right shape and a wrong checksum', `ak_${'A'.repeat(49)}`],
    ['the right length in UTF-16 units', `ak_${'\xe2\x82\xac'.repeat(49)}`],
    ['15 kB', 'k'.repeat(15_000)],
    ['15 kB of key characters', `ak_${'A'.repeat(15_000)}`],
    ['15 kB of spaces', ' '.repeat(15_000)],
    ['15 kB of padding', '= '.repeat(7_500)],
    ['SQL', "'OR'1'='1"],
    ['a digest', digestOf('x').toString('hex')],
  ])('that is %s is answered like any other wrong one', async (_, token) => {
    expectUnauthorized(await ask([`Authorization: Bearer ${token}`]))
  })

  test('that is unknown, revoked or missing gets one answer, whatever else is wrong', async () => {
    const { key: revoked, record } = await service.addKey()
    await service.stores.keys.revoke(record.id, { at: now, by: 'a test' })
    for (const header of ['X-None: 1', `Authorization: Bearer ${newKey()}`, `Authorization: Bearer ${revoked}`]) {
      expectUnauthorized(await ask([header]))
      expectUnauthorized(await ask([header], 'GET /v1/nothing HTTP/1.1'))
      expectUnauthorized(await ask([header], 'GET /v1/pets/abc HTTP/1.1'))
      expectUnauthorized(await ask([header], 'GET /v1/pets?limit=0 HTTP/1.1'))
      expectUnauthorized(await ask([header], 'DELETE /v1/pets HTTP/1.1'))
      const framing = ['Content-Type: application/json', 'Content-Length: 5']
      expectUnauthorized(await ask([header, ...framing], 'POST /v1/pets HTTP/1.1', '{oops'))
      expectUnauthorized(await ask([header, 'Content-Length: 5'], 'POST /v1/pets HTTP/1.1', '{oops'))
    }
  })

  test('works as soon as it is stored, also when it was refused before', async () => {
    const key = newKey()
    expect((await ask([`Authorization: Bearer ${key}`])).status).toBe(401)
    await service.stores.keys.add(plain(), digestOf(key), 'a test')
    expect((await ask([`Authorization: Bearer ${key}`])).status).toBe(200)
  })

  test('that is revoked is refused within 2 seconds, also where it is cached', async () => {
    const { key, record } = await service.addKey()
    const status = async (): Promise<number> => (await ask([`Authorization: Bearer ${key}`])).status
    expect(await status()).toBe(200)
    await service.stores.keys.revoke(record.id, { at: now, by: 'a test' })
    now += 2000
    expect(await status()).toBe(401)
    // a clock that is set back does not make the key valid again
    now -= 3_600_000
    expect(await status()).toBe(401)
    now += 3_600_000
    expect(await status()).toBe(401)
  })

  test('that is asked for all the time is refused within 2 seconds as well', async () => {
    const { key, record } = await service.addKey()
    const status = async (): Promise<number> => (await ask([`Authorization: Bearer ${key}`])).status
    expect(await status()).toBe(200)
    await service.stores.keys.revoke(record.id, { at: now, by: 'a test' })
    const seen: number[] = []
    for (const end = now + 2000; now < end; now += 250) seen.push(await status())
    expect(await status()).toBe(401)
    // once refused, it stays refused
    expect(seen).toEqual(seen.toSorted())
  })

  test('is refused from the moment when it expires, also where it is cached', async () => {
    const { key } = await service.addKey({ expiresAt: now + 700 })
    const status = async (): Promise<number> => (await ask([`Authorization: Bearer ${key}`])).status
    expect(await status()).toBe(200)
    now += 699
    expect(await status()).toBe(200)
    now += 1
    expectUnauthorized(await ask([`Authorization: Bearer ${key}`]))
    now += 5000
    expect(await status()).toBe(401)
  })

  test('whose time is shortened by another process is refused within 2 seconds of it', async () => {
    const { key, record } = await service.addKey()
    const status = async (): Promise<number> => (await ask([`Authorization: Bearer ${key}`])).status
    expect(await status()).toBe(200)
    await service.stores.keys.expire(record.id, now, { at: 1, by: 'a test' })
    now += 2000
    expect(await status()).toBe(401)
  })

  test('is counted with the key that it replaces, and remembers what that one has sent', async () => {
    const first = await service.addKey({ plan: 'free' })
    const second = await service.addKey({ plan: 'free', account: first.record.id })
    const body = '{"name":"Rex","categoryId":7}'
    const send = async (key: string): Promise<{ remaining: string; replayed: boolean; id: string }> => {
      const head = ['Content-Type: application/json', 'Idempotency-Key: once', `Content-Length: ${body.length}`]
      const answer = await ask([`Authorization: Bearer ${key}`, ...head], 'POST /v1/pets HTTP/1.1', body)
      expect(answer.status).toBe(201)
      return {
        remaining: String(answer.headers['x-ratelimit-remaining']),
        replayed: 'idempotency-replayed' in answer.headers,
        id: /"id":(\d+)/.exec(answer.body)?.[1] ?? '',
      }
    }
    const before = await send(first.key)
    expect(before).toMatchObject({ remaining: '59', replayed: false })
    expect(await send(second.key)).toEqual({ ...before, remaining: '58', replayed: true })
    expect((await send(first.key)).remaining).toBe('57')
  })

  test('of one caller is not mistaken for the key of another', async () => {
    const { key, record } = await service.addKey()
    await service.stores.keys.revoke(record.id, { at: now, by: 'a test' })
    expect((await ask(['Authorization: Bearer $K'])).status).toBe(200)
    expect((await ask([`Authorization: Bearer ${key}`])).status).toBe(401)
    expect((await ask([`Authorization: Bearer ${service.key.slice(0, -1)}`])).status).toBe(401)
    expect((await ask([`Authorization: Bearer ${service.key.toLowerCase()}`])).status).toBe(401)
  })

  test('is in no file and in no log; its digest is', async () => {
    const { key, record } = await service.addKey({ label: 'secret keeper' })
    expect((await ask([`Authorization: Bearer ${key}`])).status).toBe(200)
    expect((await ask([`Authorization: Basic ${key}`])).status).toBe(401)
    expect((await ask([], `GET /v1/pets?api_key=${key} HTTP/1.1`)).status).toBe(401)
    const files = readdirSync(service.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`))
    const found = (bytes: Buffer | string): boolean => files.some((file) => file.includes(bytes))
    expect(found(digestOf(key))).toBe(true)
    expect(found(record.id)).toBe(true)
    for (const secret of [key, key.slice(3), key.slice(3, 46), key.slice(20, 40)]) expect(found(secret)).toBe(false)
    expect(JSON.stringify(service.logged)).not.toContain(key.slice(3, 46))
  })
})

describe('the authenticator', () => {
  const stored = newKey()

  /** A store of one key that counts how often it is asked. */
  function counted(): { keys: KeyStore; asked: () => number } {
    let asked = 0
    const keys = {
      find: async (digest: Buffer) => {
        asked += 1
        return digest.equals(digestOf(stored)) ? plain() : undefined
      },
    } as KeyStore
    return { keys, asked: () => asked }
  }

  const bearer = (token: string): IncomingMessage =>
    Object.assign(new IncomingMessage(new Socket()), { rawHeaders: ['Host', 'a', 'Authorization', `Bearer ${token}`] })
  const withinLimit = (): boolean => false
  const overLimit = (): boolean => true
  const unheard = (): void => undefined

  test('does not ask the store for a text that cannot be a key', async () => {
    const { keys, asked } = counted()
    const authenticate = authenticator(keys, withinLimit, unheard)
    const mistyped = Array.from(stored.slice(3), (_, index) => {
      const at = index + 3
      return stored.slice(0, at) + (stored[at] === 'A' ? 'B' : 'A') + stored.slice(at + 1)
    })
    const swapped = mistyped.map((_, index) => {
      const at = index + 3
      return stored.slice(0, at) + (stored[at + 1] ?? '') + (stored[at] ?? '') + stored.slice(at + 2)
    })
    const malformed = [
      ...mistyped,
      ...swapped,
      '',
      'x',
      stored.slice(1),
      stored.slice(0, -1),
      `${stored}A`,
      `ak-${stored.slice(3)}`,
    ]
    for (const token of malformed) {
      if (token === stored) continue
      expect(await authenticate(bearer(token), 0)).toBeUndefined()
    }
    expect(asked()).toBe(0)
    expect(await authenticate(bearer(stored), 0)).toBeDefined()
    expect(asked()).toBe(1)
  })

  test('asks the store once a second at most for a key it has found', async () => {
    const { keys, asked } = counted()
    const authenticate = authenticator(keys, withinLimit, unheard)
    for (let time = 0; time <= 10_000; time += 100) expect(await authenticate(bearer(stored), time)).toBeDefined()
    expect(asked()).toBeLessThanOrEqual(11)
    expect(asked()).toBeGreaterThanOrEqual(5)
  })

  test('asks the store every time for a key it has not found', async () => {
    const { keys, asked } = counted()
    const authenticate = authenticator(keys, withinLimit, unheard)
    const unknown = newKey()
    for (let count = 1; count <= 3; count += 1) {
      expect(await authenticate(bearer(unknown), 0)).toBeUndefined()
      expect(asked()).toBe(count)
    }
  })

  test('gathers the unknown keys of an address over its limit, and asks for all of them in one turn', async () => {
    const { keys, asked } = counted()
    const authenticate = authenticator(keys, overLimit, unheard)
    const find = keys.find.bind(keys)
    let turns = 0
    let inTurn = false
    keys.find = (digest) => {
      if (!inTurn) turns += 1
      inTurn = true
      setImmediate(() => (inTurn = false))
      return find(digest)
    }
    const strangers = Array.from({ length: 50 }, async () => authenticate(bearer(newKey()), 0))
    const owner = authenticate(bearer(stored), 0)
    expect(asked()).toBe(0)
    expect(await owner).toBeDefined()
    expect(await Promise.all(strangers)).toEqual(strangers.map(() => undefined))
    expect({ asked: asked(), turns }).toEqual({ asked: 51, turns: 1 })
  })

  test('lets a key that was found wait no more for the unknown ones', async () => {
    const { keys, asked } = counted()
    const authenticate = authenticator(keys, overLimit, unheard)
    await authenticate(bearer(stored), 0)
    // from memory
    expect(authenticate(bearer(stored), 500)).not.toBeInstanceOf(Promise)
    void authenticate(bearer(newKey()), 5000)
    const again = authenticate(bearer(stored), 5000)
    expect(asked()).toBe(2)
    expect(await again).toBeDefined()
  })

  test('throws when the store cannot answer, and does not refuse the key', async () => {
    const keys = { find: () => Promise.reject(new Error('gone')) } as unknown as KeyStore
    await expect(authenticator(keys, withinLimit, unheard)(bearer(stored), 0)).rejects.toThrow('gone')
  })
})

describe('newKey', () => {
  test('makes keys of the declared form, each once', () => {
    const keys = Array.from({ length: 2000 }, newKey)
    expect(new Set(keys).size).toBe(2000)
    for (const key of keys) {
      expect(key).toMatch(/^ak_[0-9A-Za-z]{49}$/)
      expect(isKey(key)).toBe(true)
    }
  })

  test('uses the whole alphabet at every random place', () => {
    const keys = Array.from({ length: 2000 }, newKey)
    // 2^256 is less than 62^43, so the first character cannot be every one
    for (let at = 4; at < 46; at += 1) expect(new Set(keys.map((key) => key[at])).size).toBe(62)
  })
})

function plain(): Key {
  return newRecord({ plan: 'business', createdAt: 0 })
}
