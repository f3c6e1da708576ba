import { createHash, randomBytes } from 'node:crypto'
import { Cluster, Redis, type RedisOptions as AllOptions } from 'ioredis'
import { readRedisUrl, type RedisUrl } from '../../config/redis-url.ts'
import { tlsFiles } from '../../config/tls-files.ts'
import { messageOf } from '../../failure.ts'
import type { Log } from '../../log/log.ts'
import { thisPackage } from '../../package.ts'
import { dayMs } from '../outcome.ts'
import { checkEviction } from './eviction.ts'
import { script, scriptArguments, type Command } from './script.ts'

/** How long the start waits for the first connection, in ms. */
const firstConnectionMs = 2000
/** How long a connection may be without data that is due, in ms, before another one is opened. */
const silenceMs = 2000
/** How long a client that has given up waits before it connects again, in ms. */
const reconnectMs = 100
/** How often a cluster is asked where its hash slots are, in ms. */
const slotsEveryMs = 1000
/**
 * The hash tags over which a cluster divides the callers. All keys of a command are in one slot, and so each tag has its own;
 * the windows of a caller have the same tag. The number is that of all processes and releases.
 */
const clusterTags = Array.from({ length: 16 }, (_, index) => `{${index}}:`)

type RedisOptions = Omit<AllOptions, 'replyMapping'>

export interface RedisClient {
  /** The hash tags over which callers are divided; one that is empty where there is no cluster. */
  tags: readonly string[]
  /** What the names of the pages' counters begin with. */
  pagePrefix: string
  /** Resolves when the first connection is ready or has failed, or after 2 s, as when Redis is loading its data. */
  opened: Promise<void>
  /** Gives what runs a command of the counters of a tag, and resolves with its reply. Rejects when Redis refuses it, or is not in time. */
  runner: (tag: string) => (command: Command) => Promise<string>
  /** Sends a command of Redis as it is. Rejects when Redis refuses it, or is not in time. */
  send: (name: string, ...args: string[]) => Promise<unknown>
  close: () => void
}

export interface RedisClientParts {
  url: string
  /** The same as its file has it now, if it comes from a file. */
  urlNow: (() => string) | undefined
  timeoutMs: number
  installation: string
  log: Log
}

/** Connects to a Redis, which need not be running, again and again. */
export function redisClient(
  { url: text, urlNow, timeoutMs, installation, log }: RedisClientParts,
  onError: (error: Error) => void,
): RedisClient {
  const url = requireUrl(text)
  const client = url.kind === 'cluster' ? clusterOf(url, urlNow) : singleOf(url, urlNow)
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    onError(error.lastNodeError ?? error)
    // after a failed SELECT ioredis would use database 0
    if (client instanceof Redis && client.status === 'connect') client.disconnect(true)
  })
  let closed = false
  // ioredis gives up when Sentinels tell of a failover while it asks one of them where the Redis is
  client.on('end', () => {
    if (closed) return
    setTimeout(() => {
      if (!closed) void client.connect().catch(() => undefined)
    }, reconnectMs).unref()
  })
  client.once('ready', () => {
    const nodes = client instanceof Redis ? [client] : client.nodes('master')
    for (const node of nodes) void checkEviction(node, log)
  })
  const { prefix: name } = url.parameters
  const prefix = `${thisPackage.command}:${installation}:${name === undefined ? '' : `${name}:`}`
  return {
    tags: url.kind === 'cluster' ? clusterTags : [''],
    pagePrefix: `${prefix}page:`,
    opened: firstConnection(client, onError),
    runner: (tag) => {
      const run = commandRunner(client, prefix + tag)
      return (command) => inTime(run(command), timeoutMs)
    },
    send: (command, ...args) => {
      const sent = command === 'SCRIPT' ? loadScript(client, args[1] ?? '') : client.call(command, ...args)
      return inTime(sent, timeoutMs)
    },
    close: () => {
      closed = true
      client.disconnect()
    },
  }
}

function requireUrl(text: string): RedisUrl {
  const url = readRedisUrl(text)
  if (typeof url === 'string') throw new Error(`REDIS_URL ${url}.`)
  return url
}

