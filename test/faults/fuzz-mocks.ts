/*
 * npm run fuzz:mocks -- FOLDER [--requests N] [--seed N]
 *
 * Serves the mock of each contract in a folder, and sends it requests for its operations: made-up ones, and such with
 * parts that are broken, swapped, nested or left out. Ends with 1 when a mock does not start, answers 5xx other than the 501
 * of what it does not serve, answers nothing, ends, or has a fault in its log.
 */
import { join } from 'node:path'
import { command } from '../../scripts/command-line/command.ts'
import { readContract } from '../../src/contract/model/files/document.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import type { Operation } from '../../src/contract/model/operation.ts'
import { samplers } from '../../src/mock/sample.ts'
import { randomFrom, table, whole } from './figures.ts'
import { addKey, contractsIn, startMock, type Mock } from './mocks.ts'

const program = command('fuzz:mocks', 'sends odd requests to the mocks of contracts', ['contracts --seed 7'])
  .argument('<folder>', 'the folder of the contracts')
  .option('--requests <n>', 'how many requests for each contract', whole, 1000)
  .option('--seed <n>', 'what they send follows from', whole, Date.now() % 2 ** 32)
  .parse()
const options = program.opts<{ requests: number; seed: number }>()
const [folder = ''] = program.args

/** An answer that takes longer is none. */
const patienceMs = 5000
/** Requests at a time. */
const atOnce = 8

const random = randomFrom(options.seed)
const rows = [['contract', 'operations', 'ready, ms', 'slowest, ms', 'answers', 'faults']]
let failed = false
console.log(`seed ${options.seed}, ${options.requests} requests for each contract`)
for (const name of contractsIn(folder)) {
  const { row, faults } = await fuzz(join(folder, name))
  rows.push([name, ...row, String(faults.length)])
  for (const fault of faults.slice(0, 5)) console.error(`${name}: ${fault}`)
  failed ||= faults.length > 0
}
console.log(table(rows))
process.exitCode = failed ? 1 : 0

async function fuzz(file: string): Promise<{ row: string[]; faults: string[] }> {
  const { operations } = modelOf(readContract(file))
  const faults: string[] = []
  const beganMs = performance.now()
  const mock = await startMock(file)
  if (mock === undefined)
    return { row: [String(operations.length), '-', '-', '-'], faults: ['The mock does not start.'] }
  const readyMs = performance.now() - beganMs
  const statuses = new Map<string, number>()
  let slowestMs = 0
  let left = options.requests
  const play = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const operation = pick(operations)
      const { target, init } = requestOf(operation, mock)
      const sentMs = performance.now()
      try {
        const { status } = await fetch(target, { ...init, signal: AbortSignal.timeout(patienceMs) })
        const class_ = status === 501 ? '501' : `${Math.floor(status / 100)}xx`
        statuses.set(class_, (statuses.get(class_) ?? 0) + 1)
        if (status >= 500 && status !== 501 && !operation.statuses.includes(String(status)))
          faults.push(`${init.method} ${target} got ${status}: ${shortOf(init.body)}`)
      } catch (error) {
        faults.push(`${init.method} ${target} got no answer (${String(error)}): ${shortOf(init.body)}`)
      }
      slowestMs = Math.max(slowestMs, performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
  faults.push(...(await mock.stop()))
  const answers = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
  return { row: [String(operations.length), readyMs.toFixed(0), slowestMs.toFixed(0), answers.join(', ')], faults }
}

interface Sent {
  target: string
  init: { method: string; headers: Record<string, string>; body?: string }
}

/** A request for an operation: as its contract says in about a third of the cases, and spoilt in the others. */
function requestOf(
  { method, path, parameters, body, security, serverPath = '' }: Operation,
  { address, key }: Mock,
): Sent {
  const headers: Record<string, string> = {}
  const query: string[] = []
  addKey({ headers, query }, security, key)
  for (const parameter of parameters) {
    if (random() < 0.3) continue
    const text = random() < 0.2 ? scalar() : scalarOf(made(parameter.schema))
    if (parameter.in === 'query')
      query.push(`${encodeURIComponent(parameter.name)}${pick(['', '[]', '[a][b]', '[0]'])}=${encoded(text)}`)
    if (parameter.in === 'header')
      headers[parameter.name.replace(/[^\w-]/g, 'x')] = text.replace(/[^\x20-\x7e]/g, '?').trim()
    if (parameter.in === 'cookie' && !('Cookie' in headers)) headers.Cookie = `${parameter.name}=${encoded(text)}`
  }
  if (random() < 0.2) query.push(pick(['a=1', 'a', '=', '&&', '%', 'a[b=1', `x=${'y'.repeat(2000)}`]))
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema
    return encoded(random() < 0.2 ? scalar() : scalarOf(made(schema))) || '1'
  })
  const target = `${address}${serverPath}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const init: Sent['init'] = { method: method.toUpperCase(), headers }
  if (init.method === 'TRACE') init.method = 'GET'
  if (body && init.method !== 'GET' && init.method !== 'HEAD') {
    const media = body.content.length > 0 ? pick(body.content) : undefined
    headers['Content-Type'] = random() < 0.9 ? (media?.name ?? 'text/plain').replaceAll('*', 'x') : 'text/odd'
    init.body = spoilt(jsonOf(made(media?.schema)))
  }
  return { target, init }
}

function made(schema: Operation['parameters'][number]['schema']): unknown {
  if (!schema) return 'a'
  try {
    return pick(samplers(schema).slice(0, 4))()
  } catch {
    return 'a'
  }
}

/** A body, half of the time with some of its text broken, doubled, nested or cut. */
function spoilt(text: string): string {
  if (random() < 0.5) return text
  const at = Math.floor(random() * text.length)
  return pick([
    text.slice(0, at),
    text.slice(0, at) + pick(['{', '[', '"', '1e400', 'null', ',', '\\ud800', '"__proto__":{},']) + text.slice(at),
    '['.repeat(600) + ']'.repeat(600),
    '{"a":'.repeat(600) + '1' + '}'.repeat(600),
    text.replace(/\d+/g, () => pick(['-1', '99999999999999999999', '0.1', '1e5', '"1"'])),
    text.replace(/"[^"]*"/g, (one) =>
      pick([one, one, one, 'null', '"\\u0000"', `"${'a'.repeat(300)}"`, '{}', '[]', 'true']),
    ),
    `[${text}]`,
    'null',
  ])
}

function scalar(): string {
  return pick([
    '1',
    '-1',
    '0',
    'a',
    'true',
    '',
    ' ',
    '9'.repeat(30),
    '1e9',
    'null',
    'ä',
    '\u0000',
    '..',
    '/',
    'a,b|c d',
    '{"a":1}',
    '2026-11-30',
    'x'.repeat(500),
  ])
}

function scalarOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonOf(value) : String(value)
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one))
}

function encoded(text: string): string {
  return random() < 0.9 ? encodeURIComponent(text) : text.replace(/[^\w.~,|-]/g, '%')
}

function shortOf(body = ''): string {
  return JSON.stringify(body.slice(0, 300))
}

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}
