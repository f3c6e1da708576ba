import cluster, { type Worker } from 'node:cluster'
import type { Registry } from 'prom-client'

/** How long the supervisor waits for the metrics of a worker, in ms. A worker that hangs is left out. */
const answerTimeoutMs = 1000

/** The metrics of one process, with values. */
export type Series = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The metrics of one worker. `worker` is its place, which its replacement takes over. */
interface Part {
  worker: number
  series: Series
}

/** The messages: a worker wants the metrics, the supervisor asks all workers, collects their answers and replies. */
type Message = { metrics: 'wanted' | 'tell' } | { metrics: 'told'; series: Series } | { metrics: 'all'; parts: Part[] }

/**
 * In a worker: returns the metrics of all workers, each value labelled with the place of its worker. A sum over workers
 * would fall when a worker ends, which Prometheus reads as a restart. Rejects when the supervisor is gone.
 */
export function seriesOfWorkers(own: () => Promise<Series>): () => Promise<Series> {
  const waiting: { resolve: (parts: Part[]) => void; reject: (error: Error) => void }[] = []
  const settle = (how: (one: (typeof waiting)[number]) => void): void => {
    for (const one of waiting.splice(0)) how(one)
  }
  process.on('message', (message) => {
    if (!isMessage(message)) return
    if (message.metrics === 'tell') {
      void own().then((series) => {
        tellSupervisor({ metrics: 'told', series }, () => undefined)
      })
    } else if (message.metrics === 'all') {
      const { parts } = message
      settle(({ resolve }) => {
        resolve(parts)
      })
    }
  })
  process.once('disconnect', () => {
    settle(({ reject }) => {
      reject(new Error('The supervisor is gone.'))
    })
  })
  return async () => {
    const parts = await new Promise<Part[]>((resolve, reject) => {
      waiting.push({ resolve, reject })
      tellSupervisor({ metrics: 'wanted' }, (error) => {
        if (error) reject(error)
      })
    })
    return merged(parts)
  }
}

/** In the supervisor: collects the metrics of all workers when one of them asks. */
export function gatherMetrics(places: ReadonlyMap<Worker, number>): void {
  let gathering: Promise<Part[]> | undefined
  cluster.on('message', (asking: Worker, message: unknown) => {
    if (!isMessage(message) || message.metrics !== 'wanted') return
    gathering ??= gather()
    void gathering.then((parts) => {
      tell(asking, { metrics: 'all', parts })
    })
  })

  async function gather(): Promise<Part[]> {
    const parts = await Promise.all(Array.from(places, ([worker, place]) => partOf(worker, place)))
    gathering = undefined
    return parts.filter((part) => part !== undefined)
  }
}

function partOf(worker: Worker, place: number): Promise<Part | undefined> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      if (isMessage(message) && message.metrics === 'told') end({ worker: place, series: message.series })
    }
    const leaveOut = (): void => {
      end(undefined)
    }
    const timer = setTimeout(leaveOut, answerTimeoutMs)
    worker.on('message', hear).on('exit', leaveOut)
    tell(worker, { metrics: 'tell' })

    function end(part: Part | undefined): void {
      clearTimeout(timer)
      worker.off('message', hear).off('exit', leaveOut)
      resolve(part)
    }
  })
}

function tell(worker: Worker, message: Message): void {
  // a worker that is gone needs no message
  worker.send(message, () => undefined)
}

function tellSupervisor(message: Message, sent: (error: Error | null) => void): void {
  process.send?.(message, undefined, undefined, sent)
}

function merged(parts: readonly Part[]): Series {
  const all = new Map<string, Series[number]>()
  for (const { worker, series } of parts) {
    for (const metric of series) {
      const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } }))
      all.set(metric.name, { ...metric, values: [...(all.get(metric.name)?.values ?? []), ...values] })
    }
  }
  return [...all.values()]
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message
}
