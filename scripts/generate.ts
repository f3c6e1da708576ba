/*
 * npm run generate             writes generated/ from openapi.yaml
 * npm run generate -- --check  compares instead, and fails naming each file that differs
 * npm run generate -- --staged compares what is staged in git
 * npm run generate -- --stub   also writes a handler that throws, and a test, for each operation without a handler
 * npm run generate -- --resource /books
 *                              also writes the table of /books, and the handlers of its operations with their tests
 *
 * animal-store contract generate [FILE] --out FOLDER, or npm run generate -- FILE --out FOLDER, writes or compares only
 * the types of another contract, which has no handlers here.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Option } from 'commander'
import { parseContract, type ContractDocument } from '../src/contract/model/files/document.ts'
import { textOf } from '../src/contract/model/files/text.ts'
import { refuseUnsupported } from '../src/contract/rules/coverage.ts'
import { packageFile, thisPackage } from '../src/package.ts'
import { callOf, command, print, runCommand } from './command-line/command.ts'
import { contractFile } from './command-line/contract-file.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { modelOf } from '../src/contract/model/model.ts'
import { counted, listed } from './command-line/wording.ts'
import { generatedFiles, tableFolder, typesOf } from './generate/generated.ts'
import { writeStubs } from './generate/stubs.ts'
import { inputOf, type Input } from './workshop/input.ts'

interface Flags {
  out?: string
  check?: boolean
  staged?: boolean
  stub?: boolean
  resource?: string[]
  outsideFiles?: boolean
}

// an installed command has no sources, and in another folder it is about the contract there
const configuration = packageFile('tsconfig.json')
const root = configuration !== undefined && resolve(dirname(configuration)) === resolve('.') ? resolve('.') : undefined
const name = 'contract generate'

const program = command(
  name,
  root === undefined ? 'Write the TypeScript types of a contract' : 'Write generated/ from openapi.yaml',
  [...(root === undefined ? [] : ['', '--check', '--stub', '--resource /books']), 'other.yaml --out types/'],
)
  .argument(
    '[file]',
    `${root === undefined ? 'the' : 'another'} contract, of which only the types are written (default: openapi.yaml)`,
  )
  .option('--out <folder>', 'the folder of these types')
  .addOption(
    new Option('--check', 'compare the files instead of writing them, and name each that differs').conflicts('stub'),
  )
  .addOption(
    new Option('--staged', 'the same for what is staged in git, and not the files of the folder').implies({
      check: true,
    }),
  )
  .addOption(outsideFilesOption())
  .action(generate)

if (root !== undefined) {
  program
    .addOption(
      new Option('--stub', 'also write a handler and a test for each operation without a handler').conflicts('out'),
    )
    .addOption(
      new Option('--resource <path...>', 'also write the table, the handlers and the tests of a path')
        .conflicts('out')
        .conflicts('check'),
    )
}

await runCommand(program, 2)

async function generate(other: string | undefined, flags: Flags): Promise<void> {
  const { out, check, outsideFiles, staged: isStaged = false } = flags
  if (out === undefined) {
    if (root === undefined || other !== undefined) {
      throw new Error(
        `The types need a folder: ${callOf(name)} ${contractFile(other, name, 'FILE --out FOLDER')} --out FOLDER`,
      )
    }
    await generateOwn(root, flags)
    return
  }
  const file = contractFile(other, name, 'FILE --out FOLDER')
  const input = inputOf(file, isStaged, { outsideFiles })
  const contract = contractIn(file, input)
  const files = new Map([['openapi.d.ts', await typesOf(contract, `${thisPackage.command} contract generate`)]])
  const args = [...(other === undefined ? [] : [other]), '--out', out]
  if (check) await report(out, faultsOf(out, files, contract, input), contract, args)
  else await write(out, files, contract)
}

function contractIn(file: string, { bytes, files }: Input): ContractDocument {
  const name = basename(file)
  return parseContract(textOf(bytes(), name), name, files)
}

/** Writes, or compares, the files of the service's own contract. */
async function generateOwn(root: string, flags: Flags): Promise<void> {
  const { check, stub = false, resource = [], staged: isStaged = false } = flags
  const folder = 'generated'
  const file = join(root, 'openapi.yaml')
  const input = inputOf(file, isStaged)
  const contract = contractIn(file, input)
  refuseUnsupported(contract)
  const made = (): Promise<Map<string, string>> => generatedFiles(contract, input.files.list(tableFolder))
  if (check) {
    const files = await made()
    const others = input.files.list(folder).filter((one) => !files.has(one))
    const extra = others.map((one) => `${folder}/${one} does not belong there.`)
    const faults = [...faultsOf(folder, files, contract, input), ...extra]
    if (faults.length > 0 || (await hasAllSteps())) await report(folder, faults, contract)
    return
  }
  const resources =
    resource.length > 0 ? await withResources(root, contract, resource, await made()) : { files: [], left: [] }
  const stubs = stub ? writeStubs(root, contract) : []
  await write(folder, await made(), contract, [...resources.files, ...stubs])
  if (stub && stubs.length === 0) await print('Every operation has a handler.')
  for (const line of resources.left) await print(line)
  if (resource.length === 0) await hasAllSteps()
}

