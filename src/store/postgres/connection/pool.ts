import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { codeOf } from '../../../failure.ts'
import { statementName } from '../../statement-name.ts'
import type { StoreReadings, StoreWatch } from '../../store.ts'
import { StoreUnavailable } from '../../unavailable.ts'
import { openConnections, type Connections, type ConnectionsParts } from './connections.ts'
import { connectionReasons, isLost, plain, reasonOf, refuse } from './faults.ts'
import { answerMs, statementMs } from './times.ts'

/** SQLSTATEs of a statement that has not run because what the server prepared is out of date or gone. */
const unprepared = /^(0A000|26000|42P05)$/
/** SQLSTATEs of a transaction that was undone because of others, and may be run again. */
const undone = /^(40001|40P01)$/
/** The SQLSTATE of a statement that the server refused because it takes no writes. */
const readOnly = '25006'
const maxRepetitions = 10
/** A statement that changes nothing. */
const isRead = /^\s*SELECT\b/i

/** Statements in transactions of their own, each in one round trip. Rows are arrays, and an int8 is a bigint. */
export interface Pool {
  /**
   * Throws `StoreUnavailable` when the server cannot answer. A statement is repeated when the server says that it has not
   * run, or has undone it, and a `SELECT` when its connection was lost; a write never when its outcome may be unknown.
   */
  query: <Row extends unknown[]>(text: string, values?: readonly unknown[]) => Promise<Row[]>
  /** As `query`, for a statement that waits for its turn, for as long as the server answers others. */
  queryInTurn: Pool['query']
  /**
   * Runs statements in one transaction. Those of `look`, which change nothing, are sent together with BEGIN, and those that
   * `run` does not wait for with COMMIT. Runs them all again when it was undone, and when the connection was lost before
   * the commit was sent.
   */
  transaction: <T, Seen = undefined>(
    run: (query: Pool['query'], seen: Seen) => Promise<T>,
    look?: (query: Pool['query']) => Promise<Seen>,
  ) => Promise<T>
  /** Opens the connections that stay, if it can. */
  warm: () => Promise<void>
  /** Looks for a server that takes writes, when that of the connections takes none. Whether there is one. */
  move: () => Promise<boolean>
  /** How the connections are used now, and the statements that got none. */
  connections: () => NonNullable<StoreReadings['pool']>
  close: () => Promise<void>
}

/** Opens a pool, which connects when it is asked. */
export function openPool(parts: ConnectionsParts, watch?: StoreWatch): Pool {
  const all = openConnections(parts)
  const names = statementNames()
  const listeners = statementListeners(watch)
  let failures = 0
  const refuseCounted = (error: unknown): never => {
    if (connectionReasons.has(reasonOf(error))) failures += 1
    return refuse(error)
  }
  const rowsOf = async <Row extends unknown[]>(
    to: pg.PoolClient | undefined,
    text: string,
    values: readonly unknown[] = [],
    line = { freeMs: 0 },
  ): Promise<Row[]> => {
    // a pooler may not leave what is prepared to its client
    const name = all.current().pooled ? undefined : names.of(text)
    const took = listeners(text)
    const beganMs = performance.now()
    try {
      const query = { ...(name === undefined ? {} : { name }), text, values: [...values], rowMode: 'array' as const }
      return (await (to ? to.query<Row>(query) : all.on('reads', (pool) => pool.query<Row>(query)))).rows
    } catch (error) {
      if (unprepared.test(codeOf(error))) names.forget(text, name)
      return refuseCounted(error)
    } finally {
      const endMs = performance.now()
      took?.(endMs - Math.max(beganMs, line.freeMs))
      line.freeMs = endMs
    }
  }
  /** Runs on a connection of its own, which is closed with a fault, and with it what it has begun. */
  const onTurnConnection = async <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await all.on('turns', (turns) => turns.connect()).catch(refuseCounted)
    // a server that is frozen or cut off does not answer others either; while a commit waits for a standby no turn comes
    const alive = setInterval(() => {
      query<[boolean]>(standbyAwaited).then(
        ([row]) => {
          if (row?.[0]) disconnect(client)
        },
        () => {
          disconnect(client)
        },
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
  const repeating = repeater(all)
  const query: Pool['query'] = (text, values) =>
    repeating(
      () => rowsOf(undefined, text, values),
      () => isRead.test(text),
    )
  const inTurn = <Row extends unknown[]>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    onTurnConnection((client) => rowsOf<Row>(client, text, values))
  return {
    query,
    queryInTurn: (text, values) => repeating(() => inTurn(text, values)),
    transaction: (run, look) => {
      let commits = false
      return repeating(
        () =>
          onTurnConnection(async (client) => {
            commits = false
            const { send, sent } = sender((text, values, line) => rowsOf(client, text, values, line))
            const [, seen] = await Promise.all([send('BEGIN'), look?.(send)])
            const result = await run(send, seen as never)
            commits = true
            void send('COMMIT')
            await Promise.all(sent)
            return result
          }),
        () => !commits,
      )
    },
    warm: all.warm,
    move: () => all.moved(all.current()),
    connections: () => ({ ...all.readings(), failures }),
    close: all.close,
  }
}

type Query = <Row extends unknown[]>(
  text: string,
  values?: readonly unknown[],
  line?: { freeMs: number },
) => Promise<Row[]>

/** Sends statements one behind the other. The time of each begins when the one before it ended. */
function sender(run: Query): { send: Pool['query']; sent: Promise<unknown>[] } {
  const sent: Promise<unknown>[] = []
  const line = { freeMs: 0 }
  return {
    sent,
    send: (text, values) => {
      const rows = run<never>(text, values, line)
      // of several faults the first is told
      rows.catch(() => undefined)
      sent.push(rows)
      return rows
    },
  }
}

/** Ends a connection at once, where `end` would wait for the statements that were sent. */
function disconnect(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.destroy()
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

/**
 * Runs again what has not run or was undone, for as long as a statement may take; what lost its connection when it may
 * safely run twice.
 */
function repeater({
  current,
  moved,
}: Pick<Connections, 'current' | 'moved'>): <T>(run: () => Promise<T>, isSafe?: () => boolean) => Promise<T> {
  return async (run, isSafe = () => false) => {
    const deadline = performance.now() + statementMs
    for (let repetition = 1; ; repetition += 1) {
      const from = current()
      try {
        return await run()
      } catch (error) {
        const code = codeOf(error instanceof StoreUnavailable ? error.cause : error)
        if (repetition > maxRepetitions || performance.now() > deadline) throw error
        const hasNotRun = unprepared.test(code) || undone.test(code) || (isLost(error) && isSafe())
        if (code === readOnly ? !(await moved(from)) : !hasNotRun) throw error
        // those that were in each other's way part
        if (undone.test(code)) await sleep(Math.random() * 5 * repetition)
      }
    }
  }
}
