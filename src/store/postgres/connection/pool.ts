import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { driverUrl, type PostgresUrl } from '../../../config/postgres-url.ts'
import { codeOf } from '../../../failure.ts'
import { statementName } from '../../statement-name.ts'
import type { StoreReadings, StoreWatch } from '../../store.ts'
import { StoreUnavailable, type Reason } from '../../unavailable.ts'

/** Connections of one process, those of statements that wait for their turn apart; further statements wait for one. */
const maxConnections = 8
const maxTurnConnections = 2
/** How long a connection is waited for, whether it is busy or must be made, in ms. */
const acquireMs = 2000
/** How long the server may take for a statement, and wait for a lock in it, in ms. */
export const statementMs = 2000
/** How long an answer is waited for, in ms. Longer than the server may take, so that it is the server that gives up. */
const answerMs = 3000
/** How long a statement may wait for its turn among those of all processes, in ms, before the time that it may take. */
export const turnMs = 10_000

/**
 * SQLSTATE classes and codes of a server that cannot answer now, and may again once the cause is gone: lost connections,
 * refused log-ins, no database, read-only, no id left, deadlocks, no resources, locks, shutting down, a failing disk,
 * faults of the server itself, statements that it has forgotten, and tables and rights that are not those of the service.
 */
const passing = /^(08|28|3D000|3F000|25006|2200H|40|42|53|55000|55P03|57|58|XX|0A000|26000)/

/** SQLSTATEs of a statement that has not run because what the server prepared is out of date or gone. */
const unprepared = /^(0A000|26000|42P05)$/
/** SQLSTATEs of a transaction that was undone because of others, and may be run again. */
const undone = /^(40001|40P01)$/
const maxRepetitions = 10

/** What to do about some of them; of the others the server's own message is told. */
const sentences: Readonly<Record<string, string>> = {
  '25006': 'The PostgreSQL database is read-only. Make it writable.',
  '53100': 'The disk of PostgreSQL is full. Make room on it.',
  '55P03': 'The PostgreSQL database is locked by another process.',
  '57014': `PostgreSQL gave up after ${statementMs / 1000} s: another process holds a lock, or the server is too busy.`,
}

/** Statements in transactions of their own, each in one round trip. Rows are arrays, and an int8 is a bigint. */
export interface Pool {
  /**
   * Throws `StoreUnavailable` when the server cannot answer. A statement is repeated only when the server says that it
   * has not run, or has undone it; never when its outcome may be unknown.
   */
  query: <Row extends unknown[]>(text: string, values?: readonly unknown[]) => Promise<Row[]>
  /** As `query`, for a statement that waits for its turn, for as long as the server answers others. */
  queryInTurn: Pool['query']
  /** Runs statements in one transaction, and so in more than one round trip. Runs them all again when it was undone. */
  transaction: <T>(run: (query: Pool['query']) => Promise<T>) => Promise<T>
  /** How the connections are used now, and the statements that got none. */
  connections: () => NonNullable<StoreReadings['pool']>
  close: () => Promise<void>
}

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

/** How connections are made; the settings follow those that the URL has in `options`. */
export function connectionConfig(url: PostgresUrl, settings: Readonly<Record<string, string | number>>): pg.PoolConfig {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
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

interface PoolParts {
  config: pg.ClientConfig
  turnConfig: pg.ClientConfig
  /** Whether a pooler stands before the server: statements are then not prepared, which it may not leave to its client. */
  pooled: boolean
}

/** Opens a pool, which connects when it is asked. `onFault` hears of connections that are lost while nobody uses them. */
export function openPool(
  { config, turnConfig, pooled }: PoolParts,
  onFault: (fault: Error) => void,
  watch?: StoreWatch,
): Pool {
  const names = statementNames()
  const listeners = statementListeners(watch)
  let failures = 0
  const refuseCounted = (error: unknown): never => {
    if (connectionReasons.has(reasonOf(error))) failures += 1
    return refuse(error)
  }
  const rowsOf = async <Row extends unknown[]>(
    to: pg.Pool | pg.PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const name = pooled ? undefined : names.of(text)
    const took = listeners(text)
    const beganMs = performance.now()
    try {
      return (
        await to.query<Row>({ ...(name === undefined ? {} : { name }), text, values: [...values], rowMode: 'array' })
      ).rows
    } catch (error) {
      if (unprepared.test(codeOf(error))) names.forget(text, name)
      return refuseCounted(error)
    } finally {
      took?.(performance.now() - beganMs)
    }
  }
  const poolOf = (settings: pg.PoolConfig): pg.Pool =>
    new pg.Pool(settings).on('error', (error) => {
      onFault(plain(error))
    })
  const pool = poolOf({ ...config, max: maxConnections, query_timeout: answerMs })
  const turns = poolOf({ ...turnConfig, max: maxTurnConnections, query_timeout: turnMs + answerMs })

  /** Runs on a connection of its own, which is closed with a fault, and with it what it has begun. */
  const onTurnConnection = async <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await turns.connect().catch(refuseCounted)
    // a server that is frozen or cut off does not answer others either; while a commit waits for a standby no turn comes
    const alive = setInterval(() => {
      query<[boolean]>(standbyAwaited).then(
        ([row]) => (row?.[0] ? client.end() : undefined),
        () => client.end(),
      )
    }, answerMs)
    let fault: Error | undefined
    // a connection that is lost between two statements fails the next one; without a listener it would end the process
    const lose = (error: unknown): void => {
      fault ??= plain(error)
    }
    client.on('error', lose)
    try {
      return await run(client)
    } catch (error) {
      lose(error)
      throw error
    } finally {
      clearInterval(alive)
      client.off('error', lose)
      client.release(fault)
    }
  }
  const query: Pool['query'] = (text, values) => repeating(() => rowsOf(pool, text, values))
  const inTurn = <Row extends unknown[]>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    onTurnConnection((client) => rowsOf<Row>(client, text, values))
  return {
    query,
    queryInTurn: (text, values) => repeating(() => inTurn(text, values)),
    transaction: (run) =>
      repeating(() =>
        onTurnConnection(async (client) => {
          await rowsOf(client, 'BEGIN')
          const result = await run((text, values) => rowsOf(client, text, values))
          await rowsOf(client, 'COMMIT')
          return result
        }),
      ),
    connections: () => {
      const all = [pool, turns]
      const sumOf = (name: 'totalCount' | 'idleCount' | 'waitingCount'): number =>
        all.reduce((sum, one) => sum + one[name], 0)
      const idle = sumOf('idleCount')
      return { inUse: sumOf('totalCount') - idle, idle, waiting: sumOf('waitingCount'), failures }
    },
    close: async () => {
      // a server that has stopped answering would not let go
      const given = new Promise((resolve) => void setTimeout(resolve, acquireMs).unref())
      await Promise.race([Promise.all([pool.end(), turns.end()]), given])
    },
  }
}

