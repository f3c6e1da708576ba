import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { close, exchange, lines, rawRequests, roomForStrangers, type RawAnswer } from '../support/raw.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, only } = rawRequests(() => service)

describe('X-Request-Id', () => {
  const ask = (...headers: string[]): Promise<RawAnswer> => only(head('GET /v1/pets HTTP/1.1', ...headers, close))

  test.each(['a', 'abc-DEF_1.2', '0f8fad5b-d9cb-469f-a165-70867728950e', 'x'.repeat(64)])(
    '%s is taken over',
    async (id) => {
      expect((await ask(`X-Request-Id: ${id}`)).headers['x-request-id']).toBe(id)
    },
  )

  test.each([
    'x'.repeat(65),
    '',
    'a b',
    'a\tb',
    'a"b',
    'a/b',
    'a,b',
    '{"level":50}',
    '\x1b[31m',
    'a\x7fb',
    '\xc3\xa9',
    '%0a',
  ])('%j is not safe and is replaced', async (id) => {
    const bytes = Buffer.from(head('GET /v1/pets HTTP/1.1', `X-Request-Id: ${id}`, close), 'latin1')
    const { answers } = await exchange(service.port, bytes)
    const given = answers[0]?.headers['x-request-id']
    expect(given).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    expect(given).not.toBe(id)
  })

  test('two are replaced', async () => {
    const { headers } = await ask('X-Request-Id: a', 'X-Request-Id: b')
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{2,64}$/)
  })

  test('is made for every request, and is taken over by refusals and by pages', async () => {
    const ids = await Promise.all([ask(), ask(), only('BAD\r\n\r\n'), only('BAD\r\n\r\n')])
    expect(new Set(ids.map(({ headers }) => headers['x-request-id'])).size).toBe(4)
    for (const line of ['GET /v1/nothing HTTP/1.1', 'GET /livez HTTP/1.1', 'OPTIONS * HTTP/1.1']) {
      const answer = await only(lines(line, 'Host: a', 'X-Request-Id: mine', close))
      expect(answer.headers['x-request-id']).toBe('mine')
    }
  })
})

describe('traceparent', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736'
  test.each([
    [`00-${id}-00f067aa0ba902b7-01`, id],
    [`cc-${id}-00f067aa0ba902b7-01-of-a-later-version`, id],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-${id.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    [`00-${id.slice(1)}-00f067aa0ba902b7-01`, undefined],
    ['{"level":50}', undefined],
  ])('%s gives the log the trace id %s', async (header, traceId) => {
    service.logged.length = 0
    await only(head('GET /v1/pets/404 HTTP/1.1', `traceparent: ${header}`, close))
    expect(service.logged.map((line) => line.traceId)).toEqual([traceId])
  })
})
