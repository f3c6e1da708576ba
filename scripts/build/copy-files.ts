/*
 * Part of `npm run build`: copies openapi.yaml and the assets of the pages into the built folder, and writes the values
 * of the contract beside it.
 */
import { copyFileSync, cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readContract } from '../../src/contract/document/document.ts'
import { writeParsed } from '../../src/contract/document/built.ts'
import { messageOf } from '../../src/failure.ts'

try {
  const contract = built('openapi.yaml')
  copyFileSync(source('openapi.yaml'), contract)
  writeParsed(contract, readContract(contract))
  cpSync(source('src/http/pages/assets'), built('src/http/pages/assets'), { recursive: true })
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
