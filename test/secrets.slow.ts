import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { handlers } from '../generated/handlers.ts'
import { enterpriseKey } from './support/enterprise-key.ts'
import { run, serve, start, testFolder, type Server } from './support/process.ts'
import { describeRedis, testRedis } from './support/servers/redis.ts'
import { startService } from './support/service.ts'
import { talk } from './support/talk.ts'
import { Database } from '../src/store/sqlite/connection/driver.ts'

jest.setTimeout(600_000)

const folder = testFolder()

/** Stands for everything that must not be disclosed: keys, passwords, and the content of requests. */
const secret = 'Xylophone7Quince'

/** Finds the secret, also in hexadecimal and in base64. */
const leak = /xylophone|58796c6f70686f6e65|WHlsb3Bob25l/i

/** Requests with the secret at every place where a client can put it; `key` is valid. */
function failing(key: string): [name: string, bytes: string][] {
  const head = (line: string, ...headers: string[]): string =>
    [line, 'Host: a', `Authorization: Bearer ${key}`, 'Connection: close', ...headers, '', ''].join('\r\n')
  const post = (body: string, ...headers: string[]): string =>
    head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers) +
    body
  const stranger = (line: string, ...headers: string[]): string =>
    [line, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n')
  return [
    ['401 for a wrong key', stranger('GET /v1/pets HTTP/1.1', `Authorization: Bearer ${secret}`)],
    [
      '401 for a key of the right form',
      stranger('GET /v1/pets HTTP/1.1', `Authorization: Bearer ak_${secret}`.padEnd(74, '0')),
    ],
    ['401 for another scheme', stranger('GET /v1/pets HTTP/1.1', `Authorization: Basic ${btoa(`u:${secret}`)}`)],
    ['401 with the key in the query', stranger(`GET /v1/pets?api_key=${secret} HTTP/1.1`)],
    ['401 with the key in the authority', stranger(`GET http://u:${secret}@a/v1/pets HTTP/1.1`)],
    ['400 for a query value', head(`GET /v1/pets?status=${secret} HTTP/1.1`)],
    ['400 for a cursor', head(`GET /v1/pets?cursor=${secret} HTTP/1.1`)],
    ['400 for a path value', head(`GET /v1/pets/${secret} HTTP/1.1`)],
    ['400 for broken escapes', head(`GET /v1/pets/${secret}%FF HTTP/1.1`)],
    ['400 for JSON that breaks off', post(`{"name":"${secret}`)],
    ['400 for JSON with junk', post(`{"name":"A","categoryId":1} ${secret}`)],
    ['400 for a field value', post(`{"name":"A","categoryId":"${secret}"}`)],
    ['400 for a status', post(`{"name":"A","categoryId":1,"status":"${secret}"}`)],
    ['400 for two values of a field', post(`{"name":"${secret}","name":"B","categoryId":1}`)],
    ['400 for two Hosts', head('GET /v1/pets HTTP/1.1', `Host: ${secret}`)],
    ['400 for a fragment', head(`GET /v1/pets#${secret} HTTP/1.1`)],
    ['400 by the parser, in a line', `${secret}\r\n\r\n`],
    ['400 by the parser, in a header', head('GET /v1/pets HTTP/1.1', `${secret} ${secret}`)],
    ['400 by the parser, in a length', head('POST /v1/pets HTTP/1.1', `Content-Length: ${secret}`)],
    ['400 for CONNECT', `CONNECT ${secret}:443 HTTP/1.1\r\nHost: ${secret}\r\n\r\n`],
    ['404 for a path', head(`GET /v1/${secret} HTTP/1.1`)],
    ['404 for an animal', head('GET /v1/pets/404 HTTP/1.1', `User-Agent: ${secret}`, `X-${secret}: ${secret}`)],
    ['404 for a page', stranger(`GET /${secret}?${secret} HTTP/1.1`, `Referer: ${secret}`)],
    ['405', head('DELETE /v1/pets HTTP/1.1', `Cookie: ${secret}`)],
    ['413', head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 200000') + secret],
    [
      '415',
      head('POST /v1/pets HTTP/1.1', `Content-Type: text/${secret}`, `Content-Length: ${secret.length}`) + secret,
    ],
    ['415 for a charset', post('{}', `X: ${secret}`).replace('json', `json; charset=${secret}`)],
    ['417', head('GET /v1/pets HTTP/1.1', `Expect: ${secret}`)],
    ['431', head('GET /v1/pets HTTP/1.1', `X: ${secret.repeat(2000)}`)],
    ['an id that is not safe', head('GET /v1/pets HTTP/1.1', `X-Request-Id: ${secret} "`)],
    ['a client that goes away', post(`{"name":"${secret}`, 'X: y').replace(/Length: \d+/, 'Length: 99')],
  ]
}

async function answerTo(port: number, bytes: string): Promise<string> {
  const one = talk(port, bytes)
  // the server must not wait for the rest of an incomplete request
  one.socket.once('ready', () => setTimeout(() => one.socket.end(), 50))
  await one.closed
  return one.text()
}

/** Sends all of them, and gives the texts that must not contain the secret: the answers and the metrics. */
async function sendAll(port: number, key: string): Promise<[name: string, text: string][]> {
  const answers: [string, string][] = []
  for (const [name, bytes] of failing(key)) answers.push([name, await answerTo(port, bytes)])
  answers.push(['/metrics', await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()])
  return answers
}

describe('a process', () => {
  let server: Server
  let key: string
  let file: string
  beforeAll(async () => {
    file = `${folder}/store.db`
    key = await enterpriseKey(file)
    server = await serve({ DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: 'trace', ANONYMOUS_PER_MINUTE: '40' })
  })

  test('tells nothing of what its refusals were sent, in answers, metrics and output', async () => {
    const answers = await sendAll(server.port, key)
    const statuses = new Set(answers.map(([, text]) => text.slice(9, 12)))
    for (const status of ['400', '401', '404', '405', '413', '415', '417', '431']) expect(statuses).toContain(status)
    for (const [name, text] of answers) expect({ name, leak: leak.exec(text) }).toEqual({ name, leak: null })
  })

  test('tells nothing of the keys that it refuses as too many', async () => {
    let text = ''
    for (let sent = 0; sent < 100 && !text.startsWith('HTTP/1.1 429 '); sent += 1) {
      text = await answerTo(
        server.port,
        `GET /v1/pets?${secret} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
      )
      expect(text).not.toMatch(leak)
    }
    expect(text).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('tells nothing of what it could not store', async () => {
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    const body = `{"name":"${secret}","categoryId":1}`
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${server.address}/pets`, { method: 'POST', headers, body })
    other.exec('ROLLBACK')
    other.close()
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toMatch(leak)
  })

  test('has written none of it, nor its keys, when it has ended', async () => {
    expect(await server.stop()).toBe(0)
    const written = server.stdout() + server.stderr()
    const lines = written.split('\n').filter((line) => line !== '' && line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(40)
    for (const line of lines) expect(line).not.toMatch(leak)
    expect(written).not.toMatch(leak)
    expect(written).not.toContain(key)
    expect(written).not.toContain(key.slice(3, 46))
  })
})

describe('a service whose handler fails', () => {
  test('logs the fault with its stack, and neither it nor the answer has the request in it', async () => {
    const logged: string[] = []
    const service = await startService(
      {},
      {
        handlers: {
          ...handlers,
          createPet: () => Promise.reject(new Error('the shelf fell down')),
          listPets: () => {
            // eslint-disable-next-line @typescript-eslint/only-throw-error -- some libraries throw such values
            throw { code: 'ODD' }
          },
        },
      },
    )
    const send = async (path: string, body?: string): Promise<string> => {
      const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', 'X-A': secret }
      const init = body === undefined ? { headers } : { method: 'POST', headers, body }
      const answer = await fetch(`http://127.0.0.1:${service.port}/v1/pets${path}`, init)
      expect(answer.status).toBe(500)
      return answer.text()
    }
    const answers = [await send('', `{"name":"${secret}","categoryId":1}`), await send('?limit=1')]
    for (const text of answers) {
      expect(text).toBe('{"code":"internal_error","message":"The service failed to answer.","status":500}')
    }
    logged.push(...service.logged.map((line) => JSON.stringify(line)))
    expect(logged.join('\n')).toContain('Error: the shelf fell down\\n    at ')
    expect(logged.join('\n')).not.toMatch(leak)
    expect(logged.join('\n')).not.toContain(service.key)
    await service.stop()
  })
})

describe('a start', () => {
  test.each([
    ['DATABASE_URL', `postgres-ish://user:${secret}@db/pets`],
    ['DATABASE_URL', `mysql://user:${secret}@db/pets`],
    ['DATABASE_URL', `sqlite:/x?password=${secret}`],
    ['DATABASE_URL', `postgres://user:${secret}@127.0.0.1:1/pets`],
    ['DATABASE_URL', `postgres://user:${secret}@127.0.0.1/`],
    ['DATABASE_URL', `postgres://user:${secret}@127.0.0.1:port/pets`],
    ['DATABASE_URL', `postgres://user:%${secret}@127.0.0.1/pets`],
    ['REDIS_URL', `http://:${secret}@redis`],
    ['REDIS_URL', `redis://:${secret}@redis:port`],
    ['PUBLIC_URL', `https://user:${secret}@api.example.com`],
    ['CORS_ORIGINS', `https://user:${secret}@app.example.com`],
  ])('that refuses %s=%s does not repeat its password', async (name, value) => {
    const { code, stdout, stderr } = await run(['src/main.ts'], { PORT: '0', [name]: value })
    expect(code).toBe(1)
    expect(stderr).toContain(name)
    expect(stdout + stderr).not.toMatch(leak)
  })
})

describeRedis('a Redis that refuses the password', () => {
  test('is named in the log, and the password is not', async () => {
    const redis = await testRedis()
    await redis.start()
    const admin = redis.client()
    await admin.config('SET', 'requirepass', 'other')
    const file = `${folder}/redis.db`
    const key = await enterpriseKey(file)
    const url = redis.url.replace('redis://', `redis://:${secret}@`)
    const server = await serve({ DATABASE_URL: `sqlite:${file}`, REDIS_URL: url, LOG_LEVEL: 'trace' })
    for (const [name, text] of await sendAll(server.port, key))
      expect({ name, leak: leak.exec(text) }).toEqual({ name, leak: null })
    expect(await (await fetch(`http://127.0.0.1:${server.port}/readyz`)).text()).toBe('{"status":"degraded"}')
    expect(await server.stop()).toBe(0)
    await redis.stop()
    expect(server.stdout()).toMatch(/WRONGPASS|NOAUTH/)
    expect(server.stdout() + server.stderr()).not.toMatch(leak)
  })
})

describe('a crash', () => {
  test('at the start and while serving tells nothing of the environment', async () => {
    writeFileSync(`${folder}/not-a-database`, secret.repeat(1000))
    const broken = await run(['src/main.ts'], { PORT: '0', DATABASE_URL: `sqlite:${folder}/not-a-database` })
    expect(broken.code).toBe(1)
    expect(broken.stdout + broken.stderr).not.toMatch(leak)

    const fault = `process.stdin.once('data', (data) => {
      throw Object.assign(new Error('crash'), { command: { args: [String(data)] }, config: { url: String(data) } })
    })`
    const env = { PORT: '0', DATABASE_URL: `sqlite:${folder}/crash.db`, NODE_ENV: 'production', PGPASSWORD: secret }
    const options = `--import=data:text/javascript,${encodeURIComponent(fault)}`
    const server = start(['src/main.ts'], { ...env, NODE_OPTIONS: options })
    await server.until(/"msg":"listening"/)
    server.child.stdin?.write(secret)
    expect(await server.ended).toBe(1)
    expect(server.stdout()).toMatch(/"level":60[^\n]*"message":"crash"/)
    expect(server.stdout() + server.stderr()).not.toMatch(leak)
  })
})
