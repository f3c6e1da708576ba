import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { handlers } from '../../generated/handlers.ts'
import { exchange, lines, rawRequests, rex, roomForStrangers, statuses } from '../support/raw.ts'
import { talk } from '../support/talk.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, post, storedNames } = rawRequests(() => service)

describe('several requests on a connection', () => {
  test('pipelined requests are answered in their order', async () => {
    const ids = await Promise.all(
      ['P', 'Q'].map(async (name) => {
        const { id } = await service.stores.pets.add({ name, categoryId: 1n, status: 'sold' })
        return String(id)
      }),
    )
    const targets = [ids[0], 'abc', ids[1]].map((id) => `GET /v1/pets/${id ?? ''} HTTP/1.1`)
    const { answers } = await exchange(service.port, targets.map((line) => head(line)).join(''))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200])
    expect(answers.map(({ body }) => /"name":"(.)"/.exec(body)?.[1])).toEqual(['P', undefined, 'Q'])
  })

  test.each([
    ['garbage', 'BAD\r\n\r\n', 400],
    ['a broken Content-Length', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
    ['too large a head', `GET / HTTP/1.1\r\nHost: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['an expectation', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\nx', 417],
  ])(
    'a request before %s is answered whole, then the fault is answered and the connection closed',
    async (_, bad, status) => {
      for (const good of [head('GET /v1/pets/404 HTTP/1.1'), head('GET /v1/pets/404 HTTP/1.1').repeat(3)]) {
        const count = good.length / head('GET /v1/pets/404 HTTP/1.1').length
        const result = await exchange(service.port, good + bad, { quietMs: 3000 })
        expect(statuses(result)).toEqual([...Array.from({ length: count }, () => 404), status])
        expect(result.closed).toBe(true)
        for (const { body, ...answer } of result.answers) expectError(body, answer.status)
      }
    },
  )

  test('an animal that was sent before garbage is stored once and its answer arrives', async () => {
    const { answers, closed } = await exchange(service.port, `${post('{"name":"Once","categoryId":1}')}BAD\r\n\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([201, 400])
    expect(closed).toBe(true)
    expect((await storedNames()).filter((name) => name === 'Once')).toEqual(['Once'])
  })

  test('a slow answer is waited for before garbage behind it is answered', async () => {
    const slow = await startService(roomForStrangers, {
      handlers: {
        ...handlers,
        getPet: async (request, stores) => {
          await sleep(100)
          return handlers.getPet(request, stores)
        },
      },
    })
    const bytes = lines('GET /v1/pets/404 HTTP/1.1', 'Host: a', `Authorization: Bearer ${slow.key}`)
    const result = await exchange(slow.port, `${bytes}BAD\r\n\r\n`)
    expect(statuses(result)).toEqual([404, 400])
    expect(result.closed).toBe(true)
    await slow.stop()
  })

  test.each([
    ['a 415', (): string => head('POST /v1/pets HTTP/1.1', 'Content-Length: 2') + 'xx', 415],
    [
      'a 413',
      (): string =>
        head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100001') +
        'x'.repeat(100_001),
      413,
    ],
    ['a 404 whose body is left', (): string => head('POST /v1/nothing HTTP/1.1', 'Content-Length: 2') + 'xx', 404],
    ['a GET with a body', (): string => head('GET /v1/pets/404 HTTP/1.1', 'Content-Length: 2') + 'xx', 404],
    ['a 405 of a page', (): string => head('POST /livez HTTP/1.1', 'Content-Length: 2') + 'xx', 405],
  ])('a request behind %s, which closes the connection, is not carried out', async (_, closing, status) => {
    const before = await storedNames()
    const { answers, closed } = await exchange(service.port, closing() + post(rex) + post(rex), {
      quietMs: 3000,
      page: status === 405,
    })
    // what is read of a body that was left may be a whole one
    expect(answers.map((answer) => answer.status)).toEqual([status])
    expect(closed).toBe(true)
    expect(await storedNames()).toEqual(before)
  })

  test('a flood of pipelined requests is not read, memory stays, and others are answered', async () => {
    const flood = Buffer.from(lines('GET /readyz HTTP/1.1', 'Host: a').repeat(2000))
    const begin = process.memoryUsage().rss
    let sent = 0
    const { socket, closed } = talk(service.port)
    const pour = (): void => {
      while (sent < 200_000_000 && socket.write(flood)) sent += flood.length
    }
    // the answers are not read
    socket.pause()
    socket.on('drain', pour)
    pour()
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await fetch(`http://127.0.0.1:${service.port}/livez`)).status).toBe(200)
      await sleep(20)
    }
    expect(sent).toBeLessThan(50_000_000)
    expect(process.memoryUsage().rss - begin).toBeLessThan(150_000_000)
    socket.destroy()
    await closed
  })
})
