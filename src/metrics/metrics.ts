import cluster from 'node:cluster'
import { collectDefaultMetrics, Counter, Gauge, Registry, type Histogram } from 'prom-client'
import { seriesOfWorkers, type Series } from './of-workers.ts'

/**
 * The metrics of the service. The number of label values does not depend on what clients send. With several workers,
 * `text` is of all of them.
 */
export interface Metrics {
  answered: (answer: Answered) => void
  banned: () => void
  /** The media type of `text`. */
  type: string
  /** In the Prometheus text format. Rejects in a worker whose supervisor is gone. */
  text: () => Promise<string>
}

export interface Answered {
  /** Undefined when the request matched no operation. */
  operationId: string | undefined
  status: number
  /** The error code of a failure. */
  code: string | undefined
  durationS: number
}

/** Values that are read when the metrics are collected. */
export interface Readings {
  /** Animals that wait for their commit. */
  waiting: number
  /** How many were refused because too many waited. */
  refused: number
  /** How often this process took its turn among those that write to the database, and how long it has waited for that. */
  turns: { count: number; waitS: number }
  walBytes: number
  /** Whether quotas are counted in this process alone although Redis is configured. */
  quotaDegraded: boolean
}

/** Upper bounds of the histogram's buckets, in seconds. */
const bucketsS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Parts {
  operations: readonly { operationId: string; deprecated: boolean; statuses: readonly number[] }[]
  /** The status of each error code, which every operation may answer as well. */
  errorStatuses: Readonly<Record<string, number>>
  read: () => Readings
  build: Build
}

/** What runs: the version of the contract, and the digest that names its text. */
export interface Build {
  version: string
  contractDigest: string
}

/** Every series exists from the start with 0. Prometheus sees no growth when a series begins with 1. */
export function openMetrics({ operations: declared, errorStatuses, read, build }: Parts): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const failures = new Map(Object.keys(errorStatuses).map((code) => [code, 0]))
  const errors = Object.values(errorStatuses)
  // an OPTIONS request is 204
  const all = [...declared, { operationId: 'none', statuses: [204] }]
  const operations = new Map(
    all.map(({ operationId, statuses }) => [operationId, newTally([...statuses, ...errors])] as const),
  )
  const deprecated = declared.filter((one) => one.deprecated).map(({ operationId }) => operationId)
  counter('http_requests_total', 'Answers of the API by operation and status.', ['operation', 'status'], (add) => {
    for (const [operation, { statuses }] of operations) {
      for (const [status, count] of statuses) add({ operation, status: String(status) }, count)
    }
  })
  counter(
    'http_errors_total',
    'Failures by their error code; rate_limited and key_banned are refusals by the quota.',
    ['code'],
    (add) => {
      for (const [code, count] of failures) add({ code }, count)
    },
  )
  counter('deprecated_requests_total', 'Requests for operations that are deprecated.', ['operation'], (add) => {
    for (const operation of deprecated) add({ operation }, operations.get(operation)?.durations.count ?? 0)
  })
  const duration = 'http_request_duration_seconds'
  const durationHelp = 'Time from the head of a request to its answer.'
  register(registry, { name: duration, help: durationHelp, type: 'histogram' }, () =>
    Array.from(operations).flatMap(([operation, { durations }]) => bucketsOf(duration, operation, durations)),
  )
  const bans = new Counter({ registers, name: 'quota_bans_total', help: 'Bans of keys made by this process.' })
  gauge('store_waiting_creates', 'Animals that wait for their commit.', ({ waiting }) => waiting)
  counter(
    'store_refused_creates_total',
    'Animals that were refused at once because too many waited for their commit.',
    [],
    (add) => {
      add({}, read().refused)
    },
  )
  const turnWait = 'store_turn_wait_seconds'
  const turnHelp = 'How long batches of creates waited for their turn among all processes on PostgreSQL.'
  register(registry, { name: turnWait, help: turnHelp, type: 'summary' }, () => {
    const { count, waitS } = read().turns
    return [
      { metricName: `${turnWait}_sum`, labels: {}, value: waitS },
      { metricName: `${turnWait}_count`, labels: {}, value: count },
    ]
  })
  gauge('store_wal_bytes', "Size of the SQLite database's write-ahead log.", ({ walBytes }) => walBytes)
  gauge('quota_degraded', '1 while counts are not shared although they should be.', (now) => Number(now.quotaDegraded))

  const info = 'animal_store_build_info'
  register(registry, { name: info, help: 'Always 1; the labels say what runs.', type: 'gauge' }, () => {
    const { version, contractDigest } = build
    const labels = { version, node_version: process.version, contract_digest: contractDigest }
    return [{ metricName: info, labels, value: 1 }]
  })

  const ofAll = cluster.isWorker ? seriesOfWorkers(() => registry.getMetricsAsJSON()) : undefined

  return {
    answered: ({ operationId = 'none', status, code, durationS }) => {
      let tally = operations.get(operationId)
      if (!tally) operations.set(operationId, (tally = newTally([])))
      const { statuses, durations } = tally
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (code !== undefined) failures.set(code, (failures.get(code) ?? 0) + 1)
      let bucket = 0
      while (durationS > (bucketsS[bucket] ?? Infinity)) bucket++
      durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1
      durations.count++
      durations.sumS += durationS
    },
    banned: () => {
      bans.inc()
    },
    type: registry.contentType,
    text: async () => (ofAll ? registryOf(await ofAll()) : registry).metrics(),
  }

  /** A counter whose values are read when the metrics are collected. */
  function counter<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    tell: (add: (labels: Record<Label, string>, count: number) => void) => void,
  ): void {
    const shown: Counter<Label> = new Counter({
      registers,
      name,
      help,
      labelNames,
      collect: () => {
        shown.reset()
        tell((labels, count) => {
          shown.inc(labels, count)
        })
      },
    })
  }

  function gauge(name: string, help: string, value: (now: Readings) => number): void {
    const shown: Gauge = new Gauge({
      registers,
      name,
      help,
      collect: () => {
        shown.set(value(read()))
      },
    })
  }
}

