// Written by `npm run generate` from openapi.yaml. Do not edit.
import type { Handlers } from '../src/contract/operation.ts'
import { listPets } from '../src/handlers/listPets.ts'
import { createPet } from '../src/handlers/createPet.ts'
import { getPet } from '../src/handlers/getPet.ts'

/** Digest of the contract that these files were made from. */
export const contractDigest = '72a59518d278ae4a396d396c35093d16f23565ce211125948b01ca49bf437366'

export const handlers: Handlers = {
  listPets,
  createPet,
  getPet,
}
