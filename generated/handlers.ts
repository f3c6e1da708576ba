// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '266d4a25809c1dee9e22bf80b033b9bc09c7d82d2049f12c5711225bbbac3042'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
