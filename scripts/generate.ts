/*
 * npm run generate             writes generated/ from openapi.yaml
 * npm run generate -- --check  compares instead, and fails naming each file that differs
 *
 * npm run generate -- FILE --out FOLDER writes, or compares, only the types of another contract, which has no handlers
 * here.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readContract, type ContractDocument } from '../src/contract/document/document.ts'
import { refuseUnsupported } from '../src/contract/compile/supported.ts'
import { command, runCommand } from './command-line/command.ts'
import { generatedFiles, typesOf } from './contract/generated.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const program = command('generate', 'Write generated/ from openapi.yaml', ['', '--check', 'other.yaml --out types/'])
  .argument('[file]', 'another contract, of which only the types are written')
  .option('--out <folder>', 'where the types of another contract go')
  .option('--check', 'compare instead, and fail naming each file that differs')
  .action(generate)

await runCommand(program, 2)

async function generate(other: string | undefined, { out, check }: { out?: string; check?: boolean }): Promise<void> {
  if ((other === undefined) !== (out === undefined)) {
    throw new Error('Another contract needs a folder for what is written, and only another: FILE --out FOLDER.')
  }
  const folder = out ?? join(root, 'generated')
  const contract = readContract(other ?? join(root, 'openapi.yaml'))
  const files = out === undefined ? await ownFiles(contract) : new Map([['openapi.d.ts', await typesOf(contract)]])
  if (check) compare(folder, files, contract)
  else write(folder, files)
}

function ownFiles(contract: ContractDocument): Promise<ReadonlyMap<string, string>> {
  refuseUnsupported(contract, { checked: false })
  return generatedFiles(contract)
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

function compare(folder: string, files: ReadonlyMap<string, string>, contract: ContractDocument): void {
  // a checkout of git may have other ends of lines
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
  const present = existsSync(folder) ? readdirSync(folder) : []
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
