// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '449f6562ebc35569a7c0f8edf9268aa007b5166f110fcd056fab788da7ff0f24'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
