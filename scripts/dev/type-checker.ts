/*
 * Part of `npm run dev`: compiles the types, beside the checks of the contract.
 */
import { fileURLToPath } from 'node:url'
import { typeChecker } from './types.ts'
import { work } from './worker.ts'

const check = typeChecker(fileURLToPath(new URL('../..', import.meta.url)))
work(() => Promise.resolve(check()))
