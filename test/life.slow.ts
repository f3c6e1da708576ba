import { existsSync } from 'node:fs'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { sqliteStores } from '../src/store/sqlite/stores.ts'
import { client, kept, type Answer } from './support/client.ts'
import { enterpriseKey, serveWithKey, type KeyedServer } from './support/enterprise-key.ts'
import { endAll, newFiles, serve, testFolder } from './support/process.ts'
import { roundRobin } from './support/round-robin.ts'
import { talk } from './support/talk.ts'
import { eventually } from './support/wait.ts'

jest.setTimeout(180_000)

const folder = testFolder()
afterEach(endAll)

const newFile = newFiles(folder)

const start = (env: Record<string, string> = {}): Promise<KeyedServer> => serveWithKey(newFile(), env)

function idOf({ body }: Answer): bigint {
  return BigInt(/"id":(\d+)/.exec(body)?.[1] ?? -1)
}

/** Every animal's name by its id. */
async function storedIn(file: string): Promise<Map<bigint, string>> {
  const stores = sqliteStores(file)
  const pets = await stores.pets.list({ limit: 1_000_000 })
  await stores.close()
  return new Map(pets.map(({ id, name }) => [id, name]))
}

describe('SIGTERM', () => {
  test('while clients send: not ready at once, connections taken until the delay is over, nothing lost, 0', async () => {
    const { server, key, file } = await start({ SHUTDOWN_DELAY_MS: '3000' })
    const created = new Map<bigint, string>()
    let stop = false
    const work = Array.from({ length: 8 }, async (_, worker) => {
      const { send, end } = client(server.port, key)
      for (let count = 0; !stop; count += 1) {
        const name = `${worker}-${count}`
        const answer = await send('/v1/pets', name)
        expect(answer.status).toBe(201)
        created.set(idOf(answer), name)
      }
      end()
    })
    const idle = kept(server.port, key)
    expect(await idle.ask()).toMatch(/^HTTP\/1\.1 404 /)

    server.child.kill('SIGTERM')
    const prober = client(server.port, key)
    let probe: Answer
    do probe = await prober.send('/readyz')
    while (probe.status === 200)
    expect(probe).toMatchObject({ status: 503, connection: 'close' })
    expect(probe.body).toContain('"code":"unavailable"')
    expect(await prober.send('/livez')).toMatchObject({ status: 200, connection: 'close' })
    expect(await prober.send('/v1/pets', 'late')).toMatchObject({ status: 201, connection: 'close' })
    // an idle connection is still answered, and told to be over
    expect(await idle.ask()).toMatch(/^HTTP\/1\.1 404 [^]*\r\nConnection: close\r\n/)
    await idle.closed
    stop = true
    await Promise.all(work)
    prober.end()

    expect(await server.ended).toBe(0)
    expect(existsSync(`${file}-wal`)).toBe(false)
    const stored = await storedIn(file)
    expect(stored.size).toBe(created.size + 1)
    for (const [id, name] of created) expect(stored.get(id)).toBe(name)
    expect(server.stderr()).toBe('')
  })

  test('while clients go on opening connections: each is answered or refused, and at most one is reset', async () => {
    const { server, key } = await start({ SHUTDOWN_DELAY_MS: '1000' })
    const outcomes = new Map<string, number>()
    const work = Array.from({ length: 20 }, async () => {
      let outcome = ''
      while (outcome !== 'ECONNREFUSED') {
        const { send, end } = client(server.port, key)
        outcome = await send('/v1/pets', 'Rex').then(
          ({ status }) => String(status),
          (error: unknown) => String((error as NodeJS.ErrnoException).code),
        )
        end()
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    })
    await eventually(() => (outcomes.get('201') ?? 0) > 100)
    server.child.kill('SIGTERM')
    await Promise.all(work)
    // one connection may come between the last look and the end of listening
    expect(outcomes.get('ECONNRESET') ?? 0).toBeLessThanOrEqual(1)
    outcomes.delete('ECONNRESET')
    expect([...outcomes.keys()].sort()).toEqual(['201', 'ECONNREFUSED'])
    expect(await server.ended).toBe(0)
  })

  test('a delay is for load balancers alone: at a terminal SIGINT closes at once', async () => {
    const { server } = await start({ SHUTDOWN_DELAY_MS: '600000' })
    server.child.kill('SIGINT')
    expect(await server.ended).toBe(0)
  })

  test.each<[first: NodeJS.Signals, second: NodeJS.Signals]>([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGINT'],
  ])('%s and then %s ends the process at once with 1', async (first, second) => {
    const { server, key } = await start({ SHUTDOWN_DELAY_MS: '600000', SHUTDOWN_GRACE_MS: '600000' })
    const half = talk(server.port, `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`)
    await kept(server.port, key).ask()
    server.child.kill(first)
    await server.until(/"msg":"closing"/)
    server.child.kill(second)
    expect(await server.ended).toBe(1)
    await half.closed
  })
})

describe('a rolling restart', () => {
  test('of two processes on one file, behind a load balancer and under load, drops no request', async () => {
    const file = newFile()
    const key = await enterpriseKey(file)
    const env = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '1000' }
    const balancer = await roundRobin()
    let running = [await serve(env), await serve(env)]
    for (const { port } of running) await balancer.add(port)

    const created = new Map<bigint, string>()
    const statuses = new Map<number, number>()
    let stop = false
    const work = Array.from({ length: 8 }, async (_, worker) => {
      const { send, end } = client(balancer.port, key)
      const count = ({ status }: Answer): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
      for (let round = 0; !stop; round += 1) {
        const name = `${worker}-${round}`
        const answer = await send('/v1/pets', name)
        count(answer)
        if (answer.status !== 201) continue
        created.set(idOf(answer), name)
        count(await send(`/v1/pets/${idOf(answer)}`))
      }
      end()
    })
    for (const old of running) {
      const next = await serve(env)
      await balancer.add(next.port)
      old.child.kill('SIGTERM')
      expect(await old.ended).toBe(0)
      balancer.remove(old.port)
      running = [...running.slice(1), next]
    }
    const before = created.size
    while (created.size < before + 50) await new Promise((resolve) => setTimeout(resolve, 20))
    stop = true
    await Promise.all(work)
    await balancer.close()

    expect(created.size).toBeGreaterThan(100)
    expect([...statuses.keys()].sort()).toEqual([200, 201])
    const stored = await storedIn(file)
    expect(stored.size).toBe(statuses.get(201))
    for (const [id, name] of created) expect(stored.get(id)).toBe(name)
    const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    process.stdout.write(`rolling restart: ${sent} requests, ${created.size} animals, 0 dropped, 0 lost\n`)
  })
})

