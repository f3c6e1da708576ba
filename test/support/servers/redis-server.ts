import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { TestTls } from './tls.ts'

export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A redis-server of our own on a free port. */
export interface TestRedis {
  url: string
  port: number
  /** Where it keeps its files. */
  folder: string
  /** `settings` such as `--appendonly yes` follow those of tests, which keep nothing. */
  start: (...settings: string[]) => Promise<void>
  /** Starts with so many keys to load, at 1 ms each, and resolves once it takes connections. */
  startLoading: (keys: number) => Promise<void>
  /** Ends the process at once. */
  kill: () => Promise<void>
  freeze: () => void
  thaw: () => void
  /** A client for looking behind the service's back. */
  client: () => Redis
  stop: () => Promise<void>
}

/** With `tls` it speaks nothing else. */
export async function testRedis(tls?: TestTls): Promise<TestRedis> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-redis-'))
  const clients: Redis[] = []
  let child: ChildProcess | undefined

  const client = (): Redis => {
    const one = new Redis(port, '127.0.0.1', {
      ...{ retryStrategy: () => 50, maxRetriesPerRequest: null },
      ...(tls && { tls: tls.client }),
    })
    one.on('error', () => undefined)
    clients.push(one)
    return one
  }
  const spawnServer = (...settings: string[]): void => {
    const ports = Object.entries(tls?.settings(port) ?? { port: String(port) })
    const own = ports.flatMap(([name, value]) => [`--${name}`, value])
    const args = [...own, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    child = spawn('redis-server', [...args, ...settings], { stdio: 'ignore' })
  }
  const start = async (...settings: string[]): Promise<void> => {
    spawnServer(...settings)
    const probe = client()
    await probe.ping()
    probe.disconnect()
  }
  const kill = async (): Promise<void> => {
    const dying = child
    child = undefined
    if (!dying) return
    const ended = new Promise((resolve) => dying.once('exit', resolve))
    dying.kill('SIGKILL')
    await ended
  }
  return {
    url: tls ? `rediss://127.0.0.1:${port}${tls.query}` : `redis://127.0.0.1:${port}`,
    port,
    folder,
    start,
    startLoading: async (keys) => {
      await start()
      const filler = client()
      await filler.mset(Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 'x'.repeat(100)])))
      await filler.save()
      await kill()
      spawnServer('--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024')
      while (!(await accepts(port))) await sleep(20)
    },
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    client,
    stop: async () => {
      for (const one of clients) one.disconnect()
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
}

/** A port that nobody listens on, below those that the system gives to clients, one of which could take it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => server.close(resolve))
    if (free) return port
  }
}
