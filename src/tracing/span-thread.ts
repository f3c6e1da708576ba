import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Log } from '../log/log.ts'
import type { FromSpans, SpanSettings, ToSpans, TracedRequest } from './spans.ts'

/** How long requests are gathered before the thread is told of them, in ms. */
const gatherMs = 100
/** Of how many requests the thread is told at once. */
const mostAtOnce = 256
/** How many requests may wait for the thread. What is more has no spans. */
const mostWaiting = 4096
/** How long the end of the process waits until the last spans are sent, in ms. */
const closingMs = 1000
/** How often the same trouble is logged at most, in ms. */
const quietMs = 60_000

/** The thread that makes spans of requests and sends them. */
export interface SpanThread {
  /** Tells of a request that has been answered. It never waits, and never fails. */
  tell: (request: TracedRequest) => void
  /** Sends what is left. */
  close: () => Promise<void>
}

/**
 * Starts the thread. A receiver that fails costs spans and no request, and so does a thread that fails or does not keep up.
 */
export function openSpanThread(settings: SpanSettings, log: Log): SpanThread {
  // the file beside this one, which is compiled when this one is
  const worker = new Worker(new URL(`spans${extname(import.meta.url)}`, import.meta.url), { workerData: settings })
  worker.unref()
  const tellFailure = seldom((reason: unknown) => {
    log.warn({ reason }, 'spans are not sent: look at the receiver that OTEL_EXPORTER_OTLP_ENDPOINT names')
  })
  const tellOverload = seldom(() => {
    log.warn('spans are left out: trace fewer requests, by OTEL_TRACES_SAMPLER_ARG')
  })
  const waiting: TracedRequest[] = []
  let isReady = true
  let hasFailed = false
  let timer: NodeJS.Timeout | undefined

  worker.on('message', (told: FromSpans) => {
    if (told === 'ready') {
      isReady = true
      gather()
    } else {
      tellFailure(told.failure)
    }
  })
  worker.on('error', (error) => {
    hasFailed = true
    log.error({ err: error }, 'requests are not traced any more')
  })

  /** Sends a full load at once, and less after a while. */
  function gather(): void {
    if (!isReady || waiting.length === 0) return
    if (waiting.length >= mostAtOnce) send()
    else timer ??= setTimeout(send, gatherMs).unref()
  }

  function send(): void {
    clearTimeout(timer)
    timer = undefined
    isReady = false
    post(waiting.splice(0, mostAtOnce))
  }

  function post(message: ToSpans): void {
    worker.postMessage(message)
  }

  return {
    tell: (request) => {
      if (hasFailed) return
      if (waiting.length >= mostWaiting) {
        tellOverload()
        return
      }
      waiting.push(request)
      gather()
    },
    close: async () => {
      clearTimeout(timer)
      if (hasFailed) return
      worker.ref()
      const ended = new Promise((resolve) => void worker.once('exit', resolve))
      post(waiting.splice(0))
      post('end')
      const late = new Promise((resolve) => void setTimeout(resolve, closingMs).unref())
      await Promise.race([ended, late])
      await worker.terminate()
    },
  }
}

/** A function that does nothing when it was called a short while ago. */
function seldom(act: (reason?: unknown) => void): (reason?: unknown) => void {
  let quietUntilMs = 0
  return (reason) => {
    if (performance.now() < quietUntilMs) return
    quietUntilMs = performance.now() + quietMs
    act(reason)
  }
}
