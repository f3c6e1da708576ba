// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '52ac1e761ab064baa8981a20b80e69e4e937634dd3b0f2f140f3c660833423bf'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
