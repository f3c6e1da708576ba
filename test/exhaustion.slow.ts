import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { client, kept, pipelined, type Answer } from './support/client.ts'
import { serveWithKey, type KeyedServer } from './support/enterprise-key.ts'
import { endAll, newFiles, serve, start, testFolder } from './support/process.ts'
import { freePort } from './support/servers/redis.ts'
import { talk } from './support/talk.ts'
import { eventually } from './support/wait.ts'

jest.setTimeout(600_000)

const folder = testFolder()
afterEach(endAll)

const newFile = newFiles(folder)

const serveNew = (): Promise<KeyedServer> => serveWithKey(newFile())

const ask = (port: number, path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

const fullDevice = existsSync('/dev/full') ? test : test.skip

describe('standard output', () => {
  test('that nobody reads any more does not stop the service, which ends with exit code 0', async () => {
    const { server, key } = await serveNew()
    server.child.stdout?.destroy()
    const { send, end } = client(server.port, key)
    for (let count = 0; count < 200; count += 1) expect((await send('/v1/pets')).status).toBe(200)
    end()
    expect(await server.stop()).toBe(0)
    expect(server.stderr()).toBe('')
  })

  test('that was closed before the first start could print its key does not stop the service', async () => {
    const file = newFile()
    const server = await serve({ DATABASE_URL: `sqlite:${file}` })
    server.child.stdout?.destroy()
    expect((await ask(server.port, '/livez')).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  fullDevice('on a full disk does not stop the service', async () => {
    const full = openSync('/dev/full', 'w')
    const port = await freePort()
    const env = { PORT: String(port), DATABASE_URL: `sqlite:${newFile()}`, NODE_ENV: 'production' }
    const server = start(['src/main.ts'], env, { stdout: full })
    closeSync(full)
    await eventually(() => ask(port, '/readyz').catch(() => false))
    expect((await ask(port, '/readyz')).status).toBe(200)
    for (let count = 0; count < 50; count += 1) expect((await ask(port, '/v1/pets')).status).toBe(401)
    expect(await server.stop()).toBe(0)
    expect(server.stderr()).toBe('')
  })

  test('that is blocked costs lines beyond 8 MB and no request, and the log continues when it is read again', async () => {
    const { server, key } = await serveNew()
    await server.until(/"msg":"listening"/)
    server.child.stdout?.pause()
    const id = 'x'.repeat(64)
    const ask = `GET /v1/pets/404 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${id}\r\n\r\n`
    const sent = 60_000
    await pipelined(server.port, ask, sent)
    server.child.stdout?.resume()
    // the lines that waited come first, then the new ones
    const again = `GET /v1/pets/404 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: again\r\n\r\n`
    const later = setInterval(() => void talk(server.port, again), 100)
    await server.until(/"requestId":"again"/)
    clearInterval(later)
    const lines = server
      .stdout()
      .split('\n')
      .filter((line) => line.includes(id)).length
    expect(lines).toBeLessThan(sent)
    expect(Buffer.byteLength(server.stdout())).toBeLessThan(9_000_000)
    expect(Buffer.byteLength(server.stdout())).toBeGreaterThan(7_000_000)
    process.stdout.write(`blocked log: ${sent} requests answered, ${lines} lines kept\n`)
  })

  test('that is blocked does not delay the end of the process', async () => {
    const { server, key } = await serveNew()
    server.child.stdout?.pause()
    await pipelined(server.port, `GET /v1/pets/404 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`, 2000)
    const exited = new Promise((resolve) => server.child.once('exit', resolve))
    server.child.kill('SIGTERM')
    expect(await exited).toBe(0)
    server.child.stdout?.resume()
  })
})

const descriptors = process.platform === 'linux' ? describe : describe.skip
descriptors('when file descriptors run out', () => {
  test('open connections are served, and new ones are accepted when others have closed', async () => {
    const { server, key } = await serveNew()
    const first = kept(server.port, key)
    expect(await first.ask()).toMatch(/^HTTP\/1\.1 404 /)
    const used = readdirSync(`/proc/${server.child.pid ?? 0}/fd`).length
    execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${used + 8}:${used + 8}`])
    const crowd = Array.from({ length: 200 }, () => talk(server.port, 'GET /v1/pets HTTP/1.1\r\n'))
    const refused = crowd.map(({ closed, socket }, index) => closed.then(() => (socket.bytesRead === 0 ? index : -1)))
    // most are refused at once, without a byte
    await Promise.race(refused)

    for (let count = 0; count < 20; count += 1) {
      expect(await first.ask()).toMatch(/^HTTP\/1\.1 404 /)
      expect(await first.ask('/livez')).toMatch(/^HTTP\/1\.1 200 /)
    }
    expect(await first.ask('/metrics')).toMatch(/^HTTP\/1\.1 200 /)
    const body = '{"name":"Rex","categoryId":7}'
    const head = ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
    first.socket.write([...head, `Content-Length: ${body.length}`, '', body].join('\r\n'))
    await first.until(/HTTP\/1\.1 201 /)

    for (const { socket } of crowd) socket.destroy()
    const { send, end } = client(server.port, key)
    let answer: Answer | undefined
    while (answer === undefined) answer = await send('/v1/pets').catch(() => undefined)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toContain('"name":"Rex"')
    end()
    expect(await server.stop()).toBe(0)
    expect(server.stdout().match(/cannot accept connections/g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(server.stdout().match(/"level":(50|60)/g)?.length ?? 0).toBeLessThanOrEqual(3)
  })

  test.each(['/docs', '/', '/openapi.yaml', '/v1/pets'])(
    'a first request for %s is 503 at worst, and 200 when there are some again',
    async (path) => {
      const { server, key } = await serveNew()
      const first = kept(server.port, key)
      expect(await first.ask('/livez')).toMatch(/^HTTP\/1\.1 200 /)
      const pid = String(server.child.pid)
      const before = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? ''
      execFileSync('prlimit', ['--pid', pid, '--nofile=1:'])
      const without = await first.ask(path)
      expect(without).toMatch(/^HTTP\/1\.1 (200|503) /)
      if (path === '/docs') expect(without).toMatch(/^HTTP\/1\.1 503 [^]*"code":"unavailable"/)
      execFileSync('prlimit', ['--pid', pid, `--nofile=${before}:`])
      expect((await ask(server.port, path === '/v1/pets' ? '/readyz' : path)).status).toBe(200)
      expect(await first.ask()).toMatch(/^HTTP\/1\.1 404 /)
      first.socket.destroy()
      expect(await server.stop()).toBe(0)
    },
  )
})