describe('a fault outside of any request', () => {
  const faults = `
    process.stdin.once('data', (what) => {
      // in two, since the stack shows where this text comes from
      const fault = Object.assign(new Error('the sweep failed'), { headers: { authorization: 'SENTI' + 'NEL' } })
      if (String(what) === 'throw') setTimeout(() => { throw fault })
      else void Promise.reject(fault)
    })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(faults)}` }

  test.each([
    ['throw', 'an exception in a timer'],
    ['reject', 'a rejection that nobody handles'],
  ])('that is (%s) %s is logged with its stack, lets running requests finish, and ends with 1', async (what, _) => {
    const { server, key, file } = await start(env)
    const body = '{"name":"Rex","categoryId":7}'
    const head = ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'Expect: 100-continue']
    const framing = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', '']
    const slow = talk(server.port, [...head, ...framing].join('\r\n'))
    await slow.until(/100 Continue/)
    server.child.stdin?.write(what)
    await server.until(/"level":60[^\n]*\n/)
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    expect(await server.ended).toBe(1)
    const fatal = server
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":60'))
    expect(fatal).toHaveLength(1)
    expect(JSON.parse(fatal[0] ?? '')).toMatchObject({
      msg: 'closing after a fault',
      err: {
        type: 'Error',
        message: 'the sweep failed',
        stack: expect.stringMatching(/^Error: the sweep failed\n +at /),
      },
    })
    expect(server.stdout() + server.stderr()).not.toContain('SENTINEL')
    expect((await storedIn(file)).size).toBe(1)
  })
})
