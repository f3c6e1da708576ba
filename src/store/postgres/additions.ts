import { applicationId, givenColumns, type AddedRow, type AddedTable, type Additions } from '../schema.ts'
import { codeOf } from '../../failure.ts'
import { answerText, replay, type Remembered } from '../remembered.ts'
import { rememberedMs, type Once } from '../store.ts'
import { StoreUnavailable } from '../unavailable.ts'
import type { Connection } from './connection/connection.ts'
import { statementMs, turnMs } from './connection/pool.ts'
import { columnTypes, selectedColumns, sequenceOf } from './tables.ts'

/** Adds rows to a table. Those that come together are one statement. */
export function additions<Values extends unknown[]>(connection: Connection, table: AddedTable): Additions<Values> {
  const { query, transaction, batched, log } = connection
  const find = `SELECT ${selectedColumns(table)} FROM ${table.name} WHERE ${table.generated} = $1`
  const addAll = adder<Values>(connection, table)
  const add = batched(async (batch: readonly Addition<Values>[]) => {
    try {
      return await addAll(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) void tellOfStandby()
      if (codeOf(error) !== duplicate) throw error
      await transaction((query) => moveSequence(query, table))
      log?.warn({ table: table.name }, 'the sequence of ids was behind its table, and is set to the last id')
      return addAll(batch)
    }
  })
  let waiting = false
  const tellOfStandby = async (): Promise<void> => {
    // a server that answers nothing is told of elsewhere
    const [row] = await query<[waits: boolean]>(standbyMissing).catch(() => [])
    if (row?.[0] === true && !waiting) {
      log?.error('creates wait for a synchronous standby of the database that does not answer; reads go on')
    }
    waiting = row?.[0] === true
  }
  return {
    add: async (values) => {
      const [id] = await add({ values })
      return [id, ...values]
    },
    addOnce: async (values, once) => {
      const [id, digest, answer, isNew] = await add({ values, once })
      if (isNew) return { row: [id, ...values], replayed: false }
      const row = digest ? undefined : (await query<AddedRow<Values>>(find, [id]))[0]
      return replay(table, [id, digest, answer], { values, once }, row)
    },
  }
}

/** Throws unless rows can be added as things are: every table, column and right is there. Adds nothing. */
export async function checkAdditions({ query }: Connection, table: AddedTable): Promise<void> {
  const sequence = sequenceOf(table)
  const none = [...givenColumns(table), 'caller', 'key', 'now', 'digest', 'answer'].map(() => [])
  await query(`EXPLAIN ${addStatement(table)}`, [...none, 0, 0])
  const mayUse = `SELECT has_sequence_privilege('${sequence}', 'USAGE') OR has_sequence_privilege('${sequence}', 'UPDATE')`
  const [row] = await query<[mayUse: boolean]>(mayUse)
  if (row?.[0] !== true) {
    throw new StoreUnavailable(`PostgreSQL refuses the service the use of the sequence ${sequence}. Grant it.`)
  }
}

/** A new id that a row has already; names of requests never conflict. */
const duplicate = '23505'

