/*
 * Part of `npm run build`: puts openapi.yaml and its values beside the compiled sources.
 */
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readContract } from '../src/contract/document.ts'
import { writeValues } from '../src/contract/values.ts'

const built = fileURLToPath(new URL('../openapi.yaml', import.meta.url))
copyFileSync(fileURLToPath(new URL('../../openapi.yaml', import.meta.url)), built)
writeValues(built, readContract(built))
