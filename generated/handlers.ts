// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '3e500afbe933a375c234336176c0cec830754c872fd8ee3ac452b883cec9be3f'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
