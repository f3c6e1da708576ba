/*
 * Part of `npm run dev`: finds out what a change means, in its own process so that requests do not wait.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileContract } from '../../src/contract/contract.ts'
import { parseContract, type ContractDocument } from '../../src/contract/model/files/document.ts'
import { filesBeside } from '../../src/contract/model/files/files.ts'
import type { Operation } from '../../src/contract/model/operation.ts'
import { declaredOperations } from '../../src/contract/rules/addresses.ts'
import { mockStations } from '../../src/mock/mock.ts'
import { diffContracts } from '../workshop/diff/diff.ts'
import { splitMessage, type Finding } from '../workshop/finding.ts'
import { generatedFiles, tableFolder } from '../generate/generated.ts'
import { contractAt } from '../workshop/diff/git.ts'
import { lintContract } from '../workshop/lint/lint.ts'
import type { CheckRequest, ContractDiff, TypeFault, TypeRequest, Verdict } from './protocol.ts'
import { startWorker, work } from './worker.ts'
import { messageOf } from '../../src/failure.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = 'openapi.yaml'
const files = filesBeside(join(root, file))
const absent = `${file} is not there.`
const table = 'generated/handlers.ts'
const types = startWorker<TypeRequest, TypeFault[]>('type-checker.ts')

/** The results for the contract, valid until it changes. */
let known: Pick<Verdict, 'findings' | 'sound' | 'diff'> = { findings: [], sound: false, diff: '' }
/** The last contract that the service can start with. */
let contract: ContractDocument | undefined
/** The files of the contract, as it was last read. */
let contractFiles: readonly string[] = [file]
let isWarm = false

work(check)

async function check({ contract: hasChanged }: CheckRequest): Promise<Verdict> {
  if (!hasChanged) return { ...known, files: contractFiles, written: [], ...(await compile(contract, {})) }
  if (!existsSync(join(root, file))) {
    known = { findings: [findingOf('contract', absent)], sound: false, diff: '' }
    return { ...known, files: contractFiles, written: [], faults: [], missing: [] }
  }
  const today = new Date().toISOString().slice(0, 10)
  const { text, read, generated = {} } = await readContract()
  // at the same time: most of the work is done in other processes
  const compiling = compile(read ?? contract, generated)
  const linting = lint(read, today)
  const diff = compare(today)
  const findings = await linting
  const sound = isSound(findings)
  known = { findings, sound, diff }
  if (read && sound) contract = read
  const { faults, missing } = await compiling
  if (text !== undefined && read && sound && !isWarm) void warmUp(text, read, today)
  // type errors caused by a contract that is not used would only confuse
  return sound
    ? { ...known, files: contractFiles, written: write(generated), faults, missing }
    : { ...known, files: contractFiles, written: [], faults: [], missing: [] }
}

/** The contract, and the files to generate from it. Both are absent if it cannot be read. */
async function readContract(): Promise<{ text?: string; read?: ContractDocument; generated?: Record<string, string> }> {
  try {
    const text = readFileSync(join(root, file), 'utf8')
    const read = parseContract(text, file, files)
    contractFiles = read.files
    const written = [...(await generatedFiles(read, files.list(tableFolder)))]
    return { text, read, generated: Object.fromEntries(written.map(([name, text]) => [`generated/${name}`, text])) }
  } catch {
    // the lint reports why
    return {}
  }
}

/** Runs all checks once without a result, so that the next check takes half the time. */
async function warmUp(text: string, of: ContractDocument, today: string): Promise<void> {
  isWarm = true
  // the file itself may be gone by now
  const side = { text, name: file, files }
  diffContracts({ base: side, head: side, today })
  await Promise.all([lint(of, today), readContract()])
}

/** The rules whose findings mean that the service cannot start. */
const unsound = ['contract', 'engine', 'mock']

function isSound(findings: readonly Finding[]): boolean {
  return !findings.some(({ rule }) => unsound.includes(rule))
}

async function lint(read: ContractDocument | undefined, today: string): Promise<Finding[]> {
  try {
    const findings = await lintContract(file, { today })
    return read && isSound(findings) ? [...findings, ...(await mockFindings(read))] : findings
  } catch (error) {
    return [findingOf('contract', existsSync(join(root, file)) ? error : absent)]
  }
}

/** The operations without a handler that cannot be mocked, with the reasons. */
async function mockFindings(of: ContractDocument): Promise<Finding[]> {
  const missing = missingHandlers(of)
  if (missing.length === 0) return []
  try {
    const { operations } = await compileContract(of, { checked: true, checkResponses: true, publicUrl: '' })
    const mock = mockStations(of)
    for (const { operationId } of missing) {
      const operation = operations.get(operationId)
      if (operation) mock(operation)
    }
    return []
  } catch (error) {
    return [findingOf('mock', error)]
  }
}

function findingOf(rule: string, error: unknown): Finding {
  return { rule, severity: 'error', ...splitMessage(messageOf(error), file), fix: '' }
}

function compare(today: string): ContractDiff | string {
  try {
    const head = { text: readFileSync(join(root, file), 'utf8'), name: file, files }
    const base = lastCommitted()
    if (!base) return 'There is no commit to compare with.'
    if (base.text === head.text && contractFiles.length === 1) return { changes: [] }
    return diffContracts({ base, head, today })
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

/** Writes the files that differ, and gives their names. */
function write(generated: Readonly<Record<string, string>>): string[] {
  const stale = Object.entries(generated).filter(([name, text]) => readIfThere(join(root, name)) !== text)
  for (const [name, text] of stale) writeFileSync(join(root, name), text)
  return stale.map(([name]) => name)
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** The type errors in the handlers, with `generated` in place of the files in generated/. */
async function compile(
  of: ContractDocument | undefined,
  generated: Record<string, string>,
): Promise<Pick<Verdict, 'faults' | 'missing'>> {
  const missing = of ? missingHandlers(of) : []
  const faults = await types.ask(() => ({ files: generated }))
  const lines = (generated[table] ?? readIfThere(join(root, table)) ?? '').split('\n')
  return {
    missing: missing.map(({ operationId, method, path }) => {
      return { file: `src/handlers/${operationId}.ts`, operation: `${method.toUpperCase()} ${path}` }
    }),
    faults: faults.flatMap((fault) => (fault.place.file === table ? inHandler(fault, lines) : fault)),
  }
}

function missingHandlers(of: ContractDocument): Operation[] {
  return declaredOperations(of).filter(({ operationId }) => !existsSync(handlerFile(operationId)))
}

function handlerFile(operationId: string): string {
  return join(root, 'src/handlers', `${operationId}.ts`)
}

/** Moves a type error of the table of handlers to the handler's file. Drops it if the file is missing. */
function inHandler(fault: TypeFault, lines: readonly string[]): TypeFault[] {
  const operationId = /^(?:import \{| ) (\w+)/.exec(lines[fault.place.line - 1] ?? '')?.[1]
  if (operationId === undefined) return [fault]
  const text = readIfThere(handlerFile(operationId))
  if (text === undefined) return []
  const before = text.slice(0, Math.max(0, text.search(new RegExp(`export .*\\b${operationId}\\b`)))).split('\n')
  return [{ ...fault, place: { file: `src/handlers/${operationId}.ts`, line: before.length, column: 1 } }]
}
