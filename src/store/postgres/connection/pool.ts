import pg from 'pg'
import { driverUrl, type PostgresUrl } from '../../../config/postgres-url.ts'
import { StoreUnavailable } from '../../unavailable.ts'

/** Connections of one process; further statements wait for one. */
const maxConnections = 10
/** How long a connection is waited for, whether it is busy or must be made, in ms. */
const acquireMs = 2000
/** How long the server may take for a statement, and wait for a lock in it, in ms. */
const statementMs = 2000
/** How long an answer is waited for, in ms. Longer than the server may take, so that it is the server that gives up. */
const answerMs = 3000

/**
 * SQLSTATE classes and codes of a server that cannot answer now, and may again once the cause is gone: lost connections,
 * refused log-ins, no database, read-only, no id left, deadlocks, no resources, locks, shutting down, a failing disk.
 */
const passing = /^(08|28|3D000|25006|2200H|40|53|55000|55P03|57|58)/

/** What to do about some of them; of the others the server's own message is told. */
const sentences: Readonly<Record<string, string>> = {
  '25006': 'The PostgreSQL database is read-only. Make it writable.',
  '53100': 'The disk of PostgreSQL is full. Make room on it.',
  '55P03': 'The PostgreSQL database is locked by another process.',
  '57014': `PostgreSQL gave up after ${statementMs / 1000} s: another process holds a lock, or the server is too busy.`,
}

/** Statements in transactions of their own, each in one round trip. Rows are arrays, and an int8 is a bigint. */
export interface Pool {
  /** Throws `StoreUnavailable` when the server cannot answer; never repeats a statement, whose outcome may be unknown. */
  query: <Row extends unknown[]>(text: string, values?: readonly unknown[]) => Promise<Row[]>
  /** Runs statements in one transaction, and so in more than one round trip. */
  transaction: <T>(run: (query: Pool['query']) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** What every connection sets for itself, whatever is set for the server, the role or the database. */
export const ownSettings: Readonly<Record<string, string | number>> = {
  // the server itself ends statements that take too long
  statement_timeout: statementMs,
  // the pool keeps connections that nobody uses
  idle_session_timeout: 0,
  // a process that hangs within a transaction keeps its locks no longer
  idle_in_transaction_session_timeout: 5000,
}

/** How connections are made; the settings follow those that the URL has in `options`. */
export function connectionConfig(url: PostgresUrl, settings: Readonly<Record<string, string | number>>): pg.PoolConfig {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const options = [url.parameters.options ?? '', ...own].join(' ').trim()
  const whole = { ...url, parameters: { ...url.parameters, options } }
  return {
    ...(url.now ? { Client: clientAsOf(whole, url.now) } : {}),
    connectionString: driverUrl(whole),
    application_name: 'animal-store-service',
    connectionTimeoutMillis: acquireMs,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  }
}

/** The client of a pool, with the user and the password that the file of the URL has when it connects. */
function clientAsOf(url: PostgresUrl, now: NonNullable<PostgresUrl['now']>): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const { user, password } = now()
      super({ ...config, connectionString: driverUrl({ ...url, user, password }) })
    }
  }
}

/**
 * Opens a pool, which connects when it is asked. `onFault` hears of connections that are lost while nobody uses them.
 * `prepared` statements are planned once for each connection, which a pooler may not leave to its client.
 */
export function openPool(config: pg.ClientConfig, prepared: boolean, onFault: (fault: Error) => void): Pool {
  const names = new Map<string, string>()
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  const rowsOf = async <Row extends unknown[]>(
    to: pg.Pool | pg.PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const name = prepared ? { name: nameOf(text) } : {}
    try {
      return (await to.query<Row>({ ...name, text, values: [...values], rowMode: 'array' })).rows
    } catch (error) {
      return refuse(error)
    }
  }
  const pool = new pg.Pool({ ...config, max: maxConnections, query_timeout: answerMs })
  pool.on('error', (error) => {
    onFault(plain(error))
  })
  return {
    query: (text, values) => rowsOf(pool, text, values),
    transaction: async (run) => {
      const client = await pool.connect().catch(refuse)
      let fault: Error | undefined
      try {
        await rowsOf(client, 'BEGIN')
        const result = await run((text, values) => rowsOf(client, text, values))
        await rowsOf(client, 'COMMIT')
        return result
      } catch (error) {
        fault = plain(error)
        throw error
      } finally {
        // with a fault the connection is closed, and with it the transaction
        client.release(fault)
      }
    },
    close: async () => {
      // a server that has stopped answering would not let go
      const given = new Promise((resolve) => void setTimeout(resolve, acquireMs).unref())
      await Promise.race([pool.end(), given])
    },
  }
}

/** Throws what the driver threw as an error of the store, without what must not be passed on. */
export function refuse(error: unknown): never {
  const cause = plain(error)
  const fragment = cause.message.replace(/\.$/, '')
  if (!(error instanceof pg.DatabaseError)) {
    throw new StoreUnavailable(`PostgreSQL does not answer: ${fragment}.`, cause)
  }
  const code = error.code ?? ''
  if (!passing.test(code)) throw cause
  throw new StoreUnavailable(sentences[code] ?? `PostgreSQL cannot answer now: ${fragment}.`, cause)
}

/** An error with its message and code alone: the driver's own carry values of rows, or the connection with its password. */
function plain(error: unknown): Error {
  const { message, code } = error as { message?: string; code?: string }
  return Object.assign(new Error(message || String(code)), code === undefined ? {} : { code })
}

type ParserOf = typeof pg.types.getTypeParser

/** Parses as `pg` does, but an int8 exactly. For these connections alone, where `pg.types` would be for all. */
const parserOf = ((oid: Parameters<ParserOf>[0], format: 'text'): unknown =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as ParserOf
