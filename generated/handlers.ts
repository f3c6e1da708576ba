// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '14f1e45e2162d9c13ec7328bcf5e9796a4a257968ca02cd8ed13eeba00e69e99'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