/** Writes resources. What only a project needs is loaded only now, when generated/ lists the tables that there are. */
async function withResources(
  root: string,
  contract: ContractDocument,
  paths: readonly string[],
  generated: ReadonlyMap<string, string>,
): Promise<{ files: string[]; left: string[] }> {
  const { writeResources } = await import('./generate/resource/write.ts')
  const folder = join(root, 'generated')
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of generated) writeFileSync(join(folder, file), text)
  return writeResources(root, contract, paths)
}

/** Whether the steps of all tables make what is declared. Prints the steps that lack. */
async function hasAllSteps(): Promise<boolean> {
  const { schema } = await import('../src/store/schema.ts')
  const { proposalText, proposedSteps } = await import('./generate/proposed-steps.ts')
  const proposals = proposedSteps(schema)
  if (proposals.length === 0) return true
  console.error(proposalText(proposals, schema))
  process.exitCode = 1
  return false
}

async function write(
  folder: string,
  files: ReadonlyMap<string, string>,
  contract: ContractDocument,
  stubs: readonly string[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of files) writeFileSync(join(folder, file), text)
  const written = [...[...files.keys()].map((file) => join(folder, file)), ...stubs]
  await print(`Wrote ${listed(written)} from ${contract.name} (${operationsOf(contract)}).`)
}

/** Prints what differs, or that nothing does. `args` are those of the call that writes the files. */
async function report(
  folder: string,
  faults: readonly string[],
  contract: ContractDocument,
  args: readonly string[] = [],
): Promise<void> {
  if (faults.length === 0) {
    await print(`${join(folder, '/')} is up to date with ${contract.name} (${operationsOf(contract)}).`)
    return
  }
  const call = [callOf(name), ...args].join(' ').replace(/^npm run -s generate --$/, 'npm run generate')
  console.error([...faults, `Run \`${call}\` and commit what it writes.`].join('\n'))
  process.exitCode = 1
}

function operationsOf(contract: ContractDocument): string {
  return counted(modelOf(contract).operations.length, 'operation')
}

/** A sentence for each of these files that is not in the folder as it should be. */
function faultsOf(
  folder: string,
  files: ReadonlyMap<string, string>,
  contract: ContractDocument,
  input: Input,
): string[] {
  // a checkout of git may have other ends of lines
  const read = (file: string): string | undefined => input.text(join(folder, file))?.replaceAll('\r\n', '\n')
  const isFresh = read('handlers.ts')?.includes(contract.digest)
  return [...files].flatMap(([file, text]) => {
    const shown = join(folder, file)
    const found = read(file)
    if (found === undefined) return `${shown} is missing.`
    if (found === text) return []
    if (file === 'tables.ts') return `${shown} is stale: the folder ${tableFolder}/ has changed.`
    return isFresh
      ? `${shown} was edited by hand, or the generator changed.`
      : `${shown} is stale: ${contract.name} has changed.`
  })
}
