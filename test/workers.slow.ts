import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { supportEnd } from '../src/process/node-release.ts'
import { sqliteStores } from '../src/store/sqlite/stores.ts'
import { client, kept } from './support/client.ts'
import { enterpriseKey } from './support/enterprise-key.ts'
import {
  descendants,
  endAll,
  gone,
  newFiles,
  readIfThere,
  run,
  sendSignal,
  serve,
  type Server,
  start,
  startCommand,
  testFolder,
} from './support/process.ts'
import { freePort } from './support/servers/redis-server.ts'
import { describeRedis, testRedis, type TestRedis } from './support/servers/redis.ts'
import { postWaiting, talk } from './support/talk.ts'
import { eventually } from './support/wait.ts'

jest.setTimeout(240_000)

const folder = testFolder()
afterEach(endAll)

const newFile = newFiles(folder)

/** The lines of the log with this message, parsed. */
function lines(server: Server, msg: string): Record<string, unknown>[] {
  return server
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Resolves once the log has this many lines with the message. */
async function said(server: Server, msg: string, times: number): Promise<void> {
  await eventually(() => lines(server, msg).length >= times)
}

/**
 * The result of an attempt in which Redis always answered in time, which it may miss on a busy machine. The attempt ends
 * when its requests are in the log.
 */
async function undisturbed<T>(server: Server, attempt: () => Promise<T>): Promise<T> {
  const losses = (): number => lines(server, 'redis does not answer, quotas are counted in this process').length
  for (;;) {
    const before = losses()
    await said(server, 'redis is back, quotas are shared', before)
    const result = await attempt()
    if (losses() === before) return result
  }
}

function workersOf(server: Server): number[] {
  return lines(server, 'listening').map(({ pid }) => Number(pid))
}

/**
 * Whether this process is a worker that runs. Before that it is a copy of the supervisor, which waits until it runs: one
 * that is stopped then stops both.
 */
function isWorker(pid: number): boolean {
  return readIfThere(`/proc/${pid}/environ`).includes('NODE_UNIQUE_ID=')
}

/** Starts the service, and waits until each of its workers listens. */
async function serveAll(workers: number, env: Record<string, string>): Promise<Server> {
  const server = await serve({ NODE_ENV: 'production', WORKERS: String(workers), ...env })
  await said(server, 'listening', workers)
  return server
}

/** The worker that answered, as the prefix of its request ids. */
function answeredBy(answer: string): string {
  return /x-request-id: ([0-9a-f]{8})-/i.exec(answer)?.[1] ?? ''
}

describe('a start that cannot succeed', () => {
  test('because counts would not be shared names the setting and ends with exit code 1', async () => {
    const { code, stdout, stderr } = await run(['src/main.ts'], { WORKERS: '2', DATABASE_URL: `sqlite:${newFile()}` })
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'WORKERS above 1 needs REDIS_URL, the Redis over which the processes share their counts of requests.\n',
    })
  })
})

