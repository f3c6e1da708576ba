import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { supportEnd } from '../src/process/node-release.ts'
import { run, serve, testFolder, type Server } from './support/process.ts'
import { postWaiting, talk } from './support/talk.ts'
import { eventually } from './support/wait.ts'

// a start takes a second or two of a busy core
jest.setTimeout(120_000)

const folder = testFolder()

let files = 0
function newDatabase(): string {
  files += 1
  return `sqlite:${folder}/${files}.db`
}

/** Resolves once nobody takes connections at the port any more. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const code = await new Promise<string | undefined>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        resolve(undefined)
        socket.destroy()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code)
      })
    })
    if (code === 'ECONNREFUSED') return
  }
}

describe('on a new store', () => {
  const env = { DATABASE_URL: '', LOG_LEVEL: 'trace' }
  const body = '{"name":"Rex","categoryId":7}'
  let server: Server
  let greeting: string
  let key: string
  beforeAll(async () => {
    env.DATABASE_URL = newDatabase()
    server = await serve(env)
    await server.until(/-d '[^']+'\n\n/)
    greeting = server.stdout()
    key = /ak_[0-9A-Za-z]{49}/.exec(greeting)?.[0] ?? ''
  })

  test('the first start prints one key, in a command that works', async () => {
    expect(greeting.match(/ak_/g)).toHaveLength(1)
    const command = /^ {2}curl -i (\S+) -H '([^']+)' \\\n {4}-H '([^']+)' -d '([^']+)'$/m.exec(greeting)
    const [, address = '', authorization = '', type = '', sent = ''] = command ?? []
    expect({ address, authorization, type, sent }).toEqual({
      address: `${server.address}/pets`,
      authorization: `Authorization: Bearer ${key}`,
      type: 'Content-Type: application/json',
      sent: body,
    })
    const headers = [authorization, type].map((header) => header.split(': ') as [string, string])
    const answer = await fetch(address, { method: 'POST', headers, body: sent })
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 201,
      text: '{"id":1,"name":"Rex","categoryId":7,"status":"available"}',
    })
  })

  test('a Node.js that gets no more security fixes is told once in the log', async () => {
    const line = /"msg":"this version of Node\.js gets no more security fixes, use a newer one"/g
    const times = supportEnd(process.version, Date.now()) === undefined ? 0 : 1
    // the log is written later than the greeting
    await eventually(() => (server.stdout().match(line) ?? []).length >= times)
    expect(server.stdout().match(line) ?? []).toHaveLength(times)
  })

  test('what the process writes later holds no key, no body and no line that a request made up', async () => {
    const send = async (path: string, headers: Record<string, string>, sent?: string): Promise<string> => {
      const init = sent === undefined ? { headers } : { method: 'POST', headers, body: sent }
      return (await fetch(`${server.address}${path}`, init)).text()
    }
    const authorized = { Authorization: `Bearer ${key}` }
    const json = { ...authorized, 'Content-Type': 'application/json' }
    const answers = await Promise.all([
      ...['Bearer', 'bearer', 'Basic', ''].map((scheme) => send('/pets', { Authorization: `${scheme} ${key}` })),
      send('/pets', { Authorization: `Bearer ${key}x` }),
      send(`/pets?api_key=${key}`, {}),
      send(`/pets?api_key=${key}`, authorized),
      send(`/pets/${key}`, authorized),
      send('/pets/%0a%22level%22:50', { ...authorized, 'User-Agent': 'sk-SECRET-123' }),
      send('/pets', json, '{"apiKey":"sk-SECRET-123", oops'),
      send('/pets', json, '{"name":"sk-SECRET-123","categoryId":"sk-SECRET-123"}'),
    ])
    for (const text of answers) expect(text).not.toMatch(/SECRET|ak_[0-9A-Za-z]/)
    await send('/pets', json, '{"name":"x\\n{\\"msg\\":\\"sk-SECRET-123\\"}","categoryId":1}')
    const lines = ['GET /v1/pets HTTP/1.1', `Authorization: Bearer ${key}`, 'X: sk-SECRET-123', 'bad line', '', '']
    await talk(server.port, lines.join('\r\n')).closed
    const later = server.stdout().slice(greeting.length) + server.stderr()
    expect(later).not.toMatch(/SECRET|ak_[0-9A-Za-z]/)
    for (const line of later.split('\n').filter((one) => one !== '')) expect(JSON.parse(line)).toHaveProperty('msg')
  })

  test('SIGTERM lets the running request finish, takes no new one, and ends the process with 0', async () => {
    const idle = talk(server.port, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await idle.until(/"live"}$/)
    const slow = await postWaiting(server.port, key, body.length)
    server.child.kill('SIGTERM')
    await idle.closed
    await refused(server.port)
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n[^]*"name":"Rex"/)
    expect(slow.text().toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(await server.ended).toBe(0)
    expect(server.stderr()).toBe('')
  })

  test('the next start prints no key, and has what was stored; a second signal ends it at once, not with 0', async () => {
    const next = await serve({ ...env, SHUTDOWN_GRACE_MS: '600000' })
    const list = await fetch(`${next.address}/pets?limit=1`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await list.text()).toBe('[{"id":1,"name":"Rex","categoryId":7,"status":"available"}]')
    await postWaiting(next.port, key, 100)
    next.child.kill('SIGINT')
    await next.until(/"msg":"closing"/)
    next.child.kill('SIGTERM')
    expect(await next.ended).not.toBe(0)
    expect(next.stdout()).not.toMatch(/ak_|curl/)
  })
})

describe('in production', () => {
  test('no key is printed, every line is JSON, and a request that does not finish is cut when the time is over', async () => {
    const env = { DATABASE_URL: newDatabase(), NODE_ENV: 'production', SHUTDOWN_GRACE_MS: '300' }
    const server = await serve(env)
    expect((await fetch(`${server.address}/pets`)).status).toBe(401)
    const half = talk(server.port, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n')
    const silent = talk(server.port)
    const answered = talk(server.port, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await answered.until(/"live"}$/)
    server.child.kill('SIGTERM')
    await Promise.all([half.closed, silent.closed, answered.closed])
    expect(await server.ended).toBe(0)
    for (const line of server.stdout().trimEnd().split('\n')) {
      const { level, node, msg } = JSON.parse(line) as { level: number; node?: string; msg: string }
      const isWarning = node !== undefined || msg.startsWith('there was no store, so a new and empty one was made; ')
      expect(level).toBe(isWarning ? 40 : 30)
    }
    expect(server.stdout()).not.toMatch(/ak_|curl/)
    expect(server.stderr()).toBe('')
  })
})

describe('a start that cannot succeed', () => {
  test('because the port is taken says so and ends with 1', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const env = { PORT: String(port), DATABASE_URL: newDatabase(), LOG_LEVEL: 'warn' }
    const { code, stdout, stderr } = await run(['src/main.ts'], env)
    await new Promise((resolve) => taken.close(resolve))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `Cannot listen on 127.0.0.1:${port}: another process listens there. Set HOST and PORT to another address.\n`,
    )
  })

  test('because the address is not one of this machine says so and ends with 1', async () => {
    const env = { HOST: '192.0.2.1', PORT: '0', DATABASE_URL: newDatabase(), LOG_LEVEL: 'warn' }
    expect(await run(['src/main.ts'], env)).toMatchObject({
      code: 1,
      stderr:
        'Cannot listen on 192.0.2.1:0: this machine does not have that address. Set HOST and PORT to another address.\n',
    })
  })

  test('because of wrong values names each of them and ends with 1', async () => {
    const { code, stdout, stderr } = await run(['src/main.ts'], {
      PORT: '80x',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://user:hunter2@db/pets',
      PUBLIC_URL: 'api.example.com',
      CORS_ORIGINS: 'https://app.example.com/',
      SHUTDOWN_GRACE_MS: '10s',
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'PUBLIC_URL', 'CORS_ORIGINS', 'SHUTDOWN_GRACE_MS']) {
      expect(stderr).toMatch(new RegExp(`^${name} must be .+\\.$`, 'm'))
    }
    expect(stderr).not.toMatch(/hunter2|\n\s+at /)
  })

  test('because of its database says why in a sentence and ends with 1', async () => {
    writeFileSync(`${folder}/diary`, 'Dear diary, '.repeat(1000))
    const env = { PORT: '0', DATABASE_URL: `sqlite:${folder}/diary` }
    const { code, stdout, stderr } = await run(['src/main.ts'], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^The database \S+diary cannot be opened: .+\.\n$/)
  })
})
