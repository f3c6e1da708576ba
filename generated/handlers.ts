// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '41ce56e73bfefe56d0761f209d06a63c237f8585a88769b68bf0e583f18fa600'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
