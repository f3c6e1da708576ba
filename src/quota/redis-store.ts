import { createHash } from 'node:crypto'
import type { IncrementResponse, Options, Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { RedisStore } from 'rate-limit-redis'
import type { Log } from '../log.ts'
import type { EmbeddedStore } from './embedded-store.ts'

/** How long Redis may take for a command, in ms, before the request is counted here instead. */
const commandTimeoutMs = 150
/** Time between attempts to come back to Redis, in ms: the first, and the longest after doublings. */
const firstProbeMs = 250
const longestProbeMs = 4000
/** How long a probe's counter is kept, in ms. */
const probeWindowMs = 1000

/** Counters shared by all processes over one Redis. */
export interface SharedCounters {
  /** A counter's store; `local` takes over while Redis does not count, from the counts last seen. */
  store: (name: string, windowMs: number, local: EmbeddedStore) => Store
  /** Whether counting goes on in this process alone. */
  degraded: () => boolean
  close: () => void
}

/**
 * Opens counters on a Redis, which need not be up: resolves with the first connection or its failure. No request fails
 * or waits longer for Redis than a time-out.
 */
export async function sharedCounters(url: string, log: Log): Promise<SharedCounters> {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    // the commands of one request go out in one write
    enableAutoPipelining: true,
    // an increment whose answer was lost may have counted, so it is not sent again
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
    // after a failover the old address may lead to a replica
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  const breaker = openBreaker(() => probe(client), log)
  // each failure that matters is seen by the command that meets it
  client.on('error', (error) => {
    breaker.fail(error)
    // after a SELECT that failed ioredis would go on in database 0
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

/** Counts as requests do: whoever may write may still not run scripts, and a replica answers all but writes. */
async function probe(client: Redis): Promise<void> {
  const store = redisStore(client, 'animal-store:')
  await store.init({ windowMs: probeWindowMs } as Options)
  // the first sets the counter, the second adds to it
  await store.increment('probe')
  await store.increment('probe')
  await store.decrement('probe')
}

/** rate-limit-redis over this client. Loading its scripts never fails, since it would not try that again. */
function redisStore(client: Redis, prefix: string): RedisStore {
  return new RedisStore({
    prefix,
    sendCommand: async (command: string, ...args: string[]) => {
      if (command === 'SCRIPT') return loadScript(client, args)
      // a plain DECR would leave a counter without expiry, were it gone by now
      if (command === 'DECR') return (await client.eval(decrementScript, 1, args[0] ?? '')) as number
      return (await client.call(command, ...args)) as number
    },
  })
}

const decrementScript = "if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('DECR', KEYS[1]) end return 0"

/** The script's digest. When Redis does not have the script, the first call of it says so, and it is loaded then. */
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
  /** Tells of a failure. Opens the breaker, when it is not open yet. */
  fail: (error: unknown) => void
  close: () => void
}

/**
 * A circuit breaker: the first failure opens it, and while it is open it probes, so that no request has to. Each
 * change of state is logged once, and each kind of refusal that is met before the next.
 */
function openBreaker(probe: () => Promise<void>, log: Log): Breaker {
  const told = new Set<string>()
  let waitMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const tell = (error: unknown): void => {
    const fault = faultOf(error)
    // between refusals connections are lost, which is no news
    if (told.has(fault) || (fault === silence && told.size > 0)) return
    told.add(fault)
    // the error may name the address with its password, so only its kind is logged
    log.warn({ reason: reasonOf(error) }, `${fault}, quotas are counted in this process`)
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

/** A failure in words that hold nothing of the error's own but the number of a database. */
function faultOf(error: unknown): string {
  if (!isReplyError(error)) return silence
  const { message, command } = error
  if (command?.name === 'select' && message.startsWith('ERR '))
    return `redis has no database ${String(command.args[0])}`
  return 'redis refuses to count'
}

/** What Redis answered to a command that it did not carry out. */
interface ReplyError extends Error {
  command?: { name: string; args: readonly (string | number)[] }
}

function isReplyError(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError'
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : (/^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.name)
}
