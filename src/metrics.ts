import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What is counted for operators, in the Prometheus text format. Every label has few values, whatever clients send. */
export interface Metrics {
  answered: (answer: Answered) => void
  banned: () => void
  /** The media type of `text`. */
  type: string
  text: () => Promise<string>
}

export interface Answered {
  /** Undefined when the request led to no operation. */
  operationId: string | undefined
  status: number
  /** The error code, when the answer is a failure. */
  code: string | undefined
  durationS: number
}

/** What is read at the moment somebody asks. */
export interface Readings {
  /** Animals that wait for their commit. */
  waiting: number
  walBytes: number
  /** Whether counts are not shared although they should be. */
  quotaDegraded: boolean
}

/** From a quarter of a millisecond to ten seconds. */
const bucketsS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function openMetrics({ deprecated, read }: { deprecated: readonly string[]; read: () => Readings }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    registers,
    name: 'http_requests_total',
    help: 'Answers of the API by operation and status.',
    labelNames: ['operation', 'status'],
  })
  const durations = new Histogram({
    registers,
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to its answer.',
    labelNames: ['operation'],
    buckets: bucketsS,
  })
  const errors = new Counter({
    registers,
    name: 'http_errors_total',
    help: 'Failures by their error code; rate_limited and key_banned are refusals by the quota.',
    labelNames: ['code'],
  })
  const deprecatedUse = new Counter({
    registers,
    name: 'deprecated_requests_total',
    help: 'Requests for operations that are deprecated.',
    labelNames: ['operation'],
  })
  for (const operation of deprecated) deprecatedUse.inc({ operation }, 0)
  const bans = new Counter({ registers, name: 'quota_bans_total', help: 'Bans of keys made by this process.' })
  gauge('store_waiting_creates', 'Animals that wait for their commit.', ({ waiting }) => waiting)
  gauge('store_wal_bytes', "Size of the SQLite database's write-ahead log.", ({ walBytes }) => walBytes)
  gauge('quota_degraded', '1 while counts are not shared although they should be.', (now) => Number(now.quotaDegraded))

  // looking a label up takes longer than counting
  const counters = new Map<string, Map<number, { inc: () => void }>>()
  const timers = new Map<string, { observe: (seconds: number) => void }>()
  const uses = new Map(deprecated.map((operation) => [operation, deprecatedUse.labels({ operation })]))

  return {
    answered: ({ operationId = 'none', status, code, durationS }) => {
      const ofOperation = entry(counters, operationId, () => new Map<number, { inc: () => void }>())
      entry(ofOperation, status, () => requests.labels({ operation: operationId, status: String(status) })).inc()
      entry(timers, operationId, () => durations.labels({ operation: operationId })).observe(durationS)
      uses.get(operationId)?.inc()
      if (code !== undefined) errors.inc({ code })
    },
    banned: () => {
      bans.inc()
    },
    type: registry.contentType,
    text: () => registry.metrics(),
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

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}
