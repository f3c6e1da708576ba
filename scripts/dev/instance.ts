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

const startMs = 20_000
const graceMs = 10_000

/** Starts the service. Rejects with its error output if it does not start. */
export function startInstance(): Promise<Instance> {
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
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The service did not start within ${startMs / 1000} seconds.`))
    }, startMs)
    child.on('message', (message: ServiceMessage) => {
      clearTimeout(timer)
      if ('failed' in message) {
        reject(new Error(message.failed))
        return
      }
      isReady = true
      const instance: Instance = { ...message.ready, running: 0, ended, retire: () => retire(child, instance, ended) }
      resolve(instance)
    })
    void ended.then((how) => {
      clearTimeout(timer)
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
