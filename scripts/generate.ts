/*
 * npm run generate             writes generated/ from openapi.yaml
 * npm run generate -- --check  compares instead, and fails naming each file that differs
 * npm run generate -- --stub   also writes a handler that throws, and a test, for each operation without a handler
 * npm run generate -- --resource /books
 *                              also writes the table of /books, and the handlers of its operations with their tests
 *
 * npm run generate -- FILE --out FOLDER writes, or compares, only the types of another contract, which has no handlers
 * here.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { readContract, type ContractDocument } from '../src/contract/model/files/document.ts'
import { refuseUnsupported } from '../src/contract/rules/coverage.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { modelOf } from '../src/contract/model/model.ts'
import { counted, listed } from './command-line/wording.ts'
import { proposalText, proposedSteps } from './generate/proposed-steps.ts'
import { generatedFiles, typesOf } from './generate/generated.ts'
import { writeResources } from './generate/resource/write.ts'
import { writeStubs } from './generate/stubs.ts'

interface Flags {
  out?: string
  check?: boolean
  stub?: boolean
  resource?: string[]
  outsideFiles?: boolean
}

const root = fileURLToPath(new URL('..', import.meta.url))

const program = command('generate', 'Write generated/ from openapi.yaml', [
  '',
  '--check',
  '--stub',
  '--resource /books',
  'other.yaml --out types/',
])
  .argument('[file]', 'another contract, of which only the types are written')
  .option('--out <folder>', 'where the types of another contract go')
  .addOption(new Option('--check', 'compare instead, and fail naming each file that differs').conflicts('stub'))
  .addOption(
    new Option('--stub', 'also write a handler and a test for each operation without a handler').conflicts('out'),
  )
  .addOption(
    new Option('--resource <path...>', 'also write the table, the handlers and the tests of a path')
      .conflicts('out')
      .conflicts('check'),
  )
  .addOption(outsideFilesOption())
  .action(generate)

await runCommand(program, 2)

async function generate(
  other: string | undefined,
  { out, check, stub, resource = [], outsideFiles }: Flags,
): Promise<void> {
  if ((other === undefined) !== (out === undefined)) {
    throw new Error('Another contract needs a folder for what is written, and only another: FILE --out FOLDER.')
  }
  const folder = out ?? join(root, 'generated')
  const contract = readContract(other ?? join(root, 'openapi.yaml'), { outsideFiles })
  const files = out === undefined ? await ownFiles(contract) : new Map([['openapi.d.ts', await typesOf(contract)]])
  const operations = counted(modelOf(contract).operations.length, 'operation')
  if (check) {
    if (compare(folder, files, contract) && (out !== undefined || (await hasAllSteps()))) {
      await print(`${basename(folder)}/ is up to date with ${contract.name} (${operations}).`)
    }
    return
  }
  write(folder, files)
  const made = resource.length > 0 ? await writeResources(root, contract, resource) : { files: [], left: [] }
  if (resource.length > 0) write(folder, await ownFiles(contract))
  const stubs = stub ? writeStubs(root, contract) : []
  const written = [...[...files.keys()].map((name) => `${basename(folder)}/${name}`), ...made.files, ...stubs]
  await print(`Wrote ${listed(written)} from ${contract.name} (${operations}).`)
  if (stub && stubs.length === 0) await print('Every operation has a handler.')
  for (const line of made.left) await print(line)
  if (out === undefined && resource.length === 0) await hasAllSteps()
}

/** Whether the steps of all tables make what is declared. Prints the steps that lack. */
async function hasAllSteps(): Promise<boolean> {
  // loaded only now, when generated/ lists the tables that there are
  const { schema } = await import('../src/store/schema.ts')
  const proposals = proposedSteps(schema)
  if (proposals.length === 0) return true
  console.error(proposalText(proposals, schema))
  process.exitCode = 1
  return false
}

function ownFiles(contract: ContractDocument): Promise<ReadonlyMap<string, string>> {
  refuseUnsupported(contract, { checked: false })
  return generatedFiles(root, contract)
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

/** Whether the folder has these files and no others. Prints what differs. */
function compare(folder: string, files: ReadonlyMap<string, string>, contract: ContractDocument): boolean {
  // a checkout of git may have other ends of lines
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
  const present = existsSync(folder) ? readdirSync(folder) : []
  const fresh = present.includes('handlers.ts') && read('handlers.ts').includes(contract.digest)
  const faults = [
    ...[...files].flatMap(([name, text]) => {
      if (!present.includes(name)) return `${basename(folder)}/${name} is missing.`
      if (read(name) === text) return []
      if (name === 'tables.ts') return `${basename(folder)}/${name} is stale: the folder src/store/tables/ has changed.`
      return fresh
        ? `${basename(folder)}/${name} was edited by hand, or the generator changed.`
        : `${basename(folder)}/${name} is stale: openapi.yaml has changed.`
    }),
    ...present.filter((name) => !files.has(name)).map((name) => `${basename(folder)}/${name} does not belong there.`),
  ]
  if (faults.length === 0) return true
  console.error([...faults, 'Run `npm run generate` and commit what it writes.'].join('\n'))
  process.exitCode = 1
  return false
}
