// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '80a3e07c77bc88d74d9f73dcf9a57150051bb6adcce33007106734a95d9ed0e5'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
