import { notFound } from '../api-error.ts'
import { operation } from '../contract/operation.ts'

export const getPet = operation('getPet', async ({ path }, { pets }) => {
  const pet = await pets.find(path.petId)
  if (!pet) throw notFound(`No animal has the id ${path.petId}.`)
  return { status: 200, body: pet }
})
