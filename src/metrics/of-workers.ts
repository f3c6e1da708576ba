import cluster, { type Worker } from 'node:cluster'
import type { Registry } from 'prom-client'

/** How long a worker has for telling its metrics, in ms: one that hangs is left out, and does not hold up the others. */
const tellingMs = 1000

/** Metrics of one process with their values. */
export type Series = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What one worker told. `worker` is its place, which one that is started for it takes over. */
interface Part {
  worker: number
  series: Series
}

/** What goes between a worker that is asked for metrics, the supervisor, and all workers. */
type Message = { metrics: 'wanted' | 'tell' } | { metrics: 'told'; series: Series } | { metrics: 'all'; parts: Part[] }

/**
 * In a worker: gives the metrics of all of them, each value with the place of its worker as a label. Summed up instead,
 * a counter would fall when a worker ends, which Prometheus takes for a restart of all. Rejects when the supervisor is
 * gone.
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

/** In the supervisor: asks every worker for its metrics whenever one of them wants those of all. */
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
    const timer = setTimeout(leaveOut, tellingMs)
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
  // one that is gone need not be told
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
