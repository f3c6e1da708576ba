import { sharedRead } from '../batch.ts'
import { petOf, petValues, tables, type AddedRow, type PetValues } from '../schema.ts'
import type { Pet, PetStore } from '../store.ts'
import { additions } from './additions.ts'
import type { Connection } from './connection/connection.ts'
import { selectedColumns } from './tables.ts'

type Row = AddedRow<PetValues>

const petColumns = selectedColumns(tables.pets)

const byIds = `SELECT ${petColumns} FROM pets WHERE id = ANY ($1::bigint[])`

/**
 * Several lists in one statement: each is what it would be alone, and each is read from its own index. The plan is made
 * once, without the values. So `most` bounds a list for the planner, which else expects a tenth of the table and compiles
 * the statement, and the status is compared in the order of its index, which else is not taken.
 */
function listStatement(most: number): string {
  return `
  SELECT asked.place::int, ${petColumns}
  FROM unnest($1::bigint[], $2::int[], $3::text[]) WITH ORDINALITY AS asked (after, count, wanted, place)
  CROSS JOIN LATERAL (
    SELECT * FROM (
      (SELECT * FROM pets WHERE asked.wanted IS NULL AND id > asked.after ORDER BY id LIMIT ${most})
      UNION ALL
      (SELECT * FROM pets WHERE (status, id) > (asked.wanted, asked.after) AND status <= asked.wanted
       ORDER BY status, id LIMIT ${most})
    ) AS found LIMIT asked.count
  ) AS pet
  ORDER BY place, id`
}

/** The next power of two: so few bounds, and so few statements to plan, are needed. */
function roomFor(counts: readonly number[]): number {
  return 2 ** Math.ceil(Math.log2(Math.max(...counts)))
}

export function pets(connection: Connection): PetStore {
  const { query } = connection
  const { add, addOnce } = additions<PetValues>(connection, tables.pets)
  return {
    list: sharedRead(async (asked) => {
      const limits = asked.map(({ limit }) => limit)
      const rows = await query<[place: number, ...Row]>(listStatement(roomFor(limits)), [
        asked.map(({ after = 0n }) => after),
        limits,
        asked.map(({ status }) => status),
      ])
      const found = asked.map((): Pet[] => [])
      for (const [place, ...row] of rows) found[place - 1]?.push(petOf(row))
      return found
    }),
    find: sharedRead(async (ids: readonly bigint[]) => {
      const rows = await query<Row>(byIds, [ids])
      const found = new Map(rows.map((row) => [row[0], petOf(row)]))
      return ids.map((id) => found.get(id))
    }),
    add: async (pet) => petOf(await add(petValues(pet))),
    addOnce: async (pet, once) => {
      const added = await addOnce(petValues(pet), once)
      return added && { pet: petOf(added.row), replayed: added.replayed }
    },
  }
}