/** One Redis, or the one that Sentinels name. */
function singleOf(url: RedisUrl, urlNow?: () => string): Redis {
  const { nodes, kind, master, database } = url
  const { sentinel_user: user = '', sentinel_password: password = '' } = url.parameters
  const options = connectionOf(url)
  const { tls } = options
  const where: RedisOptions =
    kind === 'sentinel'
      ? {
          ...{ sentinels: [...nodes], name: master, failoverDetector: true },
          ...(user === '' ? {} : { sentinelUsername: user }),
          ...(password === '' ? {} : { sentinelPassword: password }),
          ...(tls ? { sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
          sentinelCommandTimeout: silenceMs,
          sentinelRetryStrategy: (attempt) => Math.min(attempt * 50, 1000),
        }
      : { ...nodes[0] }
  const client = new Redis({
    ...options,
    ...where,
    db: database,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => {
      if (urlNow) Object.assign(client.options, credentialsIn(urlNow()))
      return Math.min(attempt * 50, 1000)
    },
    // after a failover the old address may be a replica's
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  return forgivingInfo(client)
}

function clusterOf(url: RedisUrl, urlNow?: () => string): Cluster {
  // the user may not be allowed INFO
  const redisOptions = { ...connectionOf(url), enableReadyCheck: false }
  return new Cluster([...url.nodes], {
    redisOptions,
    enableOfflineQueue: false,
    // a cluster that does not serve all hash slots says so, and is not waited for
    ...{ enableReadyCheck: false, retryDelayOnClusterDown: 0 },
    slotsRefreshTimeout: silenceMs,
    slotsRefreshInterval: slotsEveryMs,
    clusterRetryStrategy: (attempt) => {
      if (urlNow) Object.assign(redisOptions, credentialsIn(urlNow()))
      return Math.min(attempt * 50, 1000)
    },
    // addresses of nodes are those that the cluster names
    dnsLookup: (address, callback) => {
      callback(null, address)
    },
  })
}

/** What every connection has. */
function connectionOf(url: RedisUrl): RedisOptions {
  const { tls, parameters } = url
  return {
    ...credentialsOf(url),
    ...(tls
      ? { tls: { ...definedOf(tlsFiles(parameters)), rejectUnauthorized: parameters.sslmode !== 'no-verify' } }
      : {}),
    // only the service sends a command again
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    maxLoadingRetryTime: 1000,
    // a user with the least rights may not tell its name
    disableClientInfo: true,
  }
}

function definedOf<T>(values: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter((one): one is [string, T] => one[1] !== undefined))
}

/** The user and the password of a URL, for the next connection. */
function credentialsIn(text: string): Pick<RedisOptions, 'username' | 'password'> {
  return credentialsOf(requireUrl(text))
}

function credentialsOf({ user, password }: RedisUrl): Pick<RedisOptions, 'username' | 'password'> {
  return { ...(user === '' ? {} : { username: user }), ...(password === '' ? {} : { password }) }
}

/** A user without the right to INFO is taken as one of a Redis that has loaded its data; ioredis would print a warning. */
function forgivingInfo(client: Redis): Redis {
  const { info } = Redis.prototype as { info: (this: Redis, ...args: unknown[]) => Promise<string> }
  const forgiving = async (...args: unknown[]): Promise<string> => {
    const tell = args.find((one) => typeof one === 'function') as ((error: unknown, text?: string) => void) | undefined
    const others = args.filter((one) => typeof one !== 'function')
    try {
      const text = await info.apply(client, others).catch((error: unknown) => {
        if (!messageOf(error).startsWith('NOPERM')) throw error
        return ''
      })
      tell?.(null, text)
      return text
    } catch (error) {
      tell?.(error)
      throw error
    }
  }
  return Object.assign(client, { info: forgiving })
}

/** Runs the script of the counters, which Redis keeps by its digest. A Redis that has lost it is given it again. */
function commandRunner(client: Redis | Cluster, prefix: string): (command: Command) => Promise<string> {
  const record = `process:${randomBytes(9).toString('base64url')}`
  return async (command) => {
    const { keys, args } = scriptArguments(command)
    const names = [record, ...keys].map((key) => prefix + key)
    const evaluate = (): Promise<unknown> => client.evalsha(scriptDigest, names.length, ...names, dayMs, ...args)
    try {
      return String(await evaluate())
    } catch (error) {
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error
      await loadScript(client, script)
      return String(await evaluate())
    }
  }
}

/** Gives the script to Redis, or to every node of a cluster that may need it. */
async function loadScript(client: Redis | Cluster, text: string): Promise<unknown> {
  const nodes = client instanceof Redis ? [client] : client.nodes('master')
  // a node that is down is given it when it says that it lacks it
  const given = await Promise.allSettled(nodes.map((node) => node.script('LOAD', text)))
  const loaded = given.find(({ status }) => status === 'fulfilled') ?? given[0]
  if (loaded?.status === 'fulfilled') return loaded.value
  throw loaded ? loaded.reason : new Error('No node of Redis is known.')
}

const scriptDigest = digestOf(script)

/** The name that Redis gives a script. */
export function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

function firstConnection(client: Redis | Cluster, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      onError(timeout('The connection was not ready in time.'))
      resolve()
    }, firstConnectionMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    client.once('ready', end)
    client.once('close', end)
  })
}

/** Rejects when there is no reply in time. A reply that has arrived while this process was busy is in time. */
function inTime<T>(reply: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, timeout('Redis sent no reply in time.')), withinMs)
    void reply.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}

function timeout(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}
