import { idempotencyConflict } from '../api-error.ts'
import { operation } from '../contract/operation.ts'

export const createPet = operation('createPet', async ({ body, once }, { pets }) => {
  if (!once) return { status: 201, body: await pets.add(body) }
  const added = await pets.addOnce(body, once)
  if (!added) throw idempotencyConflict()
  const { pet, replayed } = added
  return replayed ? { status: 201, body: pet, headers: { 'Idempotency-Replayed': true } } : { status: 201, body: pet }
})
