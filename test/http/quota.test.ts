import { execFile, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import supertest from 'supertest'
import { newKey } from '../../src/auth/key.ts'
import { close, exchange, lines, type RawAnswer } from '../support/raw.ts'
import { describeRedis, freePort, testRedis } from '../support/servers/redis.ts'
import { checkQuotaHeaders, expectError, startService, type TestService } from '../support/service.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'

const day = 86_400_000
/** The first moment of a day. */
const midnight = 20_000 * day

let now = midnight
const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

async function start(env: Record<string, string> = {}): Promise<TestService> {
  now = midnight
  const service = await startService(env, { now: () => now })
  services.push(service)
  return service
}

const free = { plan: 'free' }

/** Sends so many requests at once over one connection, and gives their answers. */
async function pipeline({ port }: TestService, key: string, count: number): Promise<RawAnswer[]> {
  const request = (...headers: string[]): string =>
    lines('GET /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, ...headers)
  // whoever has no answer by then hangs
  return (await exchange(port, request().repeat(count - 1) + request(close), { quietMs: 10_000 })).answers
}

describe('a key over its limit', () => {
  test('gets 429 with the time to wait, and is served again when the minute is over', async () => {
    const service = await start()
    const { key } = await service.addKey(free)
    const call = (): supertest.Test => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)
    for (let sent = 0; sent < 60; sent += 1) {
      const { headers } = await call().expect(200)
      expect(headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': String(59 - sent) })
    }
    now += 17_300
    const { headers, text } = await call().expect(429)
    expectError(text, 429, 'rate_limited')
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(midnight / 1000 + 60),
      'retry-after': '43',
      'cache-control': 'no-store',
    })
    now += 43_000
    await call().expect(200)
  })

  test('of 200 pipelined requests gets 60 answered, in order, with each remaining number once', async () => {
    const service = await start()
    const { key } = await service.addKey(free)
    const answers = await pipeline(service, key, 200)
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array<number>(60).fill(200),
      ...Array<number>(140).fill(429),
    ])
    expect(answers.slice(0, 60).map(({ headers }) => Number(headers['x-ratelimit-remaining']))).toEqual(
      Array.from({ length: 60 }, (_, index) => 59 - index),
    )
  })

  test('of 200 parallel requests gets 60 answered, with each remaining number once, and no ban', async () => {
    const service = await start()
    const { key, record } = await service.addKey(free)
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)),
    )
    const admitted = answers.filter(({ status }) => status === 200)
    expect(admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 60 }, (_, index) => 59 - index),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140)
    expect((await service.stores.keys.list()).find(({ id }) => id === record.id)?.ban).toBeUndefined()
  })

  test.each(['on one connection', 'on as many connections'])(
    'is not banned for a burst that was sent at one moment %s, however long the server takes for it',
    async (way) => {
      // a busy machine: it takes 20 ms until a request is begun
      const service = await startService({ BAN_AFTER: '5' }, { now: busy })
      services.push(service)
      const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 3, perDay: 1000 } })
      // not over the edge of a minute
      if (Date.now() % 60_000 > 50_000) await sleep(10_000)
      // in a process of its own, which this one does not hold up
      const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
      const count = way.includes('many') ? 100 : 1
      const script = `
        const bytes = ${JSON.stringify(request)}.repeat(${100 / count})
        const sockets = Array.from({ length: ${count} }, () => require('net').connect(${service.port}, '127.0.0.1'))
        let text = ''
        for (const socket of sockets) {
          socket.write(bytes)
          socket.on('data', (chunk) => {
            text += chunk
            if ((text.match(/HTTP.1.1 /g) ?? []).length < 100) return
            console.log(text)
            process.exit()
          })
        }`
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
      const answers = stdout.match(/HTTP\/1\.1 200|"code":"\w+"/g)
      expect(answers?.filter((answer) => answer === 'HTTP/1.1 200')).toHaveLength(3)
      expect(answers?.filter((answer) => answer === '"code":"rate_limited"')).toHaveLength(97)

      function busy(): number {
        const end = performance.now() + 20
        while (performance.now() < end);
        return Date.now()
      }
    },
  )

  test('is banned when it goes on, is told so, and is let in again by unban within 2 seconds', async () => {
    const service = await start()
    const { key, record } = await service.addKey(free)
    const call = (): supertest.Test => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)
    await pipeline(service, key, 61)
    now += 30_000
    await pipeline(service, key, 30)
    const { headers, text } = await call().expect(429)
    expectError(text, 429, 'key_banned')
    expect(headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' })
    now = midnight + 61_000
    await call().expect(429)
    expect(runKeys(service, 'unban', record.id)).toMatchObject({ status: 0 })
    now += 1000
    await call().expect(200)
  })

  test('is shown as banned by keys list', async () => {
    const service = await start()
    const { record } = await service.addKey(free)
    const until = Date.now() + 3_600_000
    await service.stores.keys.ban(record.id, { until, level: 3 }, { at: 1, by: 'a test' })
    const listed = JSON.parse(runKeys(service, 'list', '--json').stdout) as { id: string; bannedUntil?: string }[]
    expect(listed.find(({ id }) => id === record.id)?.bannedUntil).toBe(new Date(until).toISOString())
  })

  test('stays banned over a restart', async () => {
    const service = await start()
    const { key } = await service.addKey(free)
    await pipeline(service, key, 61)
    now += 30_000
    await pipeline(service, key, 30)
    await service.close()
    const again = await startService({ DATABASE_URL: `sqlite:${service.folder}/store.db` }, { now: () => now })
    const { headers, text } = await supertest(again.server)
      .get('/v1/pets')
      .set('Authorization', `Bearer ${key}`)
      .expect(429)
    expectError(text, 429, 'key_banned')
    expect(headers).toMatchObject({ 'retry-after': '60' })
    await again.stop()
  })
})

