// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '46de11e9ef5c50623872715c99ca46b5154e719e14822fd16e17da12bb6dcb06'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
