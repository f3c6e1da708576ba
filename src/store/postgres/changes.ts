import { codeOf } from '../../failure.ts'
import type { Change, Outcome } from '../changes.ts'
import { answerText, replay, type Remembered } from '../remembered.ts'
import { rememberedMs, type Once, type Refusal } from '../resource.ts'
import { rowsOf, type AnyRow } from '../rows.ts'
import { applicationId } from '../schema.ts'
import { storedTable, type AnyTable, type RememberingTable, type Value } from '../table.ts'
import type { Connection } from './connection/connection.ts'
import type { Pool } from './connection/pool.ts'
import { statementMs, turnMs } from './connection/times.ts'
import { columnTypes, selectedColumns } from './tables.ts'

/**
 * Changes rows of a table. Those that come together are one transaction: it takes the turn of the table, reads the rows and
 * the names, makes the changes one after another here, and writes what came of them. That is two round trips, since the
 * statements before the changes are sent together, and so are those behind them.
 */
export function changes(connection: Connection, declared: AnyTable): (change: Change) => Promise<Outcome> {
  const { transaction, batched, waited } = connection
  const table = storedTable(declared)
  const statements = statementsOf(table)
  const turn = turnStatement(table)
  const run = batched((batch: readonly Change[]) =>
    transaction(
      (query, [[row], ...seen]: Seen) => {
        waited(row?.[0] ?? 0)
        return Promise.resolve(makeAll(query, declared, statements, batch, seen))
      },
      (query) => Promise.all([query<[waitMs: number]>(turn), ...lookUp(query, declared, statements, batch)]),
    ),
  )
  return async (change) => {
    try {
      return await run(change)
    } catch (error) {
      const refusal = refusalOf(error, change)
      if (refusal === undefined) throw error
      return refusal
    }
  }
}

/** Throws unless rows can be written as things are: every table, column and right is there. Changes nothing. */
export async function checkChanges({ query }: Pick<Connection, 'query'>, table: RememberingTable): Promise<void> {
  const { write, remove, remember } = statementsOf(table)
  await query(
    `EXPLAIN ${write}`,
    Object.keys(table.columns).map(() => []),
  )
  await query(`EXPLAIN ${remove}`, [[]])
  await query(`EXPLAIN ${remember}`, [[], [], [], [], [], []])
}

/** Why PostgreSQL does not write a row. */
export function refusalOf(error: unknown, { verb }: Pick<Change, 'verb'>): Refusal | undefined {
  const code = codeOf(error)
  if (code === '23505') return 'taken'
  // a text that is too long for an index
  if (code === '54000') return 'unstorable'
  if (code === '23503' || code === '23001') return verb === 'delete' ? 'referenced' : 'dangling'
  return undefined
}

/** Waits for the turn to write to a table, for as long as that may take, and tells how many ms it took. */
export function turnQuery({ lock }: RememberingTable): string {
  return `WITH patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', '${turnMs}', true)
  ), turn AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(${applicationId}, ${lock}) FROM patience
  ), taken AS MATERIALIZED (
    SELECT set_config('lock_timeout', '${statementMs}', true),
           1000 * extract(epoch FROM clock_timestamp() - statement_timestamp()) AS wait_ms
    FROM turn
  )`
}

function turnStatement(table: RememberingTable): string {
  return `${turnQuery(table)} SELECT wait_ms::float8 FROM taken`
}

type Statements = ReturnType<typeof statementsOf>