describe('a client that heeds Retry-After', () => {
  test('is served the next time, a hundred times over, whenever in the minute it is refused', async () => {
    const service = await start()
    const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 1, perDay: 1000 } })
    const call = (): supertest.Test => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)
    for (let round = 0; round < 100; round += 1) {
      await call().expect(200)
      now += (round * 617) % 59_000
      const { headers } = await call().expect(429)
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
      expect(headers['x-ratelimit-remaining']).toBe('0')
      expect(Number(headers['x-ratelimit-reset'])).toBe(Math.ceil((now + 1) / 60_000) * 60)
      now += Number(headers['retry-after']) * 1000
    }
  })
})

describe('a bucket', () => {
  test('is the same for every spelling of the header', async () => {
    const service = await start()
    const { key } = await service.addKey(free)
    const spellings = [
      'Authorization: Bearer ',
      'authorization: bearer ',
      'AUTHORIZATION: BEARER   ',
      'Authorization:Bearer  ',
    ]
    let left = 60
    for (const spelling of spellings) {
      const { answers } = await exchange(service.port, `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${spelling}${key}\r\n\r\n`)
      left -= 1
      expect(answers[0]?.headers['x-ratelimit-remaining']).toBe(String(left))
    }
  })

  test('of an address is charged for every request without a valid key, and guessing ends in 429', async () => {
    const service = await start({ ANONYMOUS_PER_MINUTE: '10', ANONYMOUS_PER_DAY: '1000' })
    const guesses = [undefined, 'Bearer nonsense', `Bearer ${newKey()}`, 'Basic abc']
    const statuses: number[] = []
    for (let sent = 0; sent < 12; sent += 1) {
      const guess = guesses[sent % guesses.length]
      const request = supertest(service.server).get('/v1/pets')
      const { status, headers, text } = await (guess === undefined ? request : request.set('Authorization', guess))
      checkQuotaHeaders(headers)
      expect(headers['x-ratelimit-limit']).toBe('10')
      expectError(text, status, status === 401 ? 'unauthorized' : 'rate_limited')
      statuses.push(status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    await service.call('get', '/pets').expect(200)
  })

  test('of an address is not multiplied by X-Forwarded-For from a peer that is not trusted', async () => {
    const service = await start({ ANONYMOUS_PER_MINUTE: '5' })
    const statuses: number[] = []
    for (let sent = 0; sent < 7; sent += 1) {
      const { status } = await supertest(service.server).get('/v1/pets').set('X-Forwarded-For', `1.1.1.${sent}`)
      statuses.push(status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })

  test('is one for each client behind a trusted proxy', async () => {
    const service = await start({ ANONYMOUS_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.0/8' })
    for (const client of ['1.1.1.1', '1.1.1.2', '2001:db8::1']) {
      await supertest(service.server).get('/v1/pets').set('X-Forwarded-For', client).expect(401)
      await supertest(service.server).get('/v1/pets').set('X-Forwarded-For', client).expect(429)
    }
    await supertest(service.server).get('/v1/pets').set('X-Forwarded-For', '2001:db8::ffff').expect(429)
  })

  test('is not charged by health checks and other pages, nor by OPTIONS', async () => {
    const service = await start({ ANONYMOUS_PER_MINUTE: '1' })
    for (const path of ['/livez', '/readyz', '/openapi.json', '/nothing']) await supertest(service.server).get(path)
    const { headers } = await service.call('options', '/pets').expect(204)
    expect(headers['x-ratelimit-remaining']).toBe('1')
    await supertest(service.server).get('/v1/pets').expect(401)
  })
})

describe('the three headers', () => {
  test('are on every answer that is no page, also where there was no request', async () => {
    const service = await start()
    const auth = `Host: a\r\nAuthorization: Bearer ${service.key}\r\n`
    const post = (more: string, body = ''): string =>
      `POST /v1/pets HTTP/1.1\r\n${auth}${more}Connection: close\r\n\r\n${body}`
    const json = 'Content-Type: application/json\r\n'
    const end = 'Connection: close\r\n\r\n'
    const cases: [bytes: string, status: number][] = [
      [`GET /v1/pets HTTP/1.1\r\n${auth}${end}`, 200],
      [post(`${json}Content-Length: 29\r\n`, '{"name":"Rex","categoryId":7}'), 201],
      [`OPTIONS /v1/pets HTTP/1.1\r\n${auth}${end}`, 204],
      [`OPTIONS * HTTP/1.1\r\nHost: a\r\n${end}`, 204],
      [post(`${json}Content-Length: 1\r\n`, '{'), 400],
      [`GET /v1/pets/x HTTP/1.1\r\n${auth}${end}`, 400],
      [`GET /v1/pets/% HTTP/1.1\r\n${auth}${end}`, 400],
      [`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${end}`, 401],
      [`GET /v1/nothing HTTP/1.1\r\n${auth}${end}`, 404],
      [`GET /v1/pets/404 HTTP/1.1\r\n${auth}${end}`, 404],
      [`DELETE /v1/pets HTTP/1.1\r\n${auth}${end}`, 405],
      [post(`${json}Content-Length: 200000\r\n`), 413],
      [post('Content-Type: text/plain\r\nContent-Length: 1\r\n', 'x'), 415],
      ['GARBAGE\r\n\r\n', 400],
      [`GET /v1/pets HTTP/1.1\r\n${end}`, 400],
      [`GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n${end}`, 400],
      [`GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /v1/pets HTTP/1.1\r\n${auth}Expect: miracles\r\n${end}`, 417],
      ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ]
    for (const [bytes, status] of cases) {
      const { answers } = await exchange(service.port, bytes, { quietMs: 10_000 })
      expect([bytes.slice(0, 40), answers.length, answers[0]?.status]).toEqual([bytes.slice(0, 40), 1, status])
      checkQuotaHeaders(answers[0]?.headers ?? {})
      if (status >= 400) expectError(answers[0]?.body ?? '', status)
    }
  })

  test('are on a request that did not arrive in time', async () => {
    const service = await startService({}, { timeouts: { headers: 200, request: 300, stalled: 5000, keepAlive: 5000 } })
    services.push(service)
    const { answers } = await exchange(service.port, 'GET /v1/pets HTTP/1.1\r\nHo', { quietMs: 3000 })
    expect(answers.map(({ status }) => status)).toEqual([408])
    checkQuotaHeaders(answers[0]?.headers ?? {})
  })

  test('are on a fault of the service', async () => {
    const service = await start()
    await service.stores.close()
    const { headers } = await service.call('get', '/pets').expect(500)
    checkQuotaHeaders(headers)
  })
})

describe('a change of a key in the store counts within 2 seconds', () => {
  test('when its plan changes, and its count is kept', async () => {
    const service = await start()
    const { key, record } = await service.addKey(free)
    const call = (): supertest.Test => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)
    await call().expect(200)
    const db = new Database(`${service.folder}/store.db`)
    db.prepare('UPDATE keys SET plan = ? WHERE id = ?').run('pro', record.id)
    db.close()
    now += 1000
    const { headers } = await call().expect(200)
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '300', 'x-ratelimit-remaining': '298' })
  })

  test('when it is revoked', async () => {
    const service = await start()
    const { key, record } = await service.addKey(free)
    const call = (): supertest.Test => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)
    await call().expect(200)
    await service.stores.keys.revoke(record.id, { at: now, by: 'a test' })
    now += 1000
    await call().expect(401)
  })
})

describeRedis('two services on one Redis', () => {
  test('admit exactly the limit of 200 parallel requests, and say that they are ready', async () => {
    const redis = await testRedis()
    await redis.start()
    try {
      const one = await start({ REDIS_URL: redis.url })
      const two = await start({ REDIS_URL: redis.url, DATABASE_URL: `sqlite:${one.folder}/store.db` })
      const { key } = await one.addKey(free)
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (index % 2 ? one : two).call('get', '/pets').set('Authorization', `Bearer ${key}`),
        ),
      )
      const admitted = answers.filter(({ status }) => status === 200)
      expect(admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a)).toEqual(
        Array.from({ length: 60 }, (_, index) => 59 - index),
      )
      expect((await supertest(one.server).get('/readyz').expect(200)).text).toBe('{"status":"ready"}')
      await redis.kill()
      await one.call('get', '/pets').expect(200)
      expect((await supertest(one.server).get('/readyz').expect(200)).text).toBe('{"status":"degraded"}')
    } finally {
      // the folder of the first is the store of both, so that one is stopped last
      services.reverse()
      await redis.stop()
    }
  })
})

