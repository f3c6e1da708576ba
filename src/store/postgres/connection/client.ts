import pg from 'pg'
import { driverUrl, loginOf, type PostgresHost, type PostgresUrl } from '../../../config/postgres-url.ts'
import { thisPackage } from '../../../package.ts'
import { acquireMs, statementMs, turnMs } from './times.ts'

/** What every connection sets for itself, whatever is set for the server, the role or the database. */
export const ownSettings: Readonly<Record<string, string | number>> = {
  // the server itself ends statements that take too long
  statement_timeout: statementMs,
  lock_timeout: 0,
  // the pool keeps connections that nobody uses
  idle_session_timeout: 0,
  // a process that hangs within a transaction keeps its locks no longer
  idle_in_transaction_session_timeout: 5000,
  default_transaction_isolation: 'read committed',
}

/** What differs where statements wait for their turn: a lock of a table still ends them as soon as elsewhere. */
export const turnSettings: typeof ownSettings = {
  statement_timeout: turnMs + statementMs,
  lock_timeout: statementMs,
}

/** Where connections lead, and how they are made. The settings follow those that the URL has in `options`. */
export function connectionConfig(
  url: PostgresUrl,
  host: PostgresHost,
  settings: Readonly<Record<string, string | number>>,
): pg.PoolConfig {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
  const options = [url.parameters.options ?? '', ...own].join(' ').trim()
  const whole = { ...url, parameters: { ...url.parameters, options } }
  const { channel_binding: binding = 'disable' } = url.parameters
  return {
    Client: clientOf(whole, host) as unknown as NonNullable<pg.PoolConfig['Client']>,
    application_name: thisPackage.name,
    // of several servers each gets its share of the time
    connectionTimeoutMillis: Math.max(acquireMs / url.hosts.length, 500),
    enableChannelBinding: binding !== 'disable',
    keepAlive: true,
    types: { getTypeParser: parserOf },
  }
}

/** Opens one connection. */
export async function connectAlone(config: pg.PoolConfig): Promise<pg.Client> {
  const client = new (config.Client as unknown as typeof pg.Client)(config)
  // a lost connection fails the statement, too
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const unconnected = new WeakSet<object>()

/** Whether a statement got no connection, and so has not run. */
export function neverConnected(error: unknown): boolean {
  const { message, cause } = error as { message?: string; cause?: object }
  const isTimeout = message === 'timeout exceeded when trying to connect'
  return isTimeout || [error as object, cause].some((one) => one !== undefined && unconnected.has(one))
}

/** Marks an error as of a connection that is not there. */
export function markUnconnected<Fault extends object>(error: Fault): Fault {
  unconnected.add(error)
  return error
}

/** A client that connects to this host, with the user and the password that the files of the URL have at that time. */
function clientOf(url: PostgresUrl, host: PostgresHost): new (config: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: driverUrl({ ...url, ...loginOf(url, host) }, host) })
    }

    // a pool calls it with a callback, and `connectAlone` without
    override connect = ((callback?: (error?: Error) => void) => {
      const marking = (error?: Error): void => callback?.(error && markUnconnected(error))
      return connect.call(this, callback && marking)
    }) as pg.Client['connect']
  }
}

const { connect } = pg.Client.prototype as unknown as {
  connect: (this: pg.Client, callback?: (error?: Error) => void) => Promise<pg.Client>
}

type ParserOf = typeof pg.types.getTypeParser

/** Parses as `pg` does, but an int8 exactly. For these connections alone, where `pg.types` would be for all. */
const parserOf = ((oid: Parameters<ParserOf>[0], format: 'text'): unknown =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as ParserOf
