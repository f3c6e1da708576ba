import { petColumns, petOf, type PetRow } from '../rows.ts'
import { rememberedMs, type NewPet, type Once, type Pet, type PetStatus, type PetStore } from '../store.ts'
import type { Connection } from './connection/connection.ts'

export function pets(connection: Connection): PetStore {
  const { prepare, read, add } = connection
  const find = prepare<[bigint], PetRow>(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const all = prepare<[bigint, number], PetRow>(`SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const byStatus = prepare<[PetStatus, bigint, number], PetRow>(
    `SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const insert = prepare<[string, bigint, PetStatus]>('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const names = requestNames(connection)
  const addOne = ({ name, categoryId, status }: NewPet): Pet => {
    const { lastInsertRowid } = insert.run(name, categoryId, status)
    return { id: BigInt(lastInsertRowid), name, categoryId, status }
  }
  return {
    list: ({ limit, after = 0n, status }) =>
      read(() => (status === undefined ? all.all(after, limit) : byStatus.all(status, after, limit)).map(petOf)),
    find: (id) =>
      read(() => {
        const row = find.get(id)
        return row && petOf(row)
      }),
    add: (pet) => add(() => addOne(pet)),
    addOnce: (pet, once) =>
      add(() => {
        const known = names.find(once)
        const row = known === undefined ? undefined : find.get(known)
        if (row) return { pet: petOf(row), replayed: true }
        const added = addOne(pet)
        names.remember(once, added.id)
        return { pet: added, replayed: false }
      }),
  }
}

/** The requests that are remembered, by caller and Idempotency-Key. */
function requestNames({ prepare }: Connection): {
  /** The animal that was added. */
  find: (once: Once) => bigint | undefined
  remember: (once: Once, petId: bigint) => void
} {
  const find = prepare<[string, string, number], [bigint]>(
    'SELECT pet_id FROM idempotency_keys WHERE caller = ? AND key = ? AND created_at > ?',
  )
  const remember = prepare<[string, string, bigint, number]>(
    `INSERT INTO idempotency_keys (caller, key, pet_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET pet_id = excluded.pet_id, created_at = excluded.created_at`,
  )
  // two for one, so that what is over goes faster than new comes, and no request pays for many
  const forget = prepare<[number]>(
    `DELETE FROM idempotency_keys WHERE (caller, key) IN
     (SELECT caller, key FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT 2)`,
  )
  return {
    find: ({ caller, key, now }) => find.get(caller, key, now - rememberedMs)?.[0],
    remember: ({ caller, key, now }, petId) => {
      forget.run(now - rememberedMs)
      remember.run(caller, key, petId, now)
    },
  }
}
