/*
 * npm run survey -- FOLDER [--calls N]
 *
 * Serves the mock of each contract in a folder, sends valid requests to each of its operations, 30 if nothing else is said,
 * and prints a table of what is served, what was answered and what was refused. Whether requests and answers are valid,
 * says a validator that is not of this project. Ends with 1 when a mock does not start, an answer is not valid, or a valid
 * request is refused.
 */
import { join } from 'node:path'
import { command } from '../../scripts/command-line/command.ts'
import { lintContract } from '../../scripts/workshop/lint/lint.ts'
import { readContract, type ContractDocument } from '../../src/contract/model/files/document.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import type { Operation } from '../../src/contract/model/operation.ts'
import { unservedByMock } from '../../src/contract/rules/coverage.ts'
import { table, whole } from '../faults/figures.ts'
import { contractsIn, startMock, type Mock } from '../faults/mocks.ts'
import { judge, type Judge, type Judged } from './judge.ts'
import { requestOf, type Request } from './requests.ts'

const program = command('survey', 'Ask the mocks of contracts, and check their answers', ['contracts'])
  .argument('<folder>', 'the folder of the contracts')
  .option('--calls <n>', 'how many requests for each operation', whole, 30)
  .parse()
const { calls } = program.opts<{ calls: number }>()
const [folder = ''] = program.args

/** Requests at a time. */
const atOnce = 8
/** An answer of the road, which refuses a request; any other is made up from the contract. */
const isRefusal = ({ isMocked, status }: Answered): boolean => !isMocked && status >= 400 && status < 500

const judged = await judge()
if ('missing' in judged) {
  console.error(judged.missing)
  process.exitCode = 2
} else {
  const rows = [
    ['contract', 'version', 'errors', 'operations', 'served', 'asked', 'valid', 'invalid', 'refused', 'mock'],
  ]
  let failed = false
  for (const name of contractsIn(folder)) {
    const { row, faults } = await survey(name, judged).catch((error: unknown) => {
      return { row: ['-', '-', '-', '-', '-', '-', '-', '-', 'not read'], faults: [String(error)] }
    })
    rows.push([name, ...row])
    console.error([name, ...row].join('  '))
    // one of a kind
    const kinds = new Map(faults.map((fault) => [fault.slice(0, 60), fault]))
    for (const fault of [...kinds.values()].slice(0, 8)) console.error(`  ${fault}`)
    failed ||= faults.length > 0
  }
  console.log(table(rows))
  process.exitCode = failed ? 1 : 0
}

interface Answered {
  request: Request
  operation: Operation
  status: number
  /** Whether it was made up from the contract. */
  isMocked: boolean
  type: string
  text: string
}

async function survey(name: string, judge: Judge): Promise<{ row: string[]; faults: string[] }> {
  const file = join(folder, name)
  const contract = readContract(file)
  const { operations, info } = modelOf(contract)
  const findings = await lintContract(file, { today: new Date().toISOString().slice(0, 10) })
  const unserved = unservedByMock(contract)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const all = operations.length + unserved.others.length
  const served = operations.filter((one) => !unserved.operations.has(one))
  const share = `${Math.floor((100 * served.length) / Math.max(all, 1))} %`
  const first = [info.version, String(errors), String(all), share]
  const mock = await startMock(file)
  if (!mock) return { row: [...first, '-', '-', '-', '-', 'no start'], faults: ['The mock does not start.'] }
  const answered = await ask(served, mock)
  const faults = await mock.stop()
  const refused = await refusedOf(contract, judge, answered)
  const { valid, invalid } = await validityOf(contract, judge, answered)
  const asked = new Set(answered.map(({ operation }) => operation)).size
  const row = [...first, ...[asked, valid, invalid.length, refused.length].map(String), 'starts']
  return { row, faults: [...faults, ...invalid, ...refused] }
}

/** Sends the requests. An answer of 501 is one that could not be made up. */
async function ask(operations: readonly Operation[], mock: Mock): Promise<Answered[]> {
  const left = operations.flatMap((operation) => Array.from({ length: calls }, (_, number) => ({ operation, number })))
  const answered: Answered[] = []
  const play = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { operation, number } = next
      const request = operation.method === 'trace' ? undefined : requestOf(operation, mock, number)
      if (!request) continue
      const codes = operation.statuses.filter((status) => /^[2-5]\d\d$/.test(status))
      const code = number % 3 === 0 ? undefined : codes[number % Math.max(codes.length, 1)]
      if (code !== undefined) request.init.headers.Prefer = `code=${code}`
      const response = await fetch(request.target, { ...request.init, redirect: 'manual' })
      const { status, headers } = response
      const type = headers.get('content-type') ?? ''
      const text = await response.text()
      const isMocked = headers.has('x-mock')
      if (isMocked || status !== 501) answered.push({ request, operation, status, type, text, isMocked })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
  return answered
}

/** The requests that were refused, and of which each part is valid. */
async function refusedOf(contract: ContractDocument, judge: Judge, answered: readonly Answered[]): Promise<string[]> {
  const refused = answered.filter(isRefusal)
  const parts = refused.flatMap(({ request }) => request.parts)
  const said = parts.length > 0 ? await judge(contract, parts) : []
  const faults = new Map(parts.map((part, index) => [part, said[index] ?? null]))
  return refused
    .filter(({ request }) => request.parts.every((part) => faults.get(part) === null))
    .map(({ request: { init, target }, status, text }) => {
      const sent = `${init.method} ${target} ${init.body?.slice(0, 200) ?? ''}`
      return `refused: ${sent} got ${status}: ${text.slice(0, 300)}`
    })
}

/** How many answers are valid, and why others are not. Of those that are no JSON, the contract must know the status. */
async function validityOf(
  contract: ContractDocument,
  judge: Judge,
  answered: readonly Answered[],
): Promise<{ valid: number; invalid: string[] }> {
  const invalid: string[] = []
  const bodies: { answer: Answered; judged: Judged }[] = []
  const others = answered.filter((one) => !isRefusal(one))
  for (const answer of others) {
    const { operation, status, type, text } = answer
    const { responses } = operation
    const declared = responses.get(String(status)) ?? responses.get(`${String(status).charAt(0)}XX`)
    const response = declared ?? responses.get('default')
    const media = response?.content.find((one) => one.type === type.split(';')[0]?.trim().toLowerCase())
    if (!response) invalid.push(`${operation.name} answers ${status}, which is not declared.`)
    else if (media?.kind === 'json' && media.schema && operation.method !== 'head' && status !== 304)
      bodies.push({ answer, judged: { at: media.schema.at, way: 'answer', text } })
  }
  const said =
    bodies.length > 0
      ? await judge(
          contract,
          bodies.map((one) => one.judged),
        )
      : []
  for (const [index, { answer }] of bodies.entries()) {
    const why = said[index] ?? null
    if (why !== null)
      invalid.push(`invalid: ${answer.operation.name} ${answer.status}: ${why} in ${answer.text.slice(0, 200)}`)
  }
  return { valid: others.length - invalid.length, invalid }
}
