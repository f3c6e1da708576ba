import { operation } from '../contract/operation.ts'

export const createPet = operation('createPet', async ({ body, once }, { pets }) => {
  if (!once) return { status: 201, body: await pets.add(body) }
  const { row, replayed } = await pets.addOnce(body, once)
  return replayed ? { status: 201, body: row, headers: { 'Idempotency-Replayed': true } } : { status: 201, body: row }
})
