import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exchange, rawRequests, roomForStrangers, statuses } from '../support/raw.ts'
import { startService, type TestService } from '../support/service.ts'
import { talk } from '../support/talk.ts'
import { eventually } from '../support/wait.ts'

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
})
afterAll(() => service.stop())

const { head, post, storedNames } = rawRequests(() => service)

/** A client that sends all at once: each request has its own answer, so that one in a wrong place is seen. */
function pipeline(name: string, ids: readonly string[]): { bytes: string; expected: string[] } {
  const requests: [bytes: string, expected: string][] = [
    [head(`GET /v1/pets/${ids[0] ?? ''} HTTP/1.1`), '200 first'],
    [head('GET /v1/pets/x HTTP/1.1'), '400 undefined'],
    [head(`GET /v1/pets/${ids[1] ?? ''} HTTP/1.1`), '200 second'],
    [post(`{"name":"${name}","categoryId":1}`), `201 ${name}`],
    [head('GET /v1/pets/404404 HTTP/1.1'), '404 undefined'],
    [head('GET /v1/pets?limit=1 HTTP/1.1'), '200 first'],
    [post('{"name":"","categoryId":1}'), '400 undefined'],
    [head(`GET /v1/pets/${ids[1] ?? ''} HTTP/1.1`, 'Connection: close'), '200 second'],
  ]
  return { bytes: requests.map(([bytes]) => bytes).join(''), expected: requests.map(([, expected]) => expected) }
}

describe('clients whose requests share turns of the event loop', () => {
  let ids: string[] = []
  beforeAll(async () => {
    const pets = ['first', 'second'].map((name) =>
      service.stores.pets.add({ name, categoryId: 1n, status: 'sold' } as const),
    )
    ids = (await Promise.all(pets)).map(({ id }) => String(id))
  })

  test('get their own answers in order, beside clients that reset, read slowly or ask for heads', async () => {
    const gone = Array.from({ length: 8 }, (_, index) => {
      const talking = talk(service.port, pipeline(`gone${String(index)}`, ids).bytes.repeat(3))
      talking.socket.once('data', () => talking.socket.resetAndDestroy())
      return talking
    })
    const slow = talk(service.port, head('GET /v1/pets?limit=2 HTTP/1.1').repeat(40))
    slow.socket.pause()
    const heads = talk(service.port, head(`HEAD /v1/pets/${ids[0] ?? ''} HTTP/1.1`, 'Connection: close'))
    const clients = Array.from({ length: 24 }, async (_, index) => {
      const { bytes, expected } = pipeline(`pet${String(index)}`, ids)
      const { answers, closed } = await exchange(service.port, bytes, { quietMs: 10_000 })
      const seen = answers.map(({ status, body }) => `${String(status)} ${String(/"name":"(\w+)"/.exec(body)?.[1])}`)
      expect(seen).toEqual(expected)
      expect(closed).toBe(true)
    })
    await Promise.all(clients)
    await heads.closed
    expect(heads.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Content-Length: [1-9]\d*\r\n[^]*\r\n\r\n$/)
    slow.socket.resume()
    await eventually(() => slow.text().split('HTTP/1.1 200 OK').length === 41)
    slow.socket.destroy()
    await eventually(() => gone.every(({ socket }) => socket.destroyed))
    const names = await storedNames()
    for (let index = 0; index < 24; index += 1) {
      expect(names.filter((name) => name === `pet${String(index)}`)).toEqual([`pet${String(index)}`])
    }
  })

  test('are each counted once, with a duration', async () => {
    const before = await counted()
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const bytes = head(`GET /v1/pets/${ids[0] ?? ''} HTTP/1.1`).repeat(9)
        const last = head(`GET /v1/pets/${ids[0] ?? ''} HTTP/1.1`, 'Connection: close')
        const result = await exchange(service.port, bytes + last, { quietMs: 10_000 })
        expect(statuses(result)).toEqual(Array.from({ length: 10 }, () => 200))
      }),
    )
    const after = await counted()
    expect({ requests: after.requests - before.requests, durations: after.durations - before.durations }).toEqual({
      requests: 200,
      durations: 200,
    })
    expect(after.seconds).toBeGreaterThan(before.seconds)
  })

  async function counted(): Promise<{ requests: number; durations: number; seconds: number }> {
    const text = await (await fetch(`http://127.0.0.1:${String(service.port)}/metrics`)).text()
    const value = (line: string): number =>
      Number(
        text
          .split('\n')
          .find((one) => one.startsWith(line))
          ?.split(' ')[1],
      )
    return {
      requests: value('http_requests_total{operation="getPet",status="200"}'),
      durations: value('http_request_duration_seconds_count{operation="getPet"}'),
      seconds: value('http_request_duration_seconds_sum{operation="getPet"}'),
    }
  }
})