describeRedis('WORKERS', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await testRedis()
    await redis.start()
  })
  afterAll(async () => {
    await redis.stop()
  })

  const body = '{"name":"Rex","categoryId":7}'

  test('the error of a first start that fails is printed once, and the process ends with exit code 1', async () => {
    const file = newFile()
    writeFileSync(file, 'Dear diary, '.repeat(1000))
    const env = { WORKERS: '3', REDIS_URL: redis.url, PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: `sqlite:${file}` }
    const { code, stdout, stderr } = await run(['src/main.ts'], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^The database \S+ cannot be opened: .+\.\n$/)
  })

  test('processes answer on one port, print one key, and count exactly over Redis', async () => {
    const file = newFile()
    const env = { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url, NODE_ENV: '' }
    const server = await serveAll(3, env)
    await server.until(/-d '[^']+'\n\n/)
    expect(new Set([server.child.pid, ...workersOf(server)]).size).toBe(4)
    expect(server.stdout().match(/ak_/g)).toHaveLength(1)
    expect(lines(server, 'this version of Node.js gets no more security fixes, use a newer one')).toHaveLength(
      supportEnd(process.version, Date.now()) === undefined ? 0 : 1,
    )

    const all = await undisturbed(server, async () => {
      const key = await enterpriseKey(file, { perMinute: 1_000_000, perDay: 40 })
      const logged = lines(server, 'request').length
      const connections = Array.from({ length: 12 }, () => kept(server.port, key))
      const answers = await Promise.all(
        connections.map(async ({ ask }) => {
          const own: string[] = []
          for (let count = 0; count < 6; count += 1) own.push(await ask())
          return own
        }),
      )
      for (const { socket } of connections) socket.destroy()
      await said(server, 'request', logged + 72)
      return answers.flat()
    })
    expect(new Set(all.map(answeredBy)).size).toBe(3)
    const admitted = all.filter((answer) => answer.startsWith('HTTP/1.1 404 '))
    expect(admitted).toHaveLength(40)
    expect(all.filter((answer) => answer.startsWith('HTTP/1.1 429 '))).toHaveLength(72 - 40)
    const left = admitted.map((answer) => Number(/X-RateLimit-Remaining: (\d+)/.exec(answer)?.[1]))
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index))
  })

  test('are ready, and say that they listen, when all of them do', async () => {
    const port = String(await freePort())
    const env = { PORT: port, WORKERS: '3', DATABASE_URL: `sqlite:${newFile()}`, REDIS_URL: redis.url }
    const supervisor = start(['src/main.ts'], { ...env, NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' })
    const children = (): number[] => descendants(supervisor.child.pid).filter(isWorker)
    // the first one listens when the others are started
    await eventually(() => children().length === 3)
    const late = Math.max(...children())
    const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
    process.kill(late, 'SIGSTOP')
    try {
      expect(await ready()).toBe(503)
      expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
      expect(supervisor.stdout()).not.toContain('"msg":"listening"')
    } finally {
      process.kill(late, 'SIGCONT')
    }
    await eventually(() => supervisor.stdout().split('"msg":"listening"').length === 4)
    expect(await ready()).toBe(200)
    await supervisor.stop()
  })

  test('a worker that is killed is replaced, and only its own connections break', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const workers = workersOf(server)
    let stop = false
    const work = Array.from({ length: 8 }, async () => {
      const { send, end } = client(server.port, key)
      let served = ''
      try {
        while (!stop) {
          const { status, requestId } = await send('/v1/pets/404')
          expect(status).toBe(404)
          served = requestId.slice(0, 8)
          await sleep(5)
        }
        return { served, error: undefined }
      } catch (error) {
        return { served, error: (error as NodeJS.ErrnoException).code }
      } finally {
        end()
      }
    })
    await said(server, 'request', 100)
    process.kill(workers[0] ?? 0, 'SIGKILL')
    await said(server, 'listening', 3)
    const ended = lines(server, 'worker ended, starting another')
    expect(ended).toMatchObject([{ workerPid: workers[0], code: null, signal: 'SIGKILL', delayMs: 100 }])
    // the new worker serves too
    const seen = new Set<string>()
    while (seen.size < 2) {
      const { send, end } = client(server.port, key)
      seen.add((await send('/v1/pets/404')).requestId.slice(0, 8))
      end()
    }
    stop = true
    const outcomes = await Promise.all(work)
    const broken = outcomes.filter(({ error }) => error !== undefined)
    const whole = outcomes.filter(({ error }) => error === undefined)
    expect(new Set(broken.map(({ served, error }) => `${served} ${error}`)).size).toBe(1)
    expect(new Set(whole.map(({ served }) => served)).size).toBe(1)
    expect(broken[0]?.error).toBe('ECONNRESET')
    expect(whole[0]?.served).not.toBe(broken[0]?.served)
    expect(await server.stop()).toBe(0)
    await gone(...workersOf(server))
  })

  test('a worker that is killed with a connection that it has not taken leaves none hanging, and no descriptor', async () => {
    const file = newFile()
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const descriptors = (): number => readdirSync(`/proc/${server.child.pid ?? 0}/fd`).length
    const before = descriptors()
    for (let round = 0; round < 3; round += 1) {
      const worker = workersOf(server).at(-1) ?? 0
      const listening = workersOf(server).length
      process.kill(worker, 'SIGSTOP')
      // each free worker is given one
      const crowd = Array.from({ length: 4 }, () => talk(server.port, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'))
      await eventually(() => crowd.filter(({ text }) => text() !== '').length === 3)
      process.kill(worker, 'SIGKILL')
      const [left] = crowd.filter(({ text }) => text() === '')
      await left?.closed
      await said(server, 'listening', listening + 1)
      for (const { socket } of crowd) socket.destroy()
    }
    await eventually(() => descriptors() === before)
    expect(await server.stop()).toBe(0)
  })

  test('a worker that hangs is told in the log and replaced', async () => {
    const file = newFile()
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const [worker = 0, other] = workersOf(server)
    process.kill(worker, 'SIGSTOP')
    await said(server, 'listening', 3)
    expect(lines(server, 'worker hangs, killing it')).toMatchObject([{ level: 50, workerPid: worker }])
    expect(lines(server, 'worker ended, starting another')).toMatchObject([{ workerPid: worker, signal: 'SIGKILL' }])
    expect(workersOf(server).slice(1)).toContain(other)
    expect(await server.stop()).toBe(0)
  })

  test('/metrics lists every worker by its number, whichever answers, and leaves out one that hangs or has ended', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const workers = workersOf(server)
    const connections = Array.from({ length: 4 }, () => kept(server.port, key))
    const fresh = (await connections[0]?.ask('/metrics')) ?? ''
    for (const worker of [0, 1]) {
      expect(fresh).toMatch(new RegExp(`^animal_store_build_info\\{version=.+,worker="${worker}"\\} 1$`, 'm'))
      expect(fresh).toContain(`\nhttp_errors_total{code="internal_error",worker="${worker}"} 0\n`)
      expect(fresh).toContain(`\nhttp_requests_total{operation="createPet",status="201",worker="${worker}"} 0\n`)
    }
    for (const [index, { ask }] of connections.entries()) {
      for (let count = 0; count <= index; count += 1) await ask()
    }
    await said(server, 'request', 10)
    const requests = lines(server, 'request').map(({ pid, requestId }) => ({ pid, requestId: String(requestId) }))
    const countOf = (pid: unknown): number => requests.filter((request) => request.pid === pid).length
    const samples = (text: string): Map<string, number> =>
      new Map(Array.from(text.matchAll(/^(\S+) (\S+)$/gm), ([, name = '', value]) => [name, Number(value)]))
    const answered = (text: string): (number | undefined)[] =>
      [0, 1].map((worker) =>
        samples(text).get(`http_requests_total{operation="getPet",status="404",worker="${worker}"}`),
      )
    // workers listen in the order in which they were started
    const expected = workers.map(countOf)
    expect(expected[0]).toBeGreaterThan(0)
    expect(expected[1]).toBeGreaterThan(0)

    const scrapes = await Promise.all(connections.map(({ ask }) => ask('/metrics')))
    for (const text of scrapes) {
      expect(text).toMatch(/^HTTP\/1\.1 200 /)
      expect(answered(text)).toEqual(expected)
      expect(text.match(/^# TYPE http_requests_total counter$/gm)).toHaveLength(1)
      const took = samples(text)
      expect(took.get('http_request_duration_seconds_bucket{le="+Inf",operation="getPet",worker="1"}')).toBe(
        expected[1],
      )
      expect(took.get('nodejs_eventloop_lag_seconds{worker="0"}')).toBeGreaterThanOrEqual(0)
    }

    const served = requests.find(({ pid }) => pid === workers[0])?.requestId.slice(0, 8)
    const own = connections[scrapes.findIndex((text) => answeredBy(text) === served)]
    process.kill(workers[1] ?? 0, 'SIGSTOP')
    try {
      // metrics that a scrape before this one has asked for may still come
      await eventually(async () => answered((await own?.ask('/metrics')) ?? '')[1] === undefined)
      expect(answered((await own?.ask('/metrics')) ?? '')).toEqual([expected[0], undefined])
    } finally {
      process.kill(workers[1] ?? 0, 'SIGCONT')
    }
    expect(answered((await own?.ask('/metrics')) ?? '')).toEqual(expected)

    process.kill(workers[1] ?? 0, 'SIGKILL')
    await said(server, 'listening', 3)
    const after = (await own?.ask('/metrics')) ?? ''
    expect(answered(after)).toEqual([expected[0], 0])
    expect(samples(after).get('process_start_time_seconds{worker="1"}')).toBeGreaterThan(
      samples(after).get('process_start_time_seconds{worker="0"}') ?? 0,
    )
    for (const { socket } of connections) socket.destroy()
  })

  test('SIGTERM under load: every worker finishes its requests, no line of the log is torn, exit code 0', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const env = { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url, SHUTDOWN_DELAY_MS: '5000' }
    const server = await serveAll(2, env)
    let created = 0
    const work = Array.from({ length: 8 }, async (_, worker) => {
      const { send, end } = client(server.port, key)
      for (;;) {
        const { status, connection } = await send('/v1/pets', `${worker}`)
        expect(status).toBe(201)
        created += 1
        if (connection === 'close') break
      }
      end()
    })
    await eventually(() => created >= 500)
    server.child.kill('SIGTERM')
    await Promise.all(work)
    expect(await server.ended).toBe(0)
    expect(server.stderr()).toBe('')
    const all = server.stdout().trimEnd().split('\n')
    expect(all.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => msg === 'request')).toHaveLength(
      created,
    )
    expect(lines(server, 'closing')).toMatchObject([{ signal: 'SIGTERM' }, { signal: 'SIGTERM' }])
    await gone(...workersOf(server))
    const stores = sqliteStores(file)
    expect(await stores.pets.list({ limit: 1_000_000 })).toHaveLength(created)
    await stores.close()
  })

  test('a signal to every process, as from a terminal, counts once', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const slow = await Promise.all([
      postWaiting(server.port, key, body.length),
      postWaiting(server.port, key, body.length),
    ])
    for (const pid of workersOf(server)) process.kill(pid, 'SIGINT')
    await said(server, 'closing', 2)
    server.child.kill('SIGINT')
    await server.until(/"msg":"closing the workers"/)
    for (const { socket } of slow) socket.write(body)
    await Promise.all(slow.map(({ closed }) => closed))
    for (const { text } of slow) expect(text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    expect(await server.ended).toBe(0)
  })

  test('a second signal ends all processes at once with exit code 1', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const env = { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url, SHUTDOWN_GRACE_MS: '600000' }
    const server = await serveAll(2, env)
    const slow = await postWaiting(server.port, key, body.length)
    server.child.kill('SIGTERM')
    await said(server, 'closing', 2)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(1)
    await slow.closed
    await gone(...workersOf(server))
  })

  test('a fault in native code ends a worker at once, and another one is started; the supervisor ends in the same way', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const ends = (): unknown[] => lines(server, 'worker ended, starting another').map(({ signal }) => signal)
    process.kill(workersOf(server)[0] ?? 0, 'SIGSEGV')
    await said(server, 'listening', 3)
    expect(ends()).toEqual(['SIGSEGV'])

    const create = async (): Promise<number> => {
      // PORT=0 gives another port when both have ended
      const address = String(lines(server, 'listening').at(-1)?.address)
      const { send, end } = client(Number(new URL(address).port), key)
      const sent = send('/v1/pets', 'Rex').then(
        (answer) => answer.status,
        () => 0,
      )
      // node:cluster answers nothing on a connection that it was giving to a worker that ended
      const status = await Promise.race([sent, sleep(3000, 0, { ref: false })])
      end()
      return status
    }
    expect(await create()).toBe(201)
    truncateSync(`${file}-shm`)
    await eventually(async () => {
      await create()
      return ends().includes('SIGBUS')
    })
    await eventually(async () => (await create()) === 201)

    server.child.kill('SIGSEGV')
    expect(await server.ended).toBe('SIGSEGV')
    await gone(...workersOf(server))
  })

  test('a hang-up to every process, as from a terminal that is closed, ends them in good order with 129', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const slow = await postWaiting(server.port, key, body.length)
    const all = [...workersOf(server), server.child.pid ?? 0]
    for (const pid of all) process.kill(pid, 'SIGHUP')
    await said(server, 'closing', 2)
    // a shell repeats it
    for (const pid of all) sendSignal(pid, 'SIGHUP')
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    expect(await server.ended).toBe(129)
    await gone(...workersOf(server))
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  test('a terminal that is closed, and takes their output along, ends all processes', async () => {
    const file = newFile()
    const store = { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url }
    const env = { PORT: '0', WORKERS: '2', LOG_FORMAT: 'json', ...store }
    const command = `${process.execPath} --import tsx src/main.ts`
    const terminal = startCommand('script', ['-qec', command, '/dev/null'], { env })
    await eventually(() => terminal.stdout().match(/"listening"/g)?.length === 2)
    const pids = Array.from(terminal.stdout().matchAll(/"pid":(\d+)/g), ([, pid]) => Number(pid))
    terminal.child.kill('SIGKILL')
    await gone(...pids)
    expect(new Set(pids).size).toBe(3)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  test('workers whose supervisor is killed finish their requests, and end', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const server = await serveAll(2, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: redis.url })
    const slow = await postWaiting(server.port, key, body.length)
    const scraper = kept(server.port, key)
    await scraper.ask()
    server.child.kill('SIGSTOP')
    const scrape = scraper.ask('/metrics')
    await sleep(200)
    server.child.kill('SIGKILL')
    await said(server, 'closing', 2)
    // nobody waits for the answer of the supervisor
    expect(await scrape).toMatch(/^HTTP\/1\.1 503 /)
    scraper.socket.destroy()
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    await gone(...workersOf(server))
    expect(await server.ended).toBe('SIGKILL')
  })

  test('a supervisor that is told to stop while the first worker starts ends with 0', async () => {
    const env = { WORKERS: '2', REDIS_URL: redis.url, PORT: '0', DATABASE_URL: `sqlite:${newFile()}` }
    const server = start(['src/main.ts'], env)
    await server.until(/"msg":"starting the workers"/)
    expect(await server.stop()).toBe(0)
    expect(server.stdout()).not.toMatch(/"msg":"listening"/)
  })
})
