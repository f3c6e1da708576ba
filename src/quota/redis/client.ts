import { createHash, randomBytes } from 'node:crypto'
import type { Options } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { RedisStore } from 'rate-limit-redis'
import { dayMs } from '../outcome.ts'
import { script, scriptArguments, type Command } from './script.ts'

/** How long the start waits for the first connection, in ms. */
const firstConnectionMs = 2000
/** How long a connection may be without data that is due, in ms, before another one is opened. */
const silenceMs = 2000
/** The time-out of a command that charges, in ms; after it the requests are counted in this process. */
const commandMs = 150

export interface RedisClient {
  /** Resolves when the first connection is ready or has failed, or after 2 s, as when Redis is loading its data. */
  opened: Promise<void>
  /** Runs a command, and resolves with its reply. Rejects when Redis refuses it, and when no reply comes in time. */
  run: (command: Command) => Promise<string>
  close: () => void
}

/** Connects to a Redis, which need not be running, again and again. Every key begins with `prefix`. */
export function redisClient(url: string, prefix: string, onError: (error: Error) => void): RedisClient {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    // only the service sends a command again
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    maxLoadingRetryTime: 1000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
    // after a failover the old address may be a replica's
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  client.on('error', (error) => {
    onError(error)
    // after a failed SELECT ioredis would use database 0
    if (client.status === 'connect') client.disconnect(true)
  })
  const run = commandRunner(client, prefix)
  return {
    opened: firstConnection(client, onError),
    run: (command) => inTime(run(command)),
    close: () => {
      client.disconnect()
    },
  }
}

/**
 * Sends commands through the store of rate-limit-redis, which prefixes keys and loads its script again when Redis has
 * lost it. For the store each command increments the record of this process; `sendCommand` replaces the script, and adds
 * the keys and the arguments of the command.
 */
function commandRunner(client: Redis, prefix: string): (command: Command) => Promise<string> {
  const record = `process:${randomBytes(9).toString('base64url')}`
  let current: ReturnType<typeof scriptArguments> = { keys: [], args: [] }
  const store: RedisStore = new RedisStore({
    prefix,
    sendCommand: async (name, ...args) => {
      if (name === 'SCRIPT') return loadScript(client)
      const [digest = '', , recordKey = '', expiryMs = ''] = args
      const keys = [recordKey, ...current.keys.map((key) => store.prefixKey(key))]
      return (await client.call(name, digest, keys.length, ...keys, expiryMs, ...current.args)) as string
    },
  })
  void store.init({ windowMs: dayMs } as Options)
  return async (command) => {
    current = scriptArguments(command)
    return String(await store.retryableIncrement(record))
  }
}

const digest = createHash('sha1').update(script).digest('hex')

/** Returns the digest. Never fails, since the store would not try again; the first command finds out (NOSCRIPT). */
async function loadScript(client: Redis): Promise<string> {
  if (client.status === 'ready') await client.call('SCRIPT', 'LOAD', script).catch(() => undefined)
  return digest
}

function firstConnection(client: Redis, onError: (error: Error) => void): Promise<void> {
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
function inTime(reply: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, timeout('Redis sent no reply in time.')), commandMs)
    void reply.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}

function timeout(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}
