import { idempotencyConflict } from '../api-error.ts'
import { operation } from '../contract/operation.ts'
import type { NewPet, Pet } from '../store/store.ts'

export const createPet = operation('createPet', async ({ body, header, keyId, now }, { pets }) => {
  const key = header['Idempotency-Key']
  if (key === undefined) return { status: 201, body: await pets.add(body) }
  const { pet, replayed } = await pets.addOnce(body, { caller: keyId, key, now })
  if (!replayed) return { status: 201, body: pet }
  if (!isFrom(body, pet)) throw idempotencyConflict()
  return { status: 201, body: pet, headers: { 'Idempotency-Replayed': true } }
})

/** Animals never change, so the one that was added tells what was sent. */
function isFrom({ name, categoryId, status }: NewPet, pet: Pet): boolean {
  return pet.name === name && pet.categoryId === categoryId && pet.status === status
}
