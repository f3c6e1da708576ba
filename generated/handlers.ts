// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '06ec7e3843cc02fef43dad287d5c46e07ac107ca032e38ee78e459be89a4d440'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
