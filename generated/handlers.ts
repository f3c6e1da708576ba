// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '7aa3072da4cafa8e2a1beb32c1a061bdb6e62216ddccaf276c998ebab6a648b3'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
