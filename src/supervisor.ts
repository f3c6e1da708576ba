import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import closeWithGrace from 'close-with-grace'
import { closingMs, type Config } from './config/config.ts'
import { endLog, openLog } from './log/log.ts'
import { gatherMetrics } from './metrics/of-workers.ts'
import { tellAllListening } from './process/all-listening.ts'
import { closeUntaken } from './process/hand-over.ts'
import { watchHeartbeats } from './process/heartbeat.ts'
import { warnOfOldNode } from './process/node-release.ts'
import {
  closedCode,
  isFault,
  notByGrace,
  onClosingSignal,
  tellSecondFault,
  type ClosingSignal,
} from './process/signals.ts'

const firstDelayMs = 100
const longestDelayMs = 10_000
/** After this lifetime, in ms, the delay before the next restart starts again at `firstDelayMs`. */
const stableMs = 60_000

/**
 * Runs `workers` processes of the module `main` on one listener, and restarts those that end. Opens no store itself.
 * Throws, or exits with 1, when the first worker cannot start.
 */
export async function supervise(config: Config, main: string): Promise<void> {
  const log = openLog(config)
  for (const warning of config.warnings) log.warn(warning)
  /** The listening workers with their places, 0 to `workers` − 1. */
  const listening = new Map<Worker, number>()
  const waiting = new Set<NodeJS.Timeout>()
  /** Whether all have listened at the same time, once. */
  let complete = false
  let phase: 'starting' | 'running' | 'closing' = 'starting'
  let signal: ClosingSignal | undefined

  // without this, workers would get the arguments of the command line
  cluster.setupPrimary({ exec: main, args: [] })
  gatherMetrics(listening)

  const grace = closeWithGrace(
    {
      // longer than the time-out of a worker
      delay: config.shutdownDelayMs + config.shutdownGraceMs + 2 * closingMs,
      logger: false,
      skip: notByGrace,
      onSecondError: (error) => {
        tellSecondFault(error)
        killAll()
      },
      onTimeout: killAll,
    },
    async (why) => {
      const failed = isFault(why)
      if (failed) log.fatal({ err: why.err }, 'closing the workers after a fault')
      else log.info({ signal }, 'closing the workers')
      phase = 'closing'
      for (const timer of waiting) clearTimeout(timer)
      try {
        const ended = await Promise.all(running().map((worker) => close(worker, signal ?? 'SIGINT')))
        if (ended.includes(false)) throw new Error('A worker ended with an error.')
      } finally {
        await endLog(log)
      }
      process.exit(failed ? 1 : closedCode(signal))
    },
  )
  const kill = (): void => {
    killAll()
    process.exit(1)
  }
  onClosingSignal((received) => {
    if (phase === 'closing') kill()
    signal = received
    grace.close()
  }, kill)

  log.info({ workers: config.workers }, 'starting the workers')
  // one alone first: it migrates the schema, and reports a fault once
  const first = keep(0)
  const ended = await Promise.race([once(first, 'listening').then(() => undefined), once(first, 'exit')])
  if (isClosing()) return
  if (ended) {
    grace.uninstall()
    const [code, signal] = ended as [number | null, string | null]
    // a worker that exits with 1 has reported why
    if (code !== 1) throw new Error(`The first worker ended before it listened, by ${signal ?? `code ${code}`}.`)
    process.exitCode = 1
    return
  }
  phase = 'running'
  warnOfOldNode(log, Date.now())
  for (let place = 1; place < config.workers; place += 1) keep(place)

  /** Starts a worker, and a replacement whenever it ends. */
  function keep(place: number, lastDelayMs = 0): Worker {
    const worker = cluster.fork()
    closeUntaken(worker)
    const bornMs = performance.now()
    worker.on('error', (err) => {
      log.error({ err }, 'a worker cannot be reached or started')
      if (worker.process.pid === undefined) replace({})
    })
    worker.on('listening', () => {
      listening.set(worker, place)
      if (!complete && listening.size === config.workers) {
        complete = true
        for (const one of listening.keys()) tellAllListening(one)
      } else if (complete) tellAllListening(worker)
      watchHeartbeats(worker, () => {
        log.error({ workerPid: worker.process.pid }, 'worker hangs, killing it')
        worker.process.kill('SIGKILL')
      })
    })
    worker.on('exit', (code, signal) => {
      listening.delete(worker)
      replace({ workerPid: worker.process.pid, code, signal })
    })
    return worker

    function replace(ended: object): void {
      if (phase !== 'running') return
      const delayMs = restartDelayMs(lastDelayMs, performance.now() - bornMs)
      log.error({ ...ended, delayMs }, 'worker ended, starting another')
      const timer = setTimeout(() => {
        waiting.delete(timer)
        keep(place, delayMs)
      }, delayMs)
      waiting.add(timer)
    }
  }

  function isClosing(): boolean {
    return phase === 'closing'
  }

  /** Resolves when the worker has ended, with whether it ended without a fault. */
  async function close(worker: Worker, signal: ClosingSignal): Promise<boolean> {
    const ended = once(worker, 'exit')
    const serving = listening.has(worker)
    // by a message: a terminal or systemd may have sent the signal to every process, and a second one would kill
    if (serving) worker.send(signal, () => undefined)
    else worker.process.kill(signal)
    const [code] = (await ended) as [number | null]
    return code === closedCode(signal) || !serving
  }
}

/** The delay before a restart, in ms: `lastMs` is the delay before the last start, `livedMs` how long it ran. */
export function restartDelayMs(lastMs: number, livedMs: number): number {
  if (lastMs === 0 || livedMs >= stableMs) return firstDelayMs
  return Math.min(2 * lastMs, longestDelayMs)
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

function killAll(): void {
  for (const worker of running()) worker.process.kill('SIGKILL')
}
