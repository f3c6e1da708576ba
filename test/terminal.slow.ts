import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { endAll, newFiles, serve, startCommand, testFolder, works, type Running } from './support/process.ts'
import { describeRedis, testRedis, type TestRedis } from './support/servers/redis.ts'
import { eventually } from './support/wait.ts'

jest.setTimeout(120_000)

const newFile = newFiles(testFolder())
afterEach(endAll)

const service = `exec ${process.execPath} --import tsx src/main.ts`

/** Starts the service on a terminal with this width. */
function onTerminal(columns: number, env: Record<string, string>): Running {
  return startCommand('script', ['-qec', `stty cols ${columns}; ${service}`, '/dev/null'], {
    env: { TERM: 'xterm', PORT: '0', ...env },
  })
}

/** The address of the API, from the banner. */
async function addressOf(running: Running): Promise<string> {
  const [, address = ''] = await running.until(/API\S* +(?:\S+m)?(http:\S+\/v1)[^]*Ctrl-C stops it\./)
  return address
}

const escape = '\u001b'

// as on systems whose `script` is another program
;(works('script', ['-qec', 'true', '/dev/null']) ? describe : describe.skip)('at a terminal', () => {
  test('a start shows a banner and its requests in lines, and Ctrl-C stops it', async () => {
    const file = newFile()
    const first = onTerminal(80, { DATABASE_URL: `sqlite:${file}` })
    const address = await addressOf(first)
    await first.until(/-d '[^']+'\r\n/)
    expect(first.stdout()).toContain(`${escape}[`)
    expect(first.stdout()).toContain('1 active (new, Free plan)')
    const [key = ''] = /ak_\w{49}/.exec(first.stdout()) ?? []
    expect(first.stdout().split(key)).toHaveLength(2)
    const before = first.stdout().length

    const send = async (path: string, init: RequestInit = {}): Promise<number> => {
      return (await fetch(address + path, { headers: { Authorization: `Bearer ${key}` }, ...init })).status
    }
    expect(await send(`/pets?limit=3&status=${key}`)).toBe(400)
    expect(await send('/pets?limit=3')).toBe(200)
    expect(await send(`/pets/${key}`)).toBe(400)
    const body = '{"name":"sk-SECRET-123","categoryId":7,"x":1}'
    expect(await send('/pets', { method: 'POST', body })).toBe(415)
    await first.until(/POST \/v1\/pets/)

    const told = first
      .stdout()
      .slice(before)
      .replace(/\u001b\[\d+m/g, '')
    expect(told).toMatch(/^\d\d:\d\d:\d\d GET \/v1\/pets\?limit&status 400 \d+\.\d ms listPets code=invalid_request /m)
    expect(told).toMatch(/^\d\d:\d\d:\d\d GET \/v1\/pets\?limit 200 \d+\.\d ms listPets\r$/m)
    expect(told).toMatch(/^\d\d:\d\d:\d\d GET \/v1\/pets\/ak_… 400 /m)
    expect(told).not.toMatch(/SECRET|ak_\w{5}/)
    first.child.stdin?.write('\u0003')
    expect(await first.ended).toBe(0)

    // the next one knows its key, on a narrow terminal that wants no colours
    const next = onTerminal(40, { DATABASE_URL: `sqlite:${file}`, NO_COLOR: '1' })
    await addressOf(next)
    const text = next.stdout()
    expect(text).toContain('  Keys   1 active\r\n')
    expect(text).not.toMatch(/ak_|curl/)
    expect(text).not.toContain(escape)
    const shown = text.slice(text.indexOf('\r\n\r\n')).split('\r\n')
    expect(shown.length).toBeGreaterThan(10)
    for (const line of shown) expect(Array.from(line).length).toBeLessThanOrEqual(40)
    next.child.stdin?.write('\u0003')
    expect(await next.ended).toBe(0)
  })

  test('LOG_FORMAT=json keeps the lines for programs, without a banner', async () => {
    const json = onTerminal(80, { DATABASE_URL: `sqlite:${newFile()}`, LOG_FORMAT: 'json', NODE_ENV: 'production' })
    await json.until(/"msg":"listening"/)
    json.child.stdin?.write('\u0003')
    expect(await json.ended).toBe(0)
    const lines = json.stdout().replace(/^\^C/m, '').trim().split('\r\n')
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg')
    expect(lines.length).toBeGreaterThan(1)
  })

  describeRedis('with several workers', () => {
    let redis: TestRedis
    beforeAll(async () => {
      redis = await testRedis()
      await redis.start()
    })
    afterAll(() => redis.stop())

    test('one banner is shown', async () => {
      const env = { DATABASE_URL: `sqlite:${newFile()}`, WORKERS: '3', REDIS_URL: redis.url }
      const workers = onTerminal(80, env)
      await eventually(() => workers.stdout().split(' listening ').length === 4)
      await workers.until(/Ctrl-C stops it\./)
      expect(workers.stdout()).toContain(new URL(redis.url).host)
      workers.child.stdin?.write('\u0003')
      expect(await workers.ended).toBe(0)
      expect(workers.stdout().split('Ctrl-C stops it.')).toHaveLength(2)
    })
  })
})

describe('in a pipe', () => {
  test('LOG_FORMAT=pretty writes lines for people, without colours and banner', async () => {
    const env = { DATABASE_URL: `sqlite:${newFile()}`, LOG_FORMAT: 'pretty', PORT: '0' }
    const running = startCommand('sh', ['-c', service], { env })
    const [, address = ''] = await running.until(/^\d\d:\d\d:\d\d listening address=(\S+) production=false$/m)
    await fetch(`${address}/pets`)
    await running.until(/^\d\d:\d\d:\d\d GET \/v1\/pets 401 \d+\.\d ms code=unauthorized requestId=\S+$/m)
    expect(await running.stop()).toBe(0)
    expect(running.stdout()).toMatch(/closing signal=SIGTERM\n$/)
    expect(running.stdout()).not.toMatch(/Ctrl-C|"msg"/)
    expect(running.stdout()).not.toContain(escape)
  })

  test('lines are JSON, and no request has its path', async () => {
    const server = await serve({ DATABASE_URL: `sqlite:${newFile()}`, NODE_ENV: 'production' })
    await fetch(`${server.address}/pets/12345`)
    expect(await server.stop()).toBe(0)
    const lines = server.stdout().trim().split('\n')
    const requests = lines.map((line) => JSON.parse(line) as object).filter((line) => 'method' in line)
    expect(requests).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        requestId: expect.any(String),
        method: 'GET',
        status: 401,
        code: 'unauthorized',
        durationMs: expect.any(Number),
        msg: 'request',
      },
    ])
  })

  test.each(['json', 'pretty'])('a reader that has read enough is no fault, with LOG_FORMAT=%s', async (format) => {
    const running = startCommand('sh', ['-c', service], {
      env: { DATABASE_URL: `sqlite:${newFile()}`, PORT: '0', LOG_FORMAT: format },
    })
    const [, address = ''] = await running.until(/"?address"?[=:]"?(http:[^\s"]+)/)
    // as `| head -1`
    running.child.stdout?.destroy()
    for (let count = 0; count < 3; count += 1) expect((await fetch(`${address}/pets`)).status).toBe(401)
    expect(await running.stop()).toBe(0)
    expect(running.stderr()).toBe('')
  })
})
