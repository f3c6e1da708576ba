import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What names the backing servers of a service. */
export interface Backing {
  DATABASE_URL: string
  REDIS_URL?: string
}

const environment = (backing: Backing): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  // no load balancer checks
  SHUTDOWN_DELAY_MS: '0',
  PORT: '0',
  LOG_LEVEL: 'info',
  ...backing,
})

export interface Service {
  address: string
  pid: number
  /** What the log warned of, oldest first. */
  warnings: string[]
  /** The faults of the service itself in the log. */
  errors: string[]
  /** From the start of the process to its first answer that it is ready. */
  readyMs: number
  kill: () => void
  ended: Promise<unknown>
}

/** Levels of the log. */
const [warn, error] = [40, 50]

const running = new Set<Service>()

/** Ends what still runs, as after a fault. */
export async function endAll(): Promise<void> {
  for (const service of running) {
    service.kill()
    await service.ended
  }
}

/** Starts the compiled service as it runs in production. */
export async function startService(backing: Backing): Promise<Service> {
  const beganMs = performance.now()
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: root,
    env: environment(backing),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const service: Service = {
    ...{ address: '', pid: child.pid ?? 0, warnings: [], errors: [], readyMs: 0 },
    kill: () => child.kill('SIGKILL'),
    ended,
  }
  running.add(service)
  void ended.then(() => running.delete(service))
  const lines = createInterface({ input: child.stdout })
  service.address = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const { level, msg, address } = JSON.parse(line) as { level: number; msg: string; address?: string }
      if (level >= warn) service.warnings.push(msg)
      if (level >= error) service.errors.push(line)
      if (msg === 'listening' && address !== undefined) resolve(address)
    })
    void ended.then(() => {
      reject(new Error('The service ended before it listened.'))
    })
  })
  const { status } = await fetch(new URL('/readyz', service.address))
  if (status !== 200) throw new Error(`The service listens and is not ready (${status}).`)
  service.readyMs = performance.now() - beganMs
  return service
}

/** Makes a key, by default with limits that no run reaches, and the store with it. */
export async function makeKey(backing: Backing, { perDay = 900_000_000 } = {}): Promise<string> {
  const limits = ['--per-minute', '900000000', '--per-day', String(perDay)]
  const text = execFileSync(
    process.execPath,
    ['dist/scripts/keys.js', 'create', '--plan', 'enterprise', ...limits, '--json'],
    { cwd: root, env: environment(backing), encoding: 'utf8' },
  )
  return (JSON.parse(text) as { key: string }).key
}
