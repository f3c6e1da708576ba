import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { handlers } from '../../generated/handlers.ts'
import { kept } from '../support/client.ts'
import { close, exchange, lines, statuses } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

/** What `getPet` gives or throws for the next requests. */
let next: () => unknown
let service: TestService
beforeAll(async () => {
  const wrong = (() => Promise.resolve(next())) as unknown as typeof handlers.getPet
  // in production, where only the bodies of answers are checked
  service = await startService({ NODE_ENV: 'production' }, { handlers: { ...handlers, getPet: wrong } })
})
afterAll(() => service.stop())

const body = { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' }

function ask(method = 'GET', ...headers: readonly string[]): string {
  return lines(`${method} /v1/pets/1 HTTP/1.1`, 'Host: a', `Authorization: Bearer ${service.key}`, ...headers)
}

async function failures(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  return Number(/^http_requests_total\{operation="getPet",status="500"\} (\d+)$/m.exec(text)?.[1])
}

const withHeader = (name: string, value: unknown) => (): unknown => ({ status: 200, headers: { [name]: value }, body })

const answers: readonly [what: string, next: () => unknown][] = [
  ['a header name that is none', withHeader('a b', 'x')],
  ['an empty header name', withHeader('', 'x')],
  ['a header value with a line break', withHeader('X-A', 'x\r\nSet-Cookie: a=b')],
  ['a header value that is no Latin', withHeader('X-A', '日本')],
  ['a header value that has no text', withHeader('X-A', Object.create(null))],
  ['a Trailer header', withHeader('Trailer', 'X-A')],
  ['a Transfer-Encoding', withHeader('Transfer-Encoding', 'chunked')],
  ['a second Content-Length', withHeader('content-length', '5')],
  ['a Connection header', withHeader('Connection', 'keep-alive')],
  ['no answer', (): unknown => undefined],
  ['an undeclared status', (): unknown => ({ status: 101, body })],
  ['a body of a wrong type', (): unknown => ({ status: 200, body: 5 })],
]

const thrown: readonly [what: string, next: () => never][] = [
  ['undefined', undefined],
  ['a symbol', Symbol('x')],
  ['an object without a prototype', Object.create(null) as unknown],
  [
    'an error that cannot be read',
    Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('unreadable')
      },
    }),
  ],
].map(([what, value]) => [
  `${String(what)}, thrown`,
  (): never => {
    throw value
  },
])

describe('an answer that cannot be written', () => {
  test.each([...answers, ...thrown])('because of %s costs its client one 500 and the log one line', async (_, make) => {
    const other = kept(service.port, service.key)
    next = make
    const before = await failures()
    service.logged.length = 0
    const { answers: given } = await exchange(service.port, ask('GET', close), { quietMs: 2000 })
    expect(given.map(({ status }) => status)).toEqual([500])
    expectError(given[0]?.body ?? '', 500, 'internal_error')
    expect(await failures()).toBe(before + 1)
    const requestId = given[0]?.headers['x-request-id']
    const written = service.logged.filter((line) => line.requestId === requestId || Number(line.level) > 30)
    expect(written).toMatchObject([{ requestId, operationId: 'getPet', status: 500, code: 'internal_error' }])
    expect(await other.ask('/v1/pets')).toMatch(/^HTTP\/1\.1 200 /)
    other.socket.destroy()
  })

  test('closes its connection, and requests behind it are not begun', async () => {
    next = withHeader('Trailer', 'X-A')
    const result = await exchange(service.port, ask() + ask() + ask(), { quietMs: 3000 })
    expect(statuses(result)).toEqual([500])
    expect(result.closed).toBe(true)
    expect(result.answers[0]?.headers.connection).toBe('close')
  })

  test('to HEAD has no body', async () => {
    next = withHeader('Trailer', 'X-A')
    const { answers: given, closed } = await exchange(service.port, ask('HEAD'), { quietMs: 3000 })
    expect(given).toMatchObject([{ status: 500, body: '' }])
    expect(closed).toBe(true)
  })

  test('takes no other answer of its turn along', async () => {
    next = withHeader('Trailer', 'X-A')
    const list = lines('GET /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${service.key}`, close)
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        exchange(service.port, index % 2 === 0 ? ask() : list, { quietMs: 10_000 }),
      ),
    )
    expect(all.map(statuses)).toEqual(Array.from({ length: 40 }, (_, index) => [index % 2 === 0 ? 500 : 200]))
  })
})
