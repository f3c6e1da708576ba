import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { handlers } from '../../generated/handlers.ts'
import { kept } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'
import { talk } from '../support/talk.ts'

const timeouts = { headers: 300, request: 600, stalled: 600, keepAlive: 5000 }

let service: TestService
beforeAll(async () => {
  service = await startService({}, { timeouts })
})
afterAll(() => service.stop())

function head(line: string, ...headers: string[]): string {
  return [line, 'Host: a', `Authorization: Bearer ${service.key}`, ...headers, '', ''].join('\r\n')
}

const rex = '{"name":"Rex","categoryId":7}'
const framing = ['Content-Type: application/json', `Content-Length: ${rex.length}`]

async function counted(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  const all = text.matchAll(/^http_requests_total\{operation="(\w+)",status="(\d+)"\} (\d+)$/gm)
  return Object.fromEntries(
    Array.from(all, ([, operation, status, count]) => [`${operation} ${status}`, Number(count)]),
  )
}

describe('slow clients', () => {
  test('500 that dribble their heads are each told 408, while another client is answered every time', async () => {
    const crowd = Array.from({ length: 500 }, () => talk(service.port, 'GET /v1/pets HTTP/1.1\r\nX-A: '))
    const drip = setInterval(() => {
      for (const { socket } of crowd) if (socket.writable) socket.write('x')
    }, 100)
    const other = kept(service.port, service.key)
    const left = Promise.all(crowd.map(({ closed }) => closed)).then(() => true)
    let over = false
    while (!over) {
      expect(await other.ask()).toMatch(/^HTTP\/1\.1 404 /)
      over = await Promise.race([left, new Promise<false>((resolve) => setTimeout(resolve, 20, false))])
    }
    clearInterval(drip)
    other.socket.destroy()
    for (const { text } of crowd) expect(text()).toMatch(/^HTTP\/1\.1 408 [^]*"status":408}$/)
  })

  test('one that never reads its answers is cut, and its requests wait instead of filling memory', async () => {
    const long = 'x'.repeat(255)
    for (let count = 0; count < 100; count += 1) {
      await service.stores.pets.add({ name: long, categoryId: 1n, status: 'sold' })
    }
    const ask = head('GET /v1/pets?limit=100 HTTP/1.1')
    const before = await counted()
    const mute = talk(service.port)
    mute.socket.pause()
    await once(mute.socket, 'connect')
    // about 32 MB of answers, which no socket takes
    mute.socket.write(ask.repeat(1000))
    // a paused stream does not tell of its end
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        service.server.getConnections((_, open) => {
          if (open > 0) return
          clearInterval(look)
          resolve()
        })
      }, 50)
    })
    mute.socket.destroy()
    const answered = ((await counted())['listPets 200'] ?? 0) - (before['listPets 200'] ?? 0)
    expect(answered).toBeGreaterThan(0)
    expect(answered).toBeLessThan(1000)
  })

  test('one that reads slowly gets its whole answer, however long it takes', async () => {
    const slow = talk(service.port, head('GET /v1/pets?limit=100 HTTP/1.1').repeat(300))
    // a few hundred kB at a time, with pauses that are shorter than the time-out
    const throttle = setInterval(() => {
      slow.socket.pause()
      setTimeout(() => slow.socket.resume(), 40)
    }, 50)
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if ((slow.text().match(/HTTP\/1\.1 200 OK/g) ?? []).length === 300 && slow.text().endsWith(']')) break
      expect(slow.socket.destroyed).toBe(false)
    }
    clearInterval(throttle)
    slow.socket.destroy()
  })
})

describe('clients that go away', () => {
  test.each([
    ['with half a head', () => head('GET /v1/pets HTTP/1.1').slice(0, -20)],
    ['with half a body', () => head('POST /v1/pets HTTP/1.1', ...framing) + rex.slice(0, 10)],
    [
      'within a chunk',
      () => `${head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}1d\r\n{`,
    ],
    ['after 100 Continue', () => head('POST /v1/pets HTTP/1.1', ...framing, 'Expect: 100-continue')],
    ['without reading a list', () => head('GET /v1/pets?limit=100 HTTP/1.1').repeat(20)],
    ['without reading a page', () => 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)],
    ['with CONNECT', () => head('CONNECT a:443 HTTP/1.1')],
    [
      'with CONNECT behind other requests',
      () => head('GET /v1/pets HTTP/1.1').repeat(20) + head('CONNECT a:443 HTTP/1.1'),
    ],
    ['without reading a refusal', () => head('POST /v1/pets HTTP/1.1', 'Content-Length: 900000') + 'x'.repeat(100_000)],
  ])('%s cost no 5xx, no animal and no log line above info', async (_, bytes) => {
    const before = await counted()
    const stored = await service.stores.pets.list({ limit: 1000 })
    service.logged.length = 0
    for (const cut of ['resetAndDestroy', 'destroy', 'end'] as const) {
      for (const when of [0, 1, 5, 20]) {
        const { socket, closed } = talk(service.port, bytes())
        if (cut !== 'end') socket.pause()
        await once(socket, 'connect')
        setTimeout(() => socket[cut](), when)
        await closed
      }
    }
    // behind all of them
    const last = kept(service.port, service.key)
    expect(await last.ask()).toMatch(/^HTTP\/1\.1 404 /)
    last.socket.destroy()
    const after = await counted()
    const grown = Object.keys(after).filter((name) => (after[name] ?? 0) > (before[name] ?? 0))
    expect(grown.filter((name) => / 5\d\d$| 201$/.test(name))).toEqual([])
    expect(await service.stores.pets.list({ limit: 1000 })).toEqual(stored)
    expect(service.logged.filter(({ level }) => Number(level) > 30)).toEqual([])
  })
})

