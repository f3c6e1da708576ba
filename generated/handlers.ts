// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = 'c76fbb84dac6bdfff711d21dd4fa5322bcb5911beacc7b2b5c2bc8809c9477a1'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