/** Whether a commit of this role waits for a standby. */
const standbyMissing = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = current_user)`

/** Sets a sequence behind its table, as after rows were loaded by hand, to the last id, while nobody adds rows. */
async function moveSequence(query: Connection['query'], table: AddedTable): Promise<void> {
  const { name, generated, lock } = table
  const sequence = sequenceOf(table)
  await query(`SELECT set_config('lock_timeout', '${turnMs}', true)`)
  await query(`SELECT pg_advisory_xact_lock(${applicationId}, ${lock})`)
  await query(
    `SELECT setval('${sequence}', last) FROM (SELECT max(${generated}) AS last FROM ${name}) AS ids
     WHERE last >= (SELECT last_value FROM ${sequence})`,
  )
}

/** A row to be added, with the name of its request if it has one. */
interface Addition<Values> {
  values: Values
  once?: Once
}

/** What stands for the name of the request, or for the row alone, and whether it was added by this request. */
type Added = [...Remembered, isNew: boolean]

/**
 * One statement for a batch. Those of all processes take turns, by a lock that is held until the commit, so that ids
 * become visible in their order: with them in another order, a client that pages would miss the rows that appear
 * behind it. The wait for the turn has a limit of its own. What a name stands for is looked up in the snapshot, and again,
 * as of now, when it is stored.
 */
function addStatement(table: AddedTable): string {
  const { name, generated, requests, lock } = table
  const given = givenColumns(table)
  const columns = given.map(([column]) => column)
  // not by their own names, which may be those of the request
  const values = columns.map((_, index) => `value${index + 1}`).join(', ')
  const types = [...given.map(([, type]) => columnTypes[type]), 'text', 'text', 'bigint', 'bytea', 'text']
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const [until, count] = [`$${types.length + 1}::bigint`, `$${types.length + 2}::bigint`]
  const remembered = `${requests.row}, created_at, digest, answer`
  const rememberedOf = (one: string): string =>
    `SELECT ${one}.${requests.row}, ${one}.created_at, ${one}.digest, ${one}.answer WHERE known.created_at`
  return `
  WITH patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', '${turnMs}', true)
  ), turn AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(${applicationId}, ${lock}) FROM patience
  ), taken AS MATERIALIZED (
    SELECT set_config('lock_timeout', '${statementMs}', true),
           1000 * extract(epoch FROM clock_timestamp() - statement_timestamp()) AS wait_ms
    FROM turn
  ), asked AS (
    SELECT batch.*, wait_ms, known.${requests.row} AS known_id, known.digest AS known_digest, known.answer AS known_answer
    FROM taken
    CROSS JOIN unnest(${arrays}) WITH ORDINALITY AS batch (${values}, caller, key, now, digest, answer, place)
    LEFT JOIN ${requests.name} AS known
      ON known.caller = batch.caller AND known.key = batch.key AND known.created_at > batch.now - ${rememberedMs}
    ORDER BY place
  ), placed AS MATERIALIZED (
    SELECT *, CASE WHEN known_id IS NULL THEN nextval('${sequenceOf(table)}') END AS new_id FROM asked
  ), named AS (
    INSERT INTO ${requests.name} AS known (caller, key, ${remembered})
    SELECT caller, key, new_id, now, digest, answer FROM placed WHERE caller IS NOT NULL AND new_id IS NOT NULL
    ON CONFLICT (caller, key) DO UPDATE SET (${remembered}) = (
      ${rememberedOf('known')} > excluded.created_at - ${rememberedMs}
      UNION ALL
      ${rememberedOf('excluded')} <= excluded.created_at - ${rememberedMs}
    )
    RETURNING caller, key, ${requests.row} AS named_id, digest AS named_digest, answer AS named_answer
  ), added AS (
    INSERT INTO ${name} (${generated}, ${columns.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT new_id, ${values} FROM placed LEFT JOIN named USING (caller, key)
    WHERE new_id = coalesce(named_id, new_id)
  ), forgotten AS (
    DELETE FROM ${requests.name} AS old
    WHERE created_at <= ${until} AND (caller, key) IN (
      SELECT caller, key FROM ${requests.name} WHERE created_at <= ${until} ORDER BY created_at LIMIT ${count}
    ) AND NOT EXISTS (SELECT FROM placed WHERE placed.caller = old.caller AND placed.key = old.key)
  )
  SELECT coalesce(named_id, known_id, new_id), coalesce(named_digest, known_digest), coalesce(named_answer, known_answer),
         coalesce(named_id, known_id, new_id) = coalesce(new_id, 0), wait_ms::float8
  FROM placed LEFT JOIN named USING (caller, key)
  ORDER BY place`
}

/** Adds a batch, and tells how long it waited for its turn. */
function adder<Values extends unknown[]>(
  { queryInTurn, waited }: Connection,
  table: AddedTable,
): (batch: readonly Addition<Values>[]) => Promise<Added[]> {
  const statement = addStatement(table)
  return async (batch) => {
    const { asked, placeOf } = withoutRepetitions(batch)
    const named = asked.flatMap(({ once }) => once ?? [])
    const rows = await queryInTurn<[...Added, waitMs: number]>(statement, [
      ...givenColumns(table).map((_, index) => asked.map(({ values }) => values[index])),
      asked.map(({ once }) => once?.caller),
      asked.map(({ once }) => once?.key),
      asked.map(({ once }) => once?.now),
      asked.map(({ once }) => once?.digest),
      asked.map(({ once, values }) => once && answerText(table, values)),
      Math.max(0, ...named.map(({ now }) => now)) - rememberedMs,
      // removes two expired names for each new one, so the table cannot grow without limit
      2 * named.length,
    ])
    waited(rows[0]?.[4] ?? 0)
    return batch.map((addition, index) => {
      const place = placeOf[index] ?? 0
      const [id, digest, answer, isNew] = rows[place] as [...Added, waitMs: number]
      return [id, digest, answer, isNew && addition === asked[place]]
    })
  }
}

/** A statement can store a name once. Of equal ones the first counts, as if they came one after another. */
function withoutRepetitions<Values>(batch: readonly Addition<Values>[]): {
  asked: Addition<Values>[]
  placeOf: number[]
} {
  const places = new Map<string, number>()
  const asked: Addition<Values>[] = []
  const placeOf = batch.map((addition) => {
    if (!addition.once) return asked.push(addition) - 1
    // an Idempotency-Key has no line break
    const name = `${addition.once.caller}\n${addition.once.key}`
    const place = places.get(name) ?? asked.push(addition) - 1
    places.set(name, place)
    return place
  })
  return { asked, placeOf }
}