describe('a connection without a request', () => {
  const unread = (): Record<string, unknown>[] => service.logged.filter(({ msg }) => msg === 'request not read')

  test.each<[string, cut: 'resetAndDestroy' | 'destroy']>([
    ['reset', 'resetAndDestroy'],
    ['closed', 'destroy'],
  ])('that is %s after a whole answer, or without a byte, is neither counted nor logged', async (_, cut) => {
    const watching = kept(service.port, service.key)
    await watching.ask()
    const before = await counted()
    service.logged.length = 0
    for (let count = 0; count < 5; count += 1) {
      const idle = kept(service.port, service.key)
      await idle.ask()
      idle.socket[cut]()
      const mute = talk(service.port)
      await once(mute.socket, 'connect')
      mute.socket[cut]()
      await Promise.all([idle.closed, mute.closed])
    }
    await watching.ask()
    watching.socket.destroy()
    const after = await counted()
    expect(after).toEqual({ ...before, 'getPet 404': (before['getPet 404'] ?? 0) + 6 })
    expect(service.logged.map(({ msg, status }) => `${String(msg)} ${String(status)}`)).toEqual(
      Array.from({ length: 6 }, () => 'request 404'),
    )
  })

  test('on which nothing is ever sent is closed in silence', async () => {
    const before = await counted()
    service.logged.length = 0
    const mute = talk(service.port)
    await mute.closed
    expect(mute.text()).toBe('')
    expect(await counted()).toEqual(before)
    expect(service.logged).toEqual([])
  })

  test('that is reset within an answer is counted and logged once, as what was answered', async () => {
    const before = await counted()
    service.logged.length = 0
    const gone = talk(service.port, head('GET /v1/pets/404 HTTP/1.1'))
    await once(gone.socket, 'connect')
    gone.socket.resetAndDestroy()
    await gone.closed
    const last = kept(service.port, service.key)
    await last.ask()
    last.socket.destroy()
    expect((await counted())['none 400']).toBe(before['none 400'])
    expect(unread()).toEqual([])
  })

  test.each([
    ['half a head', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n', 408, 'ERR_HTTP_REQUEST_TIMEOUT'],
    ['what is no HTTP', 'GARBAGE\r\n\r\n', 400, 'HPE_INVALID_METHOD'],
  ])('but with %s is one line that says why and from where', async (_, bytes, status, reason) => {
    service.logged.length = 0
    const half = talk(service.port, bytes)
    await half.closed
    expect(unread()).toMatchObject([{ status, reason, from: '127.0.0.1' }])
  })
})

describe('clients that stay', () => {
  test.each([
    ['after CONNECT', () => head('CONNECT a:443 HTTP/1.1')],
    ['after what is no HTTP', () => 'GARBAGE\r\n\r\n'],
  ])('%s and send on, are told 400 and closed, and hold up no stop', async (_, bytes) => {
    const own = await startService({}, { timeouts })
    const crowd = Array.from({ length: 5 }, () => {
      const one = talk(own.port, bytes())
      // keeps its half open, as a client that does not heed the end
      one.socket.allowHalfOpen = true
      return one
    })
    const sending = setInterval(() => {
      for (const { socket } of crowd) if (socket.writable) socket.write('and more')
    }, 20)
    await Promise.all(crowd.map(({ until }) => until(/^HTTP\/1\.1 400 [^]*"status":400}$/)))
    await own.stop()
    await Promise.all(crowd.map(({ closed }) => closed))
    clearInterval(sending)
  })
})

test('CONNECT behind a request that does not end holds up no stop', async () => {
  const own = await startService(
    { SHUTDOWN_GRACE_MS: '200' },
    {
      timeouts: { ...timeouts, stalled: 600_000 },
      handlers: { ...handlers, listPets: () => new Promise(() => undefined) },
    },
  )
  const asked = head('GET /v1/pets HTTP/1.1').replace(service.key, own.key)
  const stuck = talk(own.port, asked + head('CONNECT a:443 HTTP/1.1'))
  await once(own.server, 'connect')
  await own.stop()
  await stuck.closed
  expect(stuck.text()).toBe('')
})

describe('a connection that cannot be taken', () => {
  test('is logged once, and so is the first that is taken again', async () => {
    const full = (): boolean =>
      service.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    const messages = (): unknown[] => service.logged.map(({ msg }) => msg).filter((msg) => /accept/.test(String(msg)))
    service.logged.length = 0
    for (let count = 0; count < 100; count += 1) full()
    expect(messages()).toEqual(['cannot accept connections'])
    await kept(service.port, service.key).ask('/livez')
    full()
    full()
    const lost = 'cannot accept connections'
    expect(messages()).toEqual([lost, 'accepting connections again', lost])
  })
})
