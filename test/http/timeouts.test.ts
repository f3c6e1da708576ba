import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, expectRefusal, lines, roomForStrangers, statuses } from '../support/raw.ts'
import { startService, type TestService } from '../support/service.ts'
import { talk } from '../support/talk.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

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
    expect(statuses(await exchange(quick.port, request(close)))).toEqual([200])
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
    socket.write(request(close))
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