/**
 * The counts of one operation. prom-client would look up the series by its labels at every request, which took 1.5 µs;
 * so its metrics are made from these counts when they are collected.
 */
interface OperationTally {
  statuses: Map<number, number>
  durations: Durations
}

function newTally(statuses: readonly number[]): OperationTally {
  const inOrder = statuses.toSorted((a, b) => a - b)
  return { statuses: new Map(inOrder.map((status) => [status, 0])), durations: newDurations() }
}

interface Durations {
  /** Answers in each bucket of `bucketsS` and above the last, not cumulative. */
  buckets: number[]
  count: number
  sumS: number
}

function newDurations(): Durations {
  return { buckets: Array.from({ length: bucketsS.length + 1 }, () => 0), count: 0, sumS: 0 }
}

/** The series of a histogram. prom-client's histogram takes only single durations. */
function bucketsOf(name: string, operation: string, { buckets, count, sumS }: Durations): object[] {
  let below = 0
  return [
    ...buckets.map((fell, index) => ({
      metricName: `${name}_bucket`,
      labels: { le: bucketsS[index] ?? '+Inf', operation },
      value: (below += fell),
    })),
    { metricName: `${name}_sum`, labels: { operation }, value: sumS },
    { metricName: `${name}_count`, labels: { operation }, value: count },
  ]
}

function registryOf(series: Series): Registry {
  const registry = new Registry()
  for (const metric of series) register(registry, metric, () => metric.values)
  return registry
}

/** Adds a metric whose values are made when they are collected; prom-client's types allow only its own classes. */
function register(
  registry: Registry,
  { name, help, type }: Pick<Series[number], 'name' | 'help'> & { type: unknown },
  values: () => object[],
): void {
  const metric = { name, help, type, get: () => Promise.resolve({ name, help, type, values: values() }) }
  registry.registerMetric(metric as unknown as Histogram)
}
