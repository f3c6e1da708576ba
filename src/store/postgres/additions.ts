import { codeOf } from '../../failure.ts'
import { answerText, type Remembered } from '../remembered.ts'
import { rememberedMs, type Once, type Refusal } from '../resource.ts'
import { rowsOf, type AnyRow } from '../rows.ts'
import { storedTable, type AnyTable, type RememberingTable } from '../table.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { refusalOf, turnQuery } from './changes.ts'
import type { Connection } from './connection/connection.ts'
import { columnTypes, sequenceOf } from './tables.ts'

/** A row to be added, with the name of its request if it has one. */
export interface Addition {
  row: AnyRow
  once: Once | undefined
}

/** What stands for the name of the request, or for the row alone, and whether it was added by this request. */
export type Added = [...remembered: [id: bigint, digest: Remembered[1], answer: Remembered[2]], isNew: boolean]

/** Adds rows whose key is generated. Those that come together are one statement. */
export function additions(
  connection: Connection,
  declared: AnyTable,
): (addition: Addition) => Promise<Added | Refusal> {
  const { query, transaction, batched, log } = connection
  const table = storedTable(declared)
  const addAll = adder(connection, declared)
  const add = batched(async (batch: readonly Addition[]) => {
    try {
      return await addAll(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) void tellOfStandby()
      if (codeOf(error) !== duplicate || constraintOf(error) !== `${table.name}_pkey`) throw error
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
  return async (addition) => {
    try {
      return await add(addition)
    } catch (error) {
      const refusal = refusalOf(error, { verb: 'insert' })
      if (refusal === undefined) throw error
      return refusal
    }
  }
}

/** Throws unless rows can be added as things are: every table, column and right is there. Adds nothing. */
export async function checkAdditions({ query }: Connection, table: RememberingTable): Promise<void> {
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

const constraintOf = (error: unknown): unknown => (error as { constraint?: unknown }).constraint

/** Whether a commit of this role waits for a standby. */
const standbyMissing = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = current_user)`

/** Sets a sequence behind its table, as after rows were loaded by hand, to the last id, while nobody adds rows. */
async function moveSequence(query: Connection['query'], table: RememberingTable): Promise<void> {
  const sequence = sequenceOf(table)
  await query(`${turnQuery(table)} SELECT FROM taken`)
  await query(
    `SELECT setval('${sequence}', last) FROM (SELECT max(${table.generated}) AS last FROM ${table.name}) AS ids
     WHERE last >= (SELECT last_value FROM ${sequence})`,
  )
}

/** The columns whose values a client gives, with their types. */
function givenColumns({ columns, generated }: RememberingTable): (readonly [name: string, type: string])[] {
  return Object.entries(columns).flatMap(([name, type]) => (name === generated ? [] : [[name, columnTypes[type]]]))
}

/**
 * One statement for a batch. Those of all processes take turns, by a lock that is held until the commit, so that ids
 * become visible in their order: with them in another order, a client that pages would miss the rows that appear
 * behind it. The wait for the turn has a limit of its own. What a name stands for is looked up in the snapshot, and again,
 * as of now, when it is stored.
 */
function addStatement(table: RememberingTable): string {
  const { name, generated, requests } = table
  const given = givenColumns(table)
  const columns = given.map(([column]) => column)
  // not by their own names, which may be those of the request
  const values = columns.map((_, index) => `value${index + 1}`).join(', ')
  const types = [...given.map(([, type]) => type), 'text', 'text', 'bigint', 'bytea', 'text']
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const [until, count] = [`$${types.length + 1}::bigint`, `$${types.length + 2}::bigint`]
  const remembered = `${requests.row}, created_at, digest, answer`
  const rememberedOf = (one: string): string =>
    `SELECT ${one}.${requests.row}, ${one}.created_at, ${one}.digest, ${one}.answer WHERE known.created_at`
  return `
  ${turnQuery(table)}, asked AS (
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
function adder(
  { queryInTurn, waited }: Connection,
  declared: AnyTable,
): (batch: readonly Addition[]) => Promise<Added[]> {
  const table = storedTable(declared)
  const statement = addStatement(table)
  const rows = rowsOf(declared)
  const key = rows.columns.indexOf(table.generated ?? '')
  return async (batch) => {
    const { asked, placeOf } = withoutRepetitions(batch)
    const named = asked.flatMap(({ once }) => once ?? [])
    const values = asked.map(({ row }) => rows.valuesOf(row).toSpliced(key, 1))
    const answers = await queryInTurn<[...Added, waitMs: number]>(statement, [
      ...givenColumns(table).map((_, index) => values.map((one) => one[index])),
      asked.map(({ once }) => once?.caller),
      asked.map(({ once }) => once?.key),
      asked.map(({ once }) => once?.now),
      asked.map(({ once }) => once?.digest),
      asked.map(({ once, row }) => once && answerText(declared, rows, row)),
      Math.max(0, ...named.map(({ now }) => now)) - rememberedMs,
      // removes two expired names for each new one, so the table cannot grow without limit
      2 * named.length,
    ])
    waited(answers[0]?.[4] ?? 0)
    return batch.map((addition, index) => {
      const place = placeOf[index] ?? 0
      const [id, digest, answer, isNew] = answers[place] as [...Added, waitMs: number]
      return [id, digest, answer, isNew && addition === asked[place]]
    })
  }
}

/** A statement can store a name once. Of equal ones the first counts, as if they came one after another. */
function withoutRepetitions(batch: readonly Addition[]): {
  asked: Addition[]
  placeOf: number[]
} {
  const places = new Map<string, number>()
  const asked: Addition[] = []
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
