import type { ChildProcess } from 'node:child_process'
import { forkScript } from './child-process.ts'
import type { Target } from './proxy.ts'
import type { ServiceMessage, ServiceReady } from './protocol.ts'

/** A process that runs the service. */
export interface Instance extends Target, ServiceReady {
  /** Resolves when the process has ended, with its exit code or signal in words. */
  ended: Promise<string>
  /** Ends the process after its running requests, which have `graceMs` to finish. */
  retire: () => Promise<void>
}

/** How often a start that takes longer is told, in ms. */
const waitMs = 5000
const graceMs = 10_000

export interface StartParts {
  /** Ends the start. */
  signal: AbortSignal
  /** Hears every now and then for how long the service has been starting, in seconds, and what it waits for. */
  onWait: (seconds: number, waitsFor: string) => void
}

/** Starts the service, however long that takes. Rejects with its error output if it does not start. */
export function startInstance({ signal, onWait }: StartParts): Promise<Instance> {
  const child = forkScript('service.ts', {
    env: {
      LOG_FORMAT: 'pretty',
      ...process.env,
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: '0',
      TRUST_PROXY: '1',
    },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const ended = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => {
      resolve(signal ?? `exit code ${code ?? ''}`)
    })
  })
  let complaints = ''
  let isReady = false
  child.stderr?.on('data', (chunk: Buffer) => {
    if (isReady) process.stderr.write(chunk)
    else complaints += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    const from = performance.now()
    let waitsFor = 'its process to start'
    const timer = setInterval(() => {
      onWait(Math.round((performance.now() - from) / 1000), waitsFor)
    }, waitMs)
    const stop = (): void => void child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    child.on('message', (message: ServiceMessage) => {
      if ('waitsFor' in message) {
        waitsFor = message.waitsFor
        return
      }
      clearInterval(timer)
      signal.removeEventListener('abort', stop)
      if ('failed' in message) {
        reject(new Error(message.failed))
        return
      }
      isReady = true
      const instance: Instance = { ...message.ready, running: 0, ended, retire: () => retire(child, instance, ended) }
      resolve(instance)
    })
    void ended.then((how) => {
      clearInterval(timer)
      reject(new Error(complaints.trim() || `The service ended with ${how} before it was ready.`))
    })
  })
}

async function retire(child: ChildProcess, target: Target, ended: Promise<string>): Promise<void> {
  const until = Date.now() + graceMs
  // after SIGTERM the service does not accept connections, so wait for the requests that are on their way
  while (target.running > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}