describeRedis('two installations on one Redis', () => {
  test('count strangers apart', async () => {
    const redis = await testRedis()
    await redis.start()
    try {
      const env = { REDIS_URL: redis.url, ANONYMOUS_PER_MINUTE: '5' }
      const [one, two] = [await start(env), await start(env)]
      const statuses = async ({ server }: TestService): Promise<number[]> => {
        const all: number[] = []
        for (let sent = 0; sent < 6; sent += 1) all.push((await supertest(server).get('/v1/pets')).status)
        return all
      }
      expect(await statuses(one)).toEqual([401, 401, 401, 401, 401, 429])
      expect(await statuses(two)).toEqual([401, 401, 401, 401, 401, 429])
    } finally {
      await redis.stop()
    }
  })
})

describe('a service whose REDIS_URL', () => {
  test.each([
    ['leads to where nobody listens', async () => `redis://:hunter2@127.0.0.1:${await freePort()}`],
    ['names an unknown host', async () => 'redis://:hunter2@no-such-host.invalid'],
  ])('%s starts, counts by itself, and says so', async (_, url) => {
    const service = await start({ REDIS_URL: await url() })
    const answer = await service.call('get', '/pets').expect(200)
    expect(answer.headers['x-ratelimit-remaining']).toBe('999999')
    expect((await supertest(service.server).get('/readyz').expect(200)).text).toBe('{"status":"degraded"}')
    expect(service.logged).toContainEqual(
      expect.objectContaining({ level: 40, msg: 'redis does not answer, quotas are counted in this process' }),
    )
    expect(JSON.stringify(service.logged)).not.toContain('hunter2')
  })
})

function runKeys(service: TestService, ...args: string[]): { status: number | null; stdout: string } {
  const env = { ...process.env, DATABASE_URL: `sqlite:${service.folder}/store.db` }
  return spawnSync(process.execPath, ['--import', 'tsx', 'scripts/keys.ts', ...args], { env, encoding: 'utf8' })
}
