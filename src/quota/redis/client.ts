import { createHash, randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { messageOf } from '../../failure.ts'
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
  /** Runs a command of the counters, and resolves with its reply. Rejects when Redis refuses it, or is not in time. */
  run: (command: Command) => Promise<string>
  /** Sends a command of Redis as it is. Rejects when Redis refuses it, or is not in time. */
  send: (name: string, ...args: string[]) => Promise<unknown>
  close: () => void
}

/** Connects to a Redis, which need not be running, again and again. Every key begins with `prefix`. */
export function redisClient(
  url: string,
  prefix: string,
  onError: (error: Error) => void,
  urlNow?: () => string,
): RedisClient {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    // only the service sends a command again
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    maxLoadingRetryTime: 1000,
    retryStrategy: (attempt) => {
      if (urlNow) Object.assign(client.options, credentialsIn(urlNow()))
      return Math.min(attempt * 50, 1000)
    },
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
    send: (name, ...args) => inTime(client.call(name, ...args)),
    close: () => {
      client.disconnect()
    },
  }
}

/** The user and the password of a URL, for the next connection. */
function credentialsIn(url: string): { username: string; password: string } {
  const { username, password } = new URL(url)
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** Runs the script of the counters, which Redis keeps by its digest. A Redis that has lost it is given it again. */
function commandRunner(client: Redis, prefix: string): (command: Command) => Promise<string> {
  const record = `process:${randomBytes(9).toString('base64url')}`
  return async (command) => {
    const { keys, args } = scriptArguments(command)
    const names = [record, ...keys].map((key) => prefix + key)
    const evaluate = (): Promise<unknown> => client.evalsha(scriptDigest, names.length, ...names, dayMs, ...args)
    try {
      return String(await evaluate())
    } catch (error) {
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error
      await client.script('LOAD', script)
      return String(await evaluate())
    }
  }
}

const scriptDigest = digestOf(script)

/** The name that Redis gives a script. */
export function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex')
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
function inTime<T>(reply: Promise<T>): Promise<T> {
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
