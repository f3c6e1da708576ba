import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { exchange } from '../../support/raw.ts'
import { describeRedis, testRedis, type TestRedis } from '../../support/servers/redis.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

const minute = 60_000
/** The first moment of a minute. */
const start = 20_000 * 86_400_000

let now = start
const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0).reverse()) await service.stop()
})

async function startAt(env: Record<string, string> = {}): Promise<TestService> {
  now = start
  const service = await startService(env, { now: () => now })
  services.push(service)
  return service
}

/** Asks many times for a page, as a client with this address behind a proxy; gives how often each status came. */
async function ask(
  service: TestService,
  path: string,
  { times = 1, address = '192.0.2.1' } = {},
): Promise<{ statuses: Record<number, number>; last: { headers: Record<string, string>; body: string } }> {
  const request = (connection: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nConnection: ${connection}\r\n\r\n`
  const bytes = request('keep-alive').repeat(times - 1) + request('close')
  // whoever has no answer by then hangs
  const { answers } = await exchange(service.port, bytes, { quietMs: 10_000, page: !path.startsWith('/v1/') })
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  const { headers = {}, body = '' } = answers.at(-1) ?? {}
  return { statuses, last: { headers, body } }
}

describe('an address that asks for many pages', () => {
  test('is refused after 600 in a minute, with the time to wait, and served again when the minute is over', async () => {
    const service = await startAt()
    now += 17_300
    expect((await ask(service, '/', { times: 600 })).statuses).toEqual({ 200: 600 })
    for (const path of ['/', '/docs', '/assets/x/docs.js', '/openapi.yaml', '/openapi.json', '/nothing']) {
      const { statuses, last } = await ask(service, path)
      expect({ path, statuses }).toEqual({ path, statuses: { 429: 1 } })
      expectError(last.body, 429, 'rate_limited')
      expect(last.headers).toMatchObject({
        'retry-after': '43',
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
      })
      expect(last.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    }
    now = start + minute
    expect((await ask(service, '/docs')).statuses).toEqual({ 200: 1 })
  })

  test('is still told whether the service lives, is ready, and what it measures', async () => {
    const service = await startAt()
    expect((await ask(service, '/nothing', { times: 700 })).statuses).toEqual({ 404: 600, 429: 100 })
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect((await ask(service, path, { times: 20 })).statuses).toEqual({ 200: 20 })
    }
  })

  test('has its operations all the same, and other requests of operations cost it no page', async () => {
    const service = await startAt({ ANONYMOUS_PER_MINUTE: '5' })
    const list = await service.call('get', '/pets')
    expect(list.status).toBe(200)
    expect((await ask(service, '/v1/pets', { times: 20 })).statuses).toEqual({ 401: 5, 429: 15 })
    expect((await ask(service, '/docs', { times: 600 })).statuses).toEqual({ 200: 600 })
    expect((await ask(service, '/docs')).statuses).toEqual({ 429: 1 })
    expect((await service.call('get', '/pets')).status).toBe(200)
  })

  test('leaves others their pages, told apart by the address that the trusted proxy names', async () => {
    const service = await startAt({ TRUST_PROXY: '1' })
    const [one, other] = ['203.0.113.1', '203.0.113.2']
    expect((await ask(service, '/nothing', { times: 601, address: one })).statuses).toEqual({ 404: 600, 429: 1 })
    expect((await ask(service, '/docs', { address: other })).statuses).toEqual({ 200: 1 })
    // a client of IPv6 is its network
    expect((await ask(service, '/nothing', { times: 601, address: '2001:db8::1' })).statuses[429]).toBe(1)
    expect((await ask(service, '/docs', { address: '2001:db8::2' })).statuses).toEqual({ 429: 1 })
    expect((await ask(service, '/docs', { address: '2001:db8:0:1::2' })).statuses).toEqual({ 200: 1 })
  })

  test('cannot choose another address where no proxy is trusted', async () => {
    const service = await startAt()
    expect((await ask(service, '/nothing', { times: 601, address: '203.0.113.1' })).statuses[429]).toBe(1)
    expect((await ask(service, '/docs', { address: '203.0.113.2' })).statuses).toEqual({ 429: 1 })
  })
})

describeRedis('with Redis', () => {
  let redis: TestRedis
  const startTwo = async (): Promise<[TestService, TestService]> => {
    const env = { REDIS_URL: redis.url, TRUST_PROXY: '1' }
    const one = await startAt(env)
    return [one, await startAt({ ...env, DATABASE_URL: `sqlite:${one.folder}/store.db` })]
  }
  const isReady = async ({ port }: TestService): Promise<boolean> =>
    (await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()).includes('"ready"')
  beforeEach(async () => {
    redis = await testRedis()
  })
  afterEach(() => redis.stop())

  test('all processes together allow an address its 600 pages', async () => {
    await redis.start()
    const [one, two] = await startTwo()
    expect((await ask(one, '/nothing', { times: 400 })).statuses).toEqual({ 404: 400 })
    expect((await ask(two, '/nothing', { times: 300 })).statuses).toEqual({ 404: 200, 429: 100 })
    expect((await ask(one, '/docs')).statuses).toEqual({ 429: 1 })
    expect((await ask(one, '/docs', { address: '192.0.2.2' })).statuses).toEqual({ 200: 1 })
    const names = await redis.client().keys('*page*')
    expect(names).toHaveLength(2)
    for (const name of names) expect(await redis.client().pttl(name)).toBeGreaterThan(0)
  })

  test('each process counts by itself while Redis is gone, and they share again when it is back', async () => {
    const [one, two] = await startTwo()
    for (const service of [one, two]) {
      expect((await ask(service, '/nothing', { times: 601 })).statuses).toEqual({ 404: 600, 429: 1 })
    }
    await redis.start()
    await eventually(async () => (await isReady(one)) && (await isReady(two)))
    expect((await ask(one, '/nothing', { times: 400 })).statuses).toEqual({ 404: 400 })
    expect((await ask(two, '/nothing', { times: 300 })).statuses).toEqual({ 404: 200, 429: 100 })
    await redis.kill()
    expect((await ask(one, '/docs')).statuses).toEqual({ 429: 1 })
  })

  test('a user of Redis who may not increment costs the shared count of pages alone', async () => {
    await redis.start()
    await redis.client().acl('SETUSER', 'lim', 'on', '>pw', '~animal-store:*', '+@all', '-incr')
    const service = await startAt({ REDIS_URL: redis.url.replace('//', '//lim:pw@') })
    expect((await ask(service, '/nothing', { times: 700 })).statuses).toEqual({ 404: 601, 429: 99 })
    expect(await isReady(service)).toBe(true)
    expect((await service.call('get', '/pets')).status).toBe(200)
  })
})

test('a reader who opens the documentation thirty times in a minute is not refused', async () => {
  const service = await startAt()
  const page = await (await fetch(`http://127.0.0.1:${service.port}/docs`)).text()
  const files = Array.from(page.matchAll(/(?:href|src)="(assets\/[^"]+)"/g), ([, file = '']) => `/${file}`)
  expect(files.length).toBe(15)
  for (const path of ['/docs', '/openapi.json', ...files]) {
    expect((await ask(service, path, { times: 30 })).statuses).toEqual({ 200: 30 })
  }
})