/** Whether a commit of this role has long been waiting for a synchronous standby. It keeps its turn for that time. */
const standbyAwaited = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'
  AND usename = current_user AND clock_timestamp() - query_start > interval '${statementMs} ms')`

/** Who hears how long a statement takes, by its text. */
function statementListeners(watch: StoreWatch | undefined): (text: string) => ((ms: number) => void) | undefined {
  const known = new Map<string, (ms: number) => void>()
  return (text) => {
    const there = known.get(text)
    if (there ?? !watch) return there
    const { operation, table } = statementName(text)
    const took = watch.statement(operation, table)
    known.set(text, took)
    return took
  }
}

/** The reasons of a statement that got no connection. */
const connectionReasons: ReadonlySet<Reason> = new Set(['no_connection', 'unreachable'])

/** By SQLSTATE class or code. */
const reasonsByCode: readonly (readonly [code: RegExp, reason: Reason])[] = [
  [/^(08|28|3D000|57P)/, 'unreachable'],
  [/^53300/, 'no_connection'],
  [/^53100/, 'disk_full'],
  [/^58/, 'disk_failing'],
  [/^(25006|42501)/, 'read_only'],
  [/^(40P01|55P03)/, 'locked'],
  [/^57014/, 'timeout'],
]

/** Why a statement failed, by what the driver threw. */
function reasonOf(error: unknown): Reason {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error
    return reasonsByCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
  }
  const { message } = error as { message?: string }
  if (message === 'timeout exceeded when trying to connect') return 'no_connection'
  return message === 'Query read timeout' ? 'timeout' : 'unreachable'
}

/** The names under which statements are prepared, once for each connection. */
function statementNames(): { of: (text: string) => string; forget: (text: string, name: string | undefined) => void } {
  const names = new Map<string, string>()
  let count = 0
  return {
    of: (text) => {
      const name = names.get(text) ?? `s${count++}`
      names.set(text, name)
      return name
    },
    forget: (text, name) => {
      // another connection may have found it out first
      if (names.get(text) === name) names.delete(text)
    },
  }
}

/** Runs again what has not run or was undone, for as long as a statement may take. */
async function repeating<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + statementMs
  for (let repetition = 1; ; repetition += 1) {
    try {
      return await run()
    } catch (error) {
      const code = codeOf(error instanceof StoreUnavailable ? error.cause : error)
      if (!unprepared.test(code) && !undone.test(code)) throw error
      if (repetition > maxRepetitions || performance.now() > deadline) throw error
      // those that were in each other's way part
      if (undone.test(code)) await sleep(Math.random() * 5 * repetition)
    }
  }
}

/** Throws what the driver threw as an error of the store, without what must not be passed on. */
export function refuse(error: unknown): never {
  const cause = plain(error)
  const fragment = cause.message.replace(/\.$/, '')
  if (!(error instanceof pg.DatabaseError)) {
    throw new StoreUnavailable(`PostgreSQL does not answer: ${fragment}.`, cause, reasonOf(error))
  }
  const code = error.code ?? ''
  if (!passing.test(code)) throw cause
  throw new StoreUnavailable(sentences[code] ?? sentenceOf(code, fragment), cause, reasonOf(error))
}

function sentenceOf(code: string, fragment: string): string {
  if (code === '42501') return `PostgreSQL refuses the service a right that it needs: ${fragment}. Grant it.`
  if (/^(42|3F|0A|26)/.test(code)) {
    return `The tables of the PostgreSQL database are not as this service made them: ${fragment}. Put them back.`
  }
  return `PostgreSQL cannot answer now: ${fragment}.`
}

/** An error with its message, its code and the name of a constraint alone: the driver's own carry values of rows, or the connection with its password. */
function plain(error: unknown): Error {
  const { message, code, constraint } = error as { message?: string; code?: string; constraint?: string }
  return Object.assign(
    new Error(message || String(code)),
    code === undefined ? {} : { code },
    constraint === undefined ? {} : { constraint },
  )
}

type ParserOf = typeof pg.types.getTypeParser

/** Parses as `pg` does, but an int8 exactly. For these connections alone, where `pg.types` would be for all. */
const parserOf = ((oid: Parameters<ParserOf>[0], format: 'text'): unknown =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as ParserOf
