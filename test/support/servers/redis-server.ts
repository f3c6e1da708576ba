import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

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
  start: () => Promise<void>
  /** Ends the process at once. */
  kill: () => Promise<void>
  freeze: () => void
  thaw: () => void
  /** A client for looking behind the service's back. */
  client: () => Redis
  stop: () => Promise<void>
}

export async function testRedis(): Promise<TestRedis> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-redis-'))
  const clients: Redis[] = []
  let child: ChildProcess | undefined

  const client = (): Redis => {
    const one = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null })
    one.on('error', () => undefined)
    clients.push(one)
    return one
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
    url: `redis://127.0.0.1:${port}`,
    port,
    start: async () => {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
      child = spawn('redis-server', args, { stdio: 'ignore' })
      const probe = client()
      await probe.ping()
      probe.disconnect()
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

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => {
        resolve(port)
      })
    })
  })
}