function statementsOf(
  table: RememberingTable,
): Record<'find' | 'names' | 'remove' | 'write' | 'remember' | 'forget', string> {
  const {
    name,
    columns,
    key: [key = ''],
    requests,
  } = table
  const keyType = columnTypes[columns[key] ?? 'text']
  const all = Object.keys(columns)
  // a key that is generated cannot be set
  const others = all.filter((column) => column !== key)
  const changed = others.map((column) => `${column} = excluded.${column}`).join(', ')
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${columnTypes[type]}[]`)
  return {
    find: `SELECT ${selectedColumns(table)} FROM ${name} WHERE ${key} = ANY ($1::${keyType}[])`,
    names: `SELECT caller, key, ${requests.row}, digest, answer
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (caller, key, now)
      JOIN ${requests.name} AS known USING (caller, key) WHERE known.created_at > asked.now - ${rememberedMs}`,
    remove: `DELETE FROM ${name} WHERE ${key} = ANY ($1::${keyType}[])`,
    write: `INSERT INTO ${name} (${all.join(', ')}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays.join(', ')})
      ON CONFLICT (${key}) DO ${changed === '' ? 'NOTHING' : `UPDATE SET ${changed}`}`,
    remember: `INSERT INTO ${requests.name} (caller, key, ${requests.row}, created_at, digest, answer)
      SELECT * FROM unnest($1::text[], $2::text[], $3::${keyType}[], $4::bigint[], $5::bytea[], $6::text[])
      ON CONFLICT (caller, key) DO UPDATE
      SET ${[requests.row, 'created_at', 'digest', 'answer'].map((column) => `${column} = excluded.${column}`).join(', ')}`,
    forget: `DELETE FROM ${requests.name} WHERE (caller, key) IN
      (SELECT caller, key FROM ${requests.name} WHERE created_at <= $1::bigint ORDER BY created_at LIMIT $2::bigint)`,
  }
}

interface Named {
  once: Once
  remembered: Remembered
}

const nameOf = ({ caller, key }: Pick<Once, 'caller' | 'key'>): string => `${caller}\n${key}`

/** What a batch has before it is made: how long it waited for its turn, its rows, and what the names of its requests stand for. */
type Seen = [waitMs: [number][], found: Value[][], known: ReadonlyMap<string, Remembered>]

/** The rows of a batch, and what the names of its requests stand for. */
function lookUp(
  query: Pool['query'],
  declared: AnyTable,
  { find, names }: Statements,
  batch: readonly Change[],
): [found: Promise<Value[][]>, known: Promise<Map<string, Remembered>>] {
  const { valueOf } = rowsOf(declared)
  const keys = new Set(batch.map(({ key }) => valueOf(declared.key, key)))
  return [
    query<Value[]>(find, [[...keys]]),
    namesOf(
      query,
      names,
      batch.flatMap(({ once }) => once ?? []),
    ),
  ]
}

/** Makes the changes of a batch on what was looked up, and sends what came of them. */
function makeAll(
  query: Pool['query'],
  declared: AnyTable,
  statements: Statements,
  batch: readonly Change[],
  [found, known]: [found: Seen[1], known: Seen[2]],
): Outcome[] {
  const rows = rowsOf(declared)
  const place = Object.keys(declared.columns).indexOf(declared.key)
  const state = new Map<Value, AnyRow | undefined>(found.map((values) => [values[place] ?? null, rows.rowOf(values)]))
  const [written, named] = [new Set<Value>(), new Map<string, Named>()]

  const make = ({ verb, key, once, apply }: Change): Outcome => {
    const first = once && (named.get(nameOf(once))?.remembered ?? known.get(nameOf(once)))
    if (once && first) return replay(declared, rows, first, { once, row: undefined }, undefined)
    const value = rows.valueOf(declared.key, key)
    const there = state.get(value)
    const next = apply(there)
    if (next === undefined || typeof next === 'string') return next
    // as it will be read
    const row = rows.rowOf(rows.valuesOf(next))
    state.set(value, verb === 'delete' ? undefined : row)
    written.add(value)
    const created = verb === 'upsert' && !there
    if (once) {
      const answer = answerText(declared, rows, row, created)
      named.set(nameOf(once), { once, remembered: [value, once.digest, answer] })
    }
    return { row, replayed: false, ...(created && { created }) }
  }
  const outcomes = batch.map(make)

  const gone = [...written].filter((key) => !state.get(key))
  if (gone.length > 0) void query(statements.remove, [gone])
  const left = [...written].flatMap((key) => {
    const row = state.get(key)
    return row ? [rows.valuesOf(row)] : []
  })
  if (left.length > 0)
    void query(
      statements.write,
      rows.columns.map((_, index) => left.map((values) => values[index])),
    )
  remember(query, statements, [...named.values()])
  return outcomes
}

async function namesOf(query: Pool['query'], names: string, asked: readonly Once[]): Promise<Map<string, Remembered>> {
  if (asked.length === 0) return new Map()
  const found = await query<[caller: string, key: string, ...Remembered]>(names, [
    asked.map(({ caller }) => caller),
    asked.map(({ key }) => key),
    asked.map(({ now }) => now),
  ])
  return new Map(found.map(([caller, key, ...remembered]) => [nameOf({ caller, key }), remembered]))
}

function remember(query: Pool['query'], statements: Statements, named: readonly Named[]): void {
  if (named.length === 0) return
  const until = Math.max(...named.map(({ once }) => once.now)) - rememberedMs
  // removes two expired names for each new one, so the table cannot grow without limit
  void query(statements.forget, [until, 2 * named.length])
  void query(statements.remember, [
    named.map(({ once }) => once.caller),
    named.map(({ once }) => once.key),
    named.map(({ remembered }) => remembered[0]),
    named.map(({ once }) => once.now),
    named.map(({ remembered }) => remembered[1]),
    named.map(({ remembered }) => remembered[2]),
  ])
}
