// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = 'e627b694cf3fee9704f402485024863f3977c9d75cae5b3dc13c45ea5671dc18'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
