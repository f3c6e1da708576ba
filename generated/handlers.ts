// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '2626b20775252430df09858c8f93eca9eca058881c4f774631dc543a6b440646'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
