import { applicationId, columnsOf, givenColumns, type AddedRow, type AddedTable, type Additions } from '../schema.ts'
import { codeOf } from '../../failure.ts'
import { rememberedMs, type Once } from '../store.ts'
import { StoreUnavailable } from '../unavailable.ts'
import type { Connection } from './connection/connection.ts'
import { columnTypes, sequenceOf } from './tables.ts'

/** Adds rows to a table. Those that come together are one statement. */
export function additions<Values extends unknown[]>(
  { query, transaction, batched, log }: Connection,
  table: AddedTable,
): Additions<Values> {
  const statement = addStatement(table)
  const find = `SELECT ${columnsOf(table)} FROM ${table.name} WHERE ${table.generated} = $1`
  const add = batched(async (batch: readonly Addition<Values>[]) => {
    try {
      return await addAll(query, statement, batch)
    } catch (error) {
      if (error instanceof StoreUnavailable) void tellOfStandby()
      if (codeOf(error) !== duplicate) throw error
      await transaction((query) => moveSequence(query, table))
      log?.warn({ table: table.name }, 'the sequence of ids was behind its table, and is set to the last id')
      return addAll(query, statement, batch)
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
    add: async (values) => [(await add({ values })).id, ...values],
    addOnce: async (values, once) => {
      const { id, replayed, row } = await add({ values, once })
      // another process may have added it after the statement's snapshot was taken
      const first = row ?? (await query<AddedRow<Values>>(find, [id]))[0]
      if (!first) throw new Error(`The row ${id} of ${table.name} that an Idempotency-Key names is gone.`)
      return { row: first, replayed }
    },
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

interface Added<Values extends unknown[]> {
  id: bigint
  replayed: boolean
  /** Missing when it was added before and could not be seen. */
  row: AddedRow<Values> | undefined
}

/**
 * One statement for a batch. Those of all processes take turns, by a lock that is held until the commit, so that ids
 * become visible in their order: with them in another order, a client that pages would miss the rows that appear
 * behind it. What a name stands for is looked up in the snapshot, and again, as of now, when it is stored.
 */
function addStatement(table: AddedTable): string {
  const { name, generated, requests, lock } = table
  const given = givenColumns(table)
  const columns = given.map(([column]) => column)
  // not by their own names, which may be those of the request
  const values = columns.map((_, index) => `value${index + 1}`).join(', ')
  const types = [...given.map(([, type]) => columnTypes[type]), 'text', 'text', 'bigint']
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const [until, count] = [`$${types.length + 1}::bigint`, `$${types.length + 2}::bigint`]
  return `
  WITH turn AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(${applicationId}, ${lock})
  ), asked AS (
    SELECT batch.*, known.${requests.row} AS known_id
    FROM turn
    CROSS JOIN unnest(${arrays}) WITH ORDINALITY AS batch (${values}, caller, key, now, place)
    LEFT JOIN ${requests.name} AS known
      ON known.caller = batch.caller AND known.key = batch.key AND known.created_at > batch.now - ${rememberedMs}
    ORDER BY place
  ), placed AS MATERIALIZED (
    SELECT *, CASE WHEN known_id IS NULL THEN nextval('${sequenceOf(table)}') END AS new_id FROM asked
  ), named AS (
    INSERT INTO ${requests.name} AS known (caller, key, ${requests.row}, created_at)
    SELECT caller, key, new_id, now FROM placed WHERE caller IS NOT NULL AND new_id IS NOT NULL
    ON CONFLICT (caller, key) DO UPDATE SET (${requests.row}, created_at) = (
      SELECT known.${requests.row}, known.created_at WHERE known.created_at > excluded.created_at - ${rememberedMs}
      UNION ALL
      SELECT excluded.${requests.row}, excluded.created_at WHERE known.created_at <= excluded.created_at - ${rememberedMs}
    )
    RETURNING caller, key, ${requests.row} AS named_id
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
  SELECT coalesce(named_id, known_id, new_id), new_id, ${[generated, ...columns].map((column) => `first.${column}`).join(', ')}
  FROM placed LEFT JOIN named USING (caller, key) LEFT JOIN ${name} AS first ON first.${generated} = known_id
  ORDER BY place`
}

/** The id that counts, the one that was to be new, and the row that was there before; nulls where none could be seen. */
type Answer<Values extends unknown[]> = [id: bigint, newId: bigint | null, ...first: AddedRow<Values>]

async function addAll<Values extends unknown[]>(
  query: Connection['query'],
  statement: string,
  batch: readonly Addition<Values>[],
): Promise<Added<Values>[]> {
  const { asked, placeOf } = withoutRepetitions(batch)
  const named = asked.flatMap(({ once }) => once ?? [])
  const rows = await query<Answer<Values>>(statement, [
    ...(asked[0]?.values ?? []).map((_, index) => asked.map(({ values }) => values[index])),
    asked.map(({ once }) => once?.caller),
    asked.map(({ once }) => once?.key),
    asked.map(({ once }) => once?.now),
    Math.max(0, ...named.map(({ now }) => now)) - rememberedMs,
    // removes two expired names for each new one, so the table cannot grow without limit
    2 * named.length,
  ])
  return batch.map((addition, index) => {
    const place = placeOf[index] ?? 0
    const first = asked[place] ?? addition
    const [id, newId, ...row] = rows[place] as Answer<Values>
    if (id === newId) return { id, replayed: addition !== first, row: [id, ...first.values] }
    return { id, replayed: true, row: (row[0] as bigint | null) === null ? undefined : row }
  })
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
