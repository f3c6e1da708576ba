import type Sqlite from 'better-sqlite3'
import { groupCommit } from '../../group-commit.ts'
import { schema as ownSchema } from '../../schema.ts'
import { statementName, type StatementName } from '../../statement-name.ts'
import type { StoreReadings, StoreWatch } from '../../store.ts'
import { StoreUnavailable } from '../../unavailable.ts'
import { freeBytesBeside } from '../files/file-system.ts'
import { guardFiles } from './guard.ts'
import { openDatabase, reopenDatabase, type OpenSettings } from './open.ts'
import { sharedReads, type Transactions } from './shared-reads.ts'
import { letGoAtLast, reopener, upkeep, type Guarded } from './upkeep.ts'

/** How often the files are looked at and kept small, in ms: for so long a lost file may still be read from. */
const everyMs = 1000

/** A commit that takes longer is told of, in ms. */
const slowMs = 1000

/** A statement, to be run within `read`, `write` or `add` of its connection. Rows are arrays, and integers bigint. */
export interface Statement<Values extends unknown[], Row> {
  get: (...values: Values) => Row | undefined
  all: (...values: Values) => Row[]
  run: (...values: Values) => Sqlite.RunResult
}

/**
 * The connection of a store for as long as that is open. When the database is lost, every call throws `StoreUnavailable`
 * until it, or a backup of it, is there again, and statements are prepared anew on that.
 */
export interface Connection extends Omit<Transactions, 'check'> {
  prepare: <Values extends unknown[], Row = never>(text: string) => Statement<Values, Row>
  /** As `write`, in a transaction that is shared with others that come at the same time, and so waits for the disk once. */
  add: <T>(run: () => T) => Promise<T>
  readings: () => StoreReadings
  /** Resolves when the files are the ones in use, the disk takes writes, and every table can be read. */
  ping: () => Promise<void>
  /** Finishes what was accepted. */
  close: () => Promise<void>
}

/** The database that is open at the moment. */
interface Opened extends Guarded {
  transactions: Transactions
}

/** Opens the database, or makes it where there was none. Throws a sentence when it cannot be used. */
export function openConnection(file: string, settings: OpenSettings): Connection {
  const { log, watch, schema = ownSchema } = settings
  const committed = watch?.statement('COMMIT', '')
  const onEach: ((db: Sqlite.Database) => void)[] = []
  const opened = (db: Sqlite.Database): Opened => {
    try {
      const guard = guardFiles(db, file, log)
      const transactions = sharedReads(db, guard, (ms) => {
        committed?.(ms)
        if (ms <= slowMs) return
        log?.warn({ file, ms: Math.round(ms) }, 'slow commit: nothing else was answered meanwhile; look at the disk')
      })
      for (const prepare of onEach) prepare(db)
      return { db, guard, transactions }
    } catch (error) {
      db.close()
      throw error
    }
  }
  let now = opened(openDatabase(file, settings))
  const keepUp = upkeep(file, log)
  const reopen = reopener(file, () => opened(reopenDatabase(file, schema)), log)
  const timer = setInterval(() => {
    if (now.guard.lost() === undefined) keepUp(now)
    else now = reopen(now) ?? now
  }, everyMs).unref()

  const write = <T>(run: () => T): Promise<T> => now.transactions.write(run)
  const commits = groupCommit((batch: readonly (() => unknown)[]) => write(() => batch.map((run) => run())))
  const prepare = <Values extends unknown[], Row>(text: string): Statement<Values, Row> => {
    let prepared = statementOn<Values, Row>(now.db, text)
    const timed = stopwatch(watch, statementName(text))
    onEach.push((db) => {
      prepared = statementOn(db, text)
    })
    return {
      get: timed((...values: Values) => prepared.get(...values)),
      all: timed((...values: Values) => prepared.all(...values)),
      run: timed((...values: Values) => prepared.run(...values)),
    }
  }
  const readable = prepare(schema.probe)
  return {
    prepare,
    read: (run) => now.transactions.read(run),
    write,
    // the result is the one of its own item
    add: <T>(run: () => T) => commits.add(run) as Promise<T>,
    readings: () => ({
      waiting: commits.waiting(),
      refused: commits.refused(),
      // what waits for another process gives up its place
      turns: { count: 0, waitS: 0 },
      walBytes: Number(now.guard.files().wal?.size ?? 0n),
      freeBytes: freeBytesBeside(file),
      pool: undefined,
    }),
    ping: async () => {
      await now.transactions.check()
      if (now.guard.refused()) {
        throw new StoreUnavailable(
          'The disk refuses to write. Make room on it, or make it writable.',
          undefined,
          'disk_full',
        )
      }
      await now.transactions.read(() => void readable.get())
    },
    close: async () => {
      clearInterval(timer)
      await commits.settle()
      letGoAtLast(now, file)
    },
  }
}

function statementOn<Values extends unknown[], Row>(db: Sqlite.Database, text: string): Statement<Values, Row> {
  const statement = db.prepare(text)
  return (statement.reader ? statement.raw() : statement) as Statement<Values, Row>
}

type Timed = <Values extends unknown[], Result>(run: (...values: Values) => Result) => (...values: Values) => Result

/** Tells of each run of a statement how long it took. */
function stopwatch(watch: StoreWatch | undefined, { operation, table }: StatementName): Timed {
  const took = watch?.statement(operation, table)
  if (!took) return (run) => run
  return (run) =>
    (...values) => {
      const beganMs = performance.now()
      try {
        return run(...values)
      } finally {
        took(performance.now() - beganMs)
      }
    }
}
