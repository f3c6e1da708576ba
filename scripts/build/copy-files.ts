/*
 * Part of `npm run build`: copies openapi.yaml, with its other files in it, and the assets of the pages into the built folder, and writes the values
 * of the contract beside it.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readContract } from '../../src/contract/model/files/document.ts'
import { writeParsed } from '../../src/contract/model/files/parsed-cache.ts'
import { yamlText } from '../../src/contract/served-document.ts'
import { requireReferences } from '../../src/contract/rules/references.ts'
import { messageOf } from '../../src/failure.ts'

try {
  const [contract, file] = [readContract(source('openapi.yaml')), built('openapi.yaml')]
  requireReferences(contract)
  // the start needs one file; what the contract is made of, the next build needs to know
  writeFileSync(file, contract.files.length === 1 ? readFileSync(source('openapi.yaml')) : yamlText(contract.source))
  writeParsed(file, contract)
  writeFileSync(built('contract-files.json'), JSON.stringify(contract.files))
  const filter = (name: string): boolean => !name.endsWith('.d.ts')
  cpSync(source('src/http/pages/assets'), built('src/http/pages/assets'), { recursive: true, filter })
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}

function source(name: string): string {
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url))
}

function built(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url))
}
