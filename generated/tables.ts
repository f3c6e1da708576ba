// Written by `npm run generate` from src/store/tables/. Do not edit.
import { pets } from '../src/store/tables/pets.ts'

export const tables = {
  pets,
} as const
