import { sharedRead } from '../batch.ts'
import { petColumns, petOf, petValues, tables, type AddedRow, type PetValues } from '../schema.ts'
import type { Pet, PetStore } from '../store.ts'
import { additions } from './additions.ts'
import type { Connection } from './connection/connection.ts'

type Row = AddedRow<PetValues>

const byIds = `SELECT ${petColumns} FROM pets WHERE id = ANY ($1::bigint[])`

/** Several lists in one statement: each is what it would be alone, and each is read from its own index. */
const lists = `
  SELECT asked.place::int, ${petColumns}
  FROM unnest($1::bigint[], $2::int[], $3::text[]) WITH ORDINALITY AS asked (after, most, wanted, place)
  CROSS JOIN LATERAL (
    (SELECT * FROM pets WHERE asked.wanted IS NULL AND id > asked.after ORDER BY id LIMIT asked.most)
    UNION ALL
    (SELECT * FROM pets WHERE status = asked.wanted AND id > asked.after ORDER BY id LIMIT asked.most)
  ) AS pet
  ORDER BY place, id`

export function pets(connection: Connection): PetStore {
  const { query } = connection
  const { add, addOnce } = additions<PetValues>(connection, tables.pets)
  return {
    list: sharedRead(async (asked) => {
      const rows = await query<[place: number, ...Row]>(lists, [
        asked.map(({ after = 0n }) => after),
        asked.map(({ limit }) => limit),
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
      const { row, replayed } = await addOnce(petValues(pet), once)
      return { pet: petOf(row), replayed }
    },
  }
}
