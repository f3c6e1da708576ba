import { sharedRead } from '../batch.ts'
import { petColumns, petOf, type PetRow } from '../rows.ts'
import { applicationId } from '../schema.ts'
import { rememberedMs, type NewPet, type Once, type Pet, type PetStatus, type PetStore } from '../store.ts'
import type { Connection } from './connection/connection.ts'

export function pets({ query, batched }: Connection): PetStore {
  const add = batched((batch: readonly Addition[]) => addAll(query, batch))
  const find = sharedRead(async (ids: readonly bigint[]) => {
    const rows = await query<PetRow>(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::bigint[])`, [ids])
    const found = new Map(rows.map((row) => [row[0], petOf(row)]))
    return ids.map((id) => found.get(id))
  })
  return {
    list: sharedRead(async (asked) => {
      const rows = await query<[place: number, ...PetRow]>(listStatement, [
        asked.map(({ after = 0n }) => after),
        asked.map(({ limit }) => limit),
        asked.map(({ status }) => status),
      ])
      const lists = asked.map((): Pet[] => [])
      for (const [place, ...row] of rows) lists[place - 1]?.push(petOf(row))
      return lists
    }),
    find,
    add: async (pet) => ({ id: (await add({ pet })).id, ...pet }),
    addOnce: async (pet, once) => {
      const added = await add({ pet, once })
      // another process may have added it after the statement's snapshot was taken
      const first = added.pet ?? (await find(added.id))
      if (!first) throw new Error(`The animal ${added.id} that an Idempotency-Key names is gone.`)
      return { pet: first, replayed: added.replayed }
    },
  }
}

/** The lists of one turn in one statement: each as it would be alone, and found by its own index. */
const listStatement = `
  SELECT asked.place::int, ${petColumns}
  FROM unnest($1::bigint[], $2::int[], $3::text[]) WITH ORDINALITY AS asked (after, most, wanted, place)
  CROSS JOIN LATERAL (
    (SELECT * FROM pets WHERE asked.wanted IS NULL AND id > asked.after ORDER BY id LIMIT asked.most)
    UNION ALL
    (SELECT * FROM pets WHERE status = asked.wanted AND id > asked.after ORDER BY id LIMIT asked.most)
  ) AS pet
  ORDER BY place, id`

/** An animal to be added, with the name of its request if it has one. */
interface Addition {
  pet: NewPet
  once?: Once
}

interface Added {
  id: bigint
  replayed: boolean
  /** Missing when it was added before and could not be seen. */
  pet: Pet | undefined
}

/**
 * One statement for a batch. Those of all processes take turns, by a lock that is held until the commit, so that ids
 * become visible in their order: with them in another order, a client that pages would miss the animals that appear
 * behind it. What a name stands for is looked up in the snapshot, and again, as of now, when it is stored.
 */
const addStatement = `
  WITH turn AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(${applicationId}, 2)
  ), asked AS (
    SELECT batch.*, known.pet_id AS known_id
    FROM turn
    CROSS JOIN unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[])
      WITH ORDINALITY AS batch (name, category_id, status, caller, key, now, place)
    LEFT JOIN idempotency_keys AS known
      ON known.caller = batch.caller AND known.key = batch.key AND known.created_at > batch.now - ${rememberedMs}
    ORDER BY place
  ), placed AS MATERIALIZED (
    SELECT *, CASE WHEN known_id IS NULL THEN nextval('pets_id_seq') END AS new_id FROM asked
  ), named AS (
    INSERT INTO idempotency_keys AS known (caller, key, pet_id, created_at)
    SELECT caller, key, new_id, now FROM placed WHERE caller IS NOT NULL AND new_id IS NOT NULL
    ON CONFLICT (caller, key) DO UPDATE SET (pet_id, created_at) = (
      SELECT known.pet_id, known.created_at WHERE known.created_at > excluded.created_at - ${rememberedMs}
      UNION ALL
      SELECT excluded.pet_id, excluded.created_at WHERE known.created_at <= excluded.created_at - ${rememberedMs}
    )
    RETURNING caller, key, pet_id
  ), added AS (
    INSERT INTO pets (id, name, category_id, status) OVERRIDING SYSTEM VALUE
    SELECT new_id, name, category_id, status FROM placed LEFT JOIN named USING (caller, key)
    WHERE new_id = coalesce(named.pet_id, new_id)
  ), forgotten AS (
    DELETE FROM idempotency_keys AS old
    WHERE created_at <= $7::bigint AND (caller, key) IN (
      SELECT caller, key FROM idempotency_keys WHERE created_at <= $7 ORDER BY created_at LIMIT $8::bigint
    ) AND NOT EXISTS (SELECT FROM placed WHERE placed.caller = old.caller AND placed.key = old.key)
  )
  SELECT coalesce(named.pet_id, known_id, new_id), new_id, first.name, first.category_id, first.status
  FROM placed LEFT JOIN named USING (caller, key) LEFT JOIN pets AS first ON first.id = known_id
  ORDER BY place`

/** The animal that counts, the one that was to be new, and the fields of one that was there before. */
type AddedRow = [id: bigint, newId: bigint | null, ...([name: string, categoryId: bigint, status: PetStatus] | [null])]

async function addAll(query: Connection['query'], batch: readonly Addition[]): Promise<Added[]> {
  const { asked, placeOf } = withoutRepetitions(batch)
  const named = asked.flatMap(({ once }) => once ?? [])
  const rows = await query<AddedRow>(addStatement, [
    asked.map(({ pet }) => pet.name),
    asked.map(({ pet }) => pet.categoryId),
    asked.map(({ pet }) => pet.status),
    asked.map(({ once }) => once?.caller),
    asked.map(({ once }) => once?.key),
    asked.map(({ once }) => once?.now),
    Math.max(0, ...named.map(({ now }) => now)) - rememberedMs,
    // two for one, so that what is over goes faster than new comes, and no request pays for many
    2 * named.length,
  ])
  return batch.map((addition, index) => {
    const place = placeOf[index] ?? 0
    const first = asked[place] ?? addition
    const [id, newId, name, categoryId, status] = rows[place] as AddedRow
    if (id === newId) return { id, replayed: addition !== first, pet: { id, ...first.pet } }
    return { id, replayed: true, pet: name === null ? undefined : petOf([id, name, categoryId, status]) }
  })
}

/** A statement can store a name once. Of equal ones the first counts, as if they came one after another. */
function withoutRepetitions(batch: readonly Addition[]): { asked: Addition[]; placeOf: number[] } {
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
