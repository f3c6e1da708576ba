/*
 * Part of `npm run dev`: tells what an edit means, in a process of its own so that requests do not wait for it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileContract } from '../../src/contract/contract.ts'
import { declaredOperations, parseContract, type ContractDocument } from '../../src/contract/document.ts'
import { messageOf } from '../../src/contract/honoured.ts'
import { diffContracts } from '../contract/diff.ts'
import { splitMessage, type Finding } from '../contract/finding.ts'
import { generatedFiles } from '../contract/generated.ts'
import { contractAt } from '../contract/git.ts'
import { lintContract } from '../contract/lint.ts'
import type { CheckRequest, ContractDiff, MissingHandler, TypeFault, Verdict } from './protocol.ts'
import { startWorker, work } from './worker.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = 'openapi.yaml'
const table = 'generated/handlers.ts'
const types = startWorker<object, TypeFault[]>('type-checker.ts')

/** What is known of the contract until it changes again. */
let known: Pick<Verdict, 'findings' | 'sound' | 'diff'> = { findings: [], sound: false, diff: '' }
/** The last one that the service would start with. */
let contract: ContractDocument | undefined

work((request) => check(request as CheckRequest))

async function check({ contract: hasChanged }: CheckRequest): Promise<Verdict> {
  if (!hasChanged) return { ...known, written: [], ...(await compile()) }
  const today = new Date().toISOString().slice(0, 10)
  // both leave most of their work to processes of their own
  const linting = lint(today)
  const comparing = compare(today)
  const { sound, fault } = await readContract()
  const written = sound ? await generate(sound) : []
  contract = sound ?? contract
  const compiling = compile()
  const findings = await linting
  const isTold = fault === undefined || findings.some(({ message }) => fault.endsWith(message))
  known = {
    findings: isTold ? findings : [findingOf('mock', fault), ...findings],
    sound: sound !== undefined,
    diff: await comparing,
  }
  return { ...known, written, ...(await compiling) }
}

async function lint(today: string): Promise<Finding[]> {
  try {
    return await lintContract(file, { today })
  } catch (error) {
    return [findingOf('lint', messageOf(error))]
  }
}

function findingOf(rule: string, fault: string): Finding {
  return { rule, severity: 'error', ...splitMessage(fault, file), mend: '' }
}

/** The contract, or why the service would not start with it. */
async function readContract(): Promise<{ sound?: ContractDocument; fault?: string }> {
  try {
    const sound = parseContract(readFileSync(join(root, file), 'utf8'), file)
    const { operations } = await compileContract(sound, { checked: false, checkResponses: true, publicUrl: '' })
    for (const { operationId, mocks } of operations.values()) if (!existsSync(handlerFile(operationId))) mocks()
    return { sound }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

async function compare(today: string): Promise<ContractDiff | string> {
  const head = { text: readFileSync(join(root, file), 'utf8'), name: file }
  const base = lastCommitted()
  if (!base) return 'There is no commit to compare with.'
  if (base.text === head.text) return { changes: [] }
  try {
    return await diffContracts({ base, head, today })
  } catch (error) {
    return messageOf(error)
  }
}

function lastCommitted(): ReturnType<typeof contractAt> | undefined {
  try {
    return contractAt('HEAD', join(root, file))
  } catch {
    return undefined
  }
}

/** Writes what differs, and gives its names. */
async function generate(of: ContractDocument): Promise<string[]> {
  const files = [...(await generatedFiles(of))].map(([name, text]): [string, string] => [`generated/${name}`, text])
  const stale = files.filter(([name, text]) => readIfThere(join(root, name)) !== text)
  for (const [name, text] of stale) writeFileSync(join(root, name), text)
  return stale.map(([name]) => name)
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

async function compile(): Promise<Pick<Verdict, 'faults' | 'missing'>> {
  const operations = contract ? declaredOperations(contract) : []
  const missing = operations
    .filter(({ operationId }) => !existsSync(handlerFile(operationId)))
    .map(({ operationId, method, path }): MissingHandler => {
      return { file: `src/handlers/${operationId}.ts`, operation: `${method.toUpperCase()} ${path}` }
    })
  const faults = await types.ask(() => ({}))
  return { missing, faults: faults.filter((fault) => !isMissing(fault, missing)).map(inHandler) }
}

function handlerFile(operationId: string): string {
  return join(root, 'src/handlers', `${operationId}.ts`)
}

/** A handler that is not there is told as such. */
function isMissing({ place, message }: TypeFault, missing: readonly MissingHandler[]): boolean {
  return place.file === table && missing.some((one) => message.includes(`'../${one.file}'`))
}

/** What the table of handlers refuses is to be mended in the handler's file. */
function inHandler(fault: TypeFault): TypeFault {
  if (fault.place.file !== table) return fault
  const line = readFileSync(join(root, table), 'utf8').split('\n')[fault.place.line - 1] ?? ''
  const operationId = /^(?:import \{| ) (\w+)/.exec(line)?.[1] ?? ''
  const text = readIfThere(handlerFile(operationId))
  if (text === undefined) return fault
  const before = text.slice(0, Math.max(0, text.search(new RegExp(`export .*\\b${operationId}\\b`)))).split('\n')
  return { ...fault, place: { file: `src/handlers/${operationId}.ts`, line: before.length, column: 1 } }
}
