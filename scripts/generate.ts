/*
 * npm run generate             writes generated/ from openapi.yaml
 * npm run generate -- --check  compares instead, and fails naming each file that differs
 *
 * npm run generate -- FILE --out FOLDER writes, or compares, the types of another contract alone: handlers are this
 * service's.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readContract, type ContractDocument } from '../src/contract/document.ts'
import { messageOf, resolveContract } from '../src/contract/honoured.ts'
import { generatedFiles, typesOf } from './contract/generated.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

try {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false }, out: { type: 'string' } },
    allowPositionals: true,
  })
  const [file = join(root, 'openapi.yaml'), ...others] = positionals
  if (others.length > 0) throw new Error('Only one contract can be given.')
  if (positionals.length > 0 !== (values.out !== undefined)) {
    throw new Error('Another contract needs a folder for what is written, and only another: FILE --out FOLDER.')
  }
  const folder = values.out ?? join(root, 'generated')
  const contract = readContract(file)
  const files =
    values.out === undefined ? await ownFiles(contract) : new Map([['openapi.d.ts', await typesOf(contract)]])
  if (values.check) check(folder, files, contract)
  else write(folder, files)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 2
}

async function ownFiles(contract: ContractDocument): Promise<ReadonlyMap<string, string>> {
  await resolveContract(contract, { checked: false })
  return generatedFiles(contract)
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

function check(folder: string, files: ReadonlyMap<string, string>, contract: ContractDocument): void {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const present = readdirSync(folder)
  const fresh = present.includes('handlers.ts') && read('handlers.ts').includes(contract.digest)
  const faults = [
    ...[...files].flatMap(([name, text]) => {
      if (!present.includes(name)) return `${basename(folder)}/${name} is missing.`
      if (read(name) === text) return []
      return fresh
        ? `${basename(folder)}/${name} was edited by hand, or the generator changed.`
        : `${basename(folder)}/${name} is stale: openapi.yaml has changed.`
    }),
    ...present.filter((name) => !files.has(name)).map((name) => `${basename(folder)}/${name} does not belong there.`),
  ]
  if (faults.length === 0) return
  console.error([...faults, 'Run `npm run generate` and commit what it writes.'].join('\n'))
  process.exitCode = 1
}
