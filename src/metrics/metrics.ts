import cluster from 'node:cluster'
import { getHeapStatistics } from 'node:v8'
import { thisPackage } from '../package.ts'
import { openAnswers, type Answered, type Answers } from './answers.ts'
import { newDurations, observe, type Durations } from './durations.ts'
import { seriesOfWorkers } from './of-workers.ts'
import { openRegistry, registryOf, samplesOf, type Collected } from './registry.ts'
import type { Statements } from './statements.ts'

/**
 * The metrics of the service. The number of label values does not depend on what clients send. With several workers,
 * `text` is of all of them.
 */
export interface Metrics {
  answered: (answer: Answered) => void
  banned: () => void
  /** A command to Redis has its reply, or failed. */
  redisReplied: (durationMs: number, failed: boolean) => void
  /** The media type of `text`. */
  type: string
  /** In the Prometheus text format. Rejects in a worker whose supervisor is gone. */
  text: () => Promise<string>
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
  /** What the disk of the store still takes; undefined when that is not known here. */
  freeBytes: number | undefined
  /** The connections to the store's server; undefined without a server. */
  pool: { inUse: number; idle: number; waiting: number; failures: number } | undefined
  /** Whether quotas are counted in this process alone although Redis is configured. */
  quotaDegraded: boolean
  /** How often this process began to count alone. */
  breakerOpenings: number
  /** Requests that it counted alone. */
  countedLocally: number
}

interface Parts {
  operations: readonly { operationId: string; deprecated: boolean; statuses: readonly number[] }[]
  /** The status of each error code, which every operation may answer as well. */
  errorStatuses: Readonly<Record<string, number>>
  /** The reasons for which the store may not answer. */
  reasons: readonly string[]
  statements: Pick<Statements, 'all'>
  read: () => Readings
  build: Build
}

/** What runs: the version of the contract, and the digest that names its text. */
export interface Build {
  version: string
  contractDigest: string
}

/** Every series exists from the start with 0. Prometheus sees no growth when a series begins with 1. */
export function openMetrics({ operations, errorStatuses, reasons, statements, read, build }: Parts): Metrics {
  const collected = openRegistry()
  const { registry } = collected
  const answers = openAnswers(operations, errorStatuses, reasons)
  const counted = { redis: newDurations(), redisFailures: 0, bans: 0 }
  const deprecated = operations.filter((one) => one.deprecated).map(({ operationId }) => operationId)
  addAnswers(collected, answers, deprecated)
  addStore(collected, statements, read)
  addQuota(collected, counted, read)
  addProcess(collected, build)
  const ofAll = cluster.isWorker ? seriesOfWorkers(() => registry.getMetricsAsJSON()) : undefined
  return {
    answered: answers.add,
    banned: () => {
      counted.bans += 1
    },
    redisReplied: (durationMs, failed) => {
      observe(counted.redis, durationMs / 1000)
      if (failed) counted.redisFailures += 1
    },
    type: registry.contentType,
    text: async () => (ofAll ? registryOf(await ofAll()) : registry).metrics(),
  }
}

function addAnswers({ counter, histogram }: Collected, answers: Answers, deprecated: readonly string[]): void {
  counter('http_requests_total', 'Answers of the API by operation and status.', () =>
    Array.from(answers.operations).flatMap(([operation, { statuses }]) =>
      Array.from(statuses, ([status, value]) => ({ labels: { operation, status: String(status) }, value })),
    ),
  )
  counter(
    'http_errors_total',
    'Failures by their error code; rate_limited and key_banned are refusals by the quota.',
    () => Array.from(answers.failures, ([code, value]) => ({ labels: { code }, value })),
  )
  counter('deprecated_requests_total', 'Requests for operations that are deprecated.', () =>
    deprecated.map((operation) => ({
      labels: { operation },
      value: answers.operations.get(operation)?.durations.count ?? 0,
    })),
  )
  histogram('http_request_duration_seconds', 'Time from the head of a request to its answer.', () =>
    Array.from(answers.operations, ([operation, { durations }]) => ({ labels: { operation }, durations })),
  )
  counter('store_unavailable_total', 'Requests that failed because the store could not answer, by the reason.', () =>
    Array.from(answers.reasons, ([reason, value]) => ({ labels: { reason }, value })),
  )
}

function addStore(
  { counter, gauge, histogram, summary }: Collected,
  statements: Pick<Statements, 'all'>,
  read: () => Readings,
): void {
  histogram('store_statement_duration_seconds', 'Time of the statements of the store.', () => [...statements.all()])
  gauge('store_waiting_creates', 'Animals that wait for their commit.', () => samplesOf(read().waiting))
  counter(
    'store_refused_creates_total',
    'Animals that were refused at once because too many waited for their commit.',
    () => samplesOf(read().refused),
  )
  summary(
    'store_turn_wait_seconds',
    'How long batches of creates waited for their turn among all processes on PostgreSQL.',
    () => {
      const { count, waitS } = read().turns
      return { count, sum: waitS }
    },
  )
  gauge('store_wal_bytes', "Size of the SQLite database's write-ahead log.", () => samplesOf(read().walBytes))
  gauge('store_free_bytes', 'What the disk of the SQLite database still takes.', () => samplesOf(read().freeBytes))
  gauge('store_pool_connections', 'Connections to PostgreSQL by their state.', () => {
    const { pool } = read()
    const states = pool ? { in_use: pool.inUse, idle: pool.idle } : {}
    return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }))
  })
  gauge('store_pool_waiting', 'Statements that wait for a connection to PostgreSQL.', () =>
    samplesOf(read().pool?.waiting),
  )
  counter(
    'store_pool_failures_total',
    'Statements that got no connection to PostgreSQL: none could be made, or none was free in time.',
    () => samplesOf(read().pool?.failures),
  )
}

function addQuota(
  { counter, gauge, histogram }: Collected,
  counted: { redis: Durations; redisFailures: number; bans: number },
  read: () => Readings,
): void {
  gauge('quota_degraded', '1 while counts are not shared although they should be.', () =>
    samplesOf(Number(read().quotaDegraded)),
  )
  counter('quota_bans_total', 'Bans of keys made by this process.', () => samplesOf(counted.bans))
  counter('quota_breaker_openings_total', 'How often this process stopped sharing its counts.', () =>
    samplesOf(read().breakerOpenings),
  )
  counter(
    'quota_local_requests_total',
    'Requests counted in this process alone although counts should be shared.',
    () => samplesOf(read().countedLocally),
  )
  histogram('redis_command_duration_seconds', 'Time of the commands that charge the requests of a turn.', () => [
    { labels: {}, durations: counted.redis },
  ])
  counter('redis_command_failures_total', 'Commands that Redis refused or did not reply to in time.', () =>
    samplesOf(counted.redisFailures),
  )
}

function addProcess({ gauge }: Collected, { version, contractDigest }: Build): void {
  gauge('nodejs_heap_size_limit_bytes', 'Size of the heap at which Node.js ends the process.', () =>
    samplesOf(getHeapStatistics().heap_size_limit),
  )
  const labels = { version, node_version: process.version, contract_digest: contractDigest }
  gauge(`${thisPackage.prefix}_build_info`, 'Always 1; the labels say what runs.', () => [{ labels, value: 1 }])
}
