import { expect, test } from '@jest/globals'
import { startService } from '../support/service.ts'
import { talk } from '../support/talk.ts'

const each = 5000
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'PROPFIND', 'M-SEARCH', 'TRACE', 'BIND', 'REPORT']

test('the series of /metrics are as many after 5000 paths, ids, keys, names and methods as before', async () => {
  const service = await startService()
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  const series = async (): Promise<string[]> =>
    (await metrics())
      .split('\n')
      .filter((line) => !/^(#|$|nodejs_|process_)/.test(line))
      .map((line) => line.slice(0, line.lastIndexOf(' ')))

  const authorized = `Authorization: Bearer ${service.key}`
  const kinds: ((index: number) => string[])[] = [
    (index) => [`GET /v1/path-${index} HTTP/1.1`, authorized],
    (index) => [`GET /v1/pets/${index + 1_000_000} HTTP/1.1`, authorized],
    (index) => [`GET /v1/pets?name-${index}=value-${index} HTTP/1.1`, authorized],
    (index) => ['GET /v1/pets HTTP/1.1', `Authorization: Bearer key-${index}`],
    (index) => ['GET /v1/pets HTTP/1.1', authorized, `X-Request-Id: id-${index}`, `User-Agent: agent-${index}`],
    (index) => [`${methods[index % methods.length] ?? ''} /v1/pets HTTP/1.1`, authorized, 'Content-Length: 0'],
    (index) => [`GET /page-${index} HTTP/1.1`],
    (index) => [`METHOD-${index} /v1/pets HTTP/1.1`],
  ]
  const send = async (kind: (index: number) => string[], from: number, to: number): Promise<void> => {
    const requests = Array.from({ length: to - from }, (_, index) =>
      [...kind(from + index), 'Host: a', '', ''].join('\r\n'),
    )
    const { closed, socket } = talk(
      service.port,
      requests.join('') + 'GET /livez HTTP/1.1\r\nConnection: close\r\nHost: a\r\n\r\n',
    )
    socket.resume()
    await closed
  }
  for (const kind of kinds) await send(kind, 0, methods.length)
  const before = await series()
  const counted = (): Promise<number> =>
    metrics().then((text) =>
      Array.from(text.matchAll(/^http_requests_total\{.*\} (\d+)$/gm)).reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      ),
    )
  const requestsBefore = await counted()
  for (const kind of kinds) await send(kind, methods.length, methods.length + each)
  expect(await series()).toEqual(before)
  // pages are not counted, and the first method that is none ends its connection
  expect((await counted()) - requestsBefore).toBe(6 * each + 1)
  expect(await metrics()).not.toMatch(/path-|key-|id-\d|agent-|name-\d|METHOD|PROPFIND/)
  await service.stop()
})
