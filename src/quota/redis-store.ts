import { createHash } from 'node:crypto'
import type { IncrementResponse, Options, Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { RedisStore } from 'rate-limit-redis'
import type { Log } from '../log.ts'
import type { EmbeddedStore } from './embedded-store.ts'

/** The time-out of a command, in ms; after it the request is counted in this process. */
const commandTimeoutMs = 150
/** The delay before a probe, in ms: the first one, which doubles after each failure, and the longest. */
const firstProbeMs = 250
const longestProbeMs = 4000
/** The expiry of the probe's counter, in ms. */
const probeWindowMs = 1000

/** Counters that all processes share in one Redis. */
export interface SharedCounters {
  /** The store of a counter; while Redis fails, `local` continues from the last known counts. */
  store: (name: string, windowMs: number, local: EmbeddedStore) => Store
  /** Whether this process counts alone. */
  degraded: () => boolean
  close: () => void
}

/**
 * Opens counters in a Redis, which need not be running: resolves when the first connection is ready or has failed. No
 * request fails because of Redis, or waits longer than a time-out.
 */
export async function sharedCounters(url: string, log: Log): Promise<SharedCounters> {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    // the commands of one turn of the event loop are sent in one write
    enableAutoPipelining: true,
    // an increment without a reply may have counted, so it is not sent again
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
    // after a failover the old address may be a replica's
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  const breaker = openBreaker(() => probe(client), log)
  client.on('error', (error) => {
    breaker.fail(error)
    // after a failed SELECT ioredis would use database 0
    if (client.status === 'connect') client.disconnect(true)
  })
  await firstConnection(client)

  return {
    store: (name, windowMs, local) => {
      const shared = redisStore(client, `animal-store:${name}:`)
      void shared.init({ windowMs } as Options)
      return new FallbackStore(shared, local, breaker)
    },
    degraded: () => breaker.isOpen(),
    close: () => {
      breaker.close()
      client.disconnect()
    },
  }
}

function firstConnection(client: Redis): Promise<void> {
  return new Promise((resolve) => {
    client.once('ready', resolve)
    client.once('close', resolve)
  })
}

/** Counts as requests do: a user may write and not run scripts, and a replica answers everything but writes. */
async function probe(client: Redis): Promise<void> {
  const store = redisStore(client, 'animal-store:')
  await store.init({ windowMs: probeWindowMs } as Options)
  // the first sets the counter, the second adds to it
  await store.increment('probe')
  await store.increment('probe')
  await store.decrement('probe')
}

/** rate-limit-redis with this client. Loading its scripts never fails, since it would not try again. */
function redisStore(client: Redis, prefix: string): RedisStore {
  return new RedisStore({
    prefix,
    sendCommand: async (command: string, ...args: string[]) => {
      if (command === 'SCRIPT') return loadScript(client, args)
      // DECR of a counter that has expired would leave one without expiry
      if (command === 'DECR') return (await client.eval(decrementScript, 1, args[0] ?? '')) as number
      return (await client.call(command, ...args)) as number
    },
  })
}

const decrementScript = "if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('DECR', KEYS[1]) end return 0"

/** Returns the digest of the script. A script that Redis does not have is loaded by the first call (NOSCRIPT). */
async function loadScript(client: Redis, args: string[]): Promise<string> {
  const digest = createHash('sha1')
    .update(args[1] ?? '')
    .digest('hex')
  if (client.status === 'ready') await client.call('SCRIPT', ...args).catch(() => undefined)
  return digest
}

/** Counts in Redis, and in this process while the breaker is open. Never fails. */
class FallbackStore implements Store {
  readonly #shared: RedisStore
  readonly #local: EmbeddedStore
  readonly #breaker: Breaker

  constructor(shared: RedisStore, local: EmbeddedStore, breaker: Breaker) {
    this.#shared = shared
    this.#local = local
    this.#breaker = breaker
  }

  increment(key: string): IncrementResponse | Promise<IncrementResponse> {
    return this.#breaker.isOpen() ? this.#local.increment(key) : this.#incrementShared(key)
  }

  async #incrementShared(key: string): Promise<IncrementResponse> {
    try {
      const counted = await this.#shared.increment(key)
      this.#local.set(key, counted.totalHits)
      return counted
    } catch (error) {
      this.#breaker.fail(error)
      return this.#local.increment(key)
    }
  }

  decrement(key: string): void {
    this.#local.decrement(key)
    if (this.#breaker.isOpen()) return
    this.#shared.decrement(key).catch((error: unknown) => {
      this.#breaker.fail(error)
    })
  }

  async resetKey(key: string): Promise<void> {
    this.#local.resetKey(key)
    await this.#shared.resetKey(key)
  }
}

interface Breaker {
  isOpen: () => boolean
  /** Reports a failure, which opens the breaker. */
  fail: (error: unknown) => void
  close: () => void
}

/**
 * A circuit breaker: the first failure opens it, and a successful probe closes it. Each change of state is logged once,
 * and while it is open each other kind of failure once.
 */
function openBreaker(probe: () => Promise<void>, log: Log): Breaker {
  const told = new Set<string>()
  let waitMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const tell = (error: unknown): void => {
    const failure = describeFailure(error)
    // connections are lost between refusals, which is nothing new
    if (told.has(failure) || (failure === silence && told.size > 0)) return
    told.add(failure)
    // only the code: the message may contain the address with its password
    log.warn({ reason: failureCode(error) }, `${failure}, quotas are counted in this process`)
  }
  const retry = (): void => {
    waitMs = Math.min(waitMs === 0 ? firstProbeMs : waitMs * 2, longestProbeMs)
    timer = setTimeout(() => void attempt(), waitMs).unref()
  }
  const attempt = async (): Promise<void> => {
    try {
      await probe()
    } catch (error) {
      if (closed) return
      tell(error)
      retry()
      return
    }
    timer = undefined
    waitMs = 0
    told.clear()
    if (!closed) log.info('redis is back, quotas are shared')
  }

  return {
    isOpen: () => timer !== undefined,
    fail: (error) => {
      if (closed) return
      tell(error)
      if (timer === undefined) retry()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

const silence = 'redis does not answer'

/** A failure in words, with no text of the error but the number of a database. */
function describeFailure(error: unknown): string {
  if (!isReplyError(error)) return silence
  const { message, command } = error
  if (command?.name === 'select' && message.startsWith('ERR '))
    return `redis has no database ${String(command.args[0])}`
  return 'redis refuses to count'
}

/** An error reply of Redis. */
interface ReplyError extends Error {
  command?: { name: string; args: readonly (string | number)[] }
}

function isReplyError(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError'
}

function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : (/^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.name)
}
