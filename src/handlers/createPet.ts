import { operation } from '../contract/operation.ts'

export const createPet = operation('createPet', async ({ body }, { pets }) => {
  return { status: 201, body: await pets.add(body) }
})
