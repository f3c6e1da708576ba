import { type AddedRow, petColumns, petOf, petValues, type PetValues, tables } from '../schema.ts'
import type { PetStore } from '../store.ts'
import { additions } from './additions.ts'
import type { Connection } from './connection/connection.ts'

type Row = AddedRow<PetValues>

const byId = `SELECT ${petColumns} FROM pets WHERE id = $1`
const all = `SELECT ${petColumns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`
const byStatus = `SELECT ${petColumns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`

export function pets(connection: Connection): PetStore {
  const { query } = connection
  const { add, addOnce } = additions<PetValues>(connection, tables.pets)
  return {
    list: async ({ limit, after = 0n, status }) => {
      const rows = status === undefined ? query<Row>(all, [after, limit]) : query<Row>(byStatus, [status, after, limit])
      return (await rows).map(petOf)
    },
    find: async (id) => {
      const [row] = await query<Row>(byId, [id])
      return row && petOf(row)
    },
    add: async (pet) => petOf(await add(petValues(pet))),
    addOnce: async (pet, once) => {
      const { row, replayed } = await addOnce(petValues(pet), once)
      return { pet: petOf(row), replayed }
    },
  }
}
