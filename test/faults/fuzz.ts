/*
 * npm run fuzz -- [--connections N] [--seed N]
 *
 * Sends broken, halved, odd and reset requests to the compiled service, with valid ones between them. Ends with 1 when a
 * valid one gets a wrong answer, anything gets a 5xx, or the service keeps descriptors, memory or a fault in its log.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '../../scripts/command-line/command.ts'
import { list, shown } from './audit.ts'
import { bodyOf, newPet, type Sent } from './client.ts'
import { randomFrom, table, whole } from './figures.ts'
import { attack, type Attack } from './hostile.ts'
import { endAll, makeKey, startService } from './service.ts'

const options = command('fuzz', 'sends what is no request to the service, and valid requests', ['--seed 7'])
  .option('--connections <n>', 'how many connections', whole, 50_000)
  .option('--seed <n>', 'what they send follows from', whole, Date.now() % 2 ** 32)
  .parse()
  .opts<{ connections: number; seed: number }>()

/** Connections at a time, of which each eighth one sends valid requests. */
const atOnce = 64
const validShare = 1 / 8
/** How long an answer to what may be no request is waited for. */
const patienceMs = 200
/** How much more memory is no growth: what a collection has not freed yet. */
const flatBytes = 100 * 2 ** 20

const random = randomFrom(options.seed)
const folder = mkdtempSync(join(tmpdir(), 'animal-store-fuzz-'))
const backing = { DATABASE_URL: `sqlite:${join(folder, 'store.db')}` }
const sent: Sent[] = []
const faults: string[] = []
const statuses = new Map<number, number>()
console.log(`seed ${options.seed}, ${options.connections} connections`)
try {
  const key = await makeKey(backing)
  const service = await startService(backing)
  const port = Number(new URL(service.address).port)
  // what is loaded and compiled once
  await play(port, key, Math.min(2000, options.connections))
  const before = await restOf(service.pid)
  await play(port, key, options.connections)
  const after = await restOf(service.pid)
  if (after.descriptors > before.descriptors)
    faults.push(`The service has ${after.descriptors} descriptors, and had ${before.descriptors}.`)
  if (after.memory - before.memory > flatBytes)
    faults.push(`The service takes ${mebibytes(after.memory)}, and took ${mebibytes(before.memory)}.`)
  faults.push(...service.errors)
  const { pets } = await list(service.address, key, '/v1/pets?limit=100')
  const missing = sent.filter((one) => one.id !== undefined && !pets.includes(shown(one)))
  if (missing.length > 0 || pets.length !== sent.length)
    faults.push(`${pets.length} animals are listed, ${sent.length} were added, and ${missing.length} are missing.`)
  console.log(summary(before, after))
} finally {
  await endAll()
  rmSync(folder, { recursive: true })
}
for (const fault of faults.slice(0, 20)) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

async function play(port: number, key: string, connections: number): Promise<void> {
  let left = connections
  const one = async (): Promise<void> => {
    while (left > 0 && faults.length < 20) {
      left -= 1
      if (random() < validShare) await sendValid(port, key)
      else await sendHostile(port, attack(key, random))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** Adds an animal and reads two lists on one connection, all of it sent at once. */
async function sendValid(port: number, key: string): Promise<void> {
  const one = newPet(`f${sent.length}`, random)
  sent.push(one)
  const body = bodyOf(one)
  const head = ['Host: a', `Authorization: Bearer ${key}`]
  const bytes = [
    ...['POST /v1/pets HTTP/1.1', ...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, ''],
    `${body}GET /v1/pets?limit=1 HTTP/1.1`,
    ...[...head, '', 'GET /v1/pets?limit=2 HTTP/1.1', ...head, 'Connection: close', '', ''],
  ].join('\r\n')
  const answers = answersOf(await talk(port, { name: 'valid', pieces: [Buffer.from(bytes)], then: 'wait' }, 60_000))
  const [added, first, second] = answers
  const id = /^\{"id":(\d+),/.exec(added?.body ?? '')?.[1]
  one.id = id === undefined ? undefined : BigInt(id)
  const isRight =
    answers.length === 3 &&
    added?.status === 201 &&
    added.body === `{"id":${one.id},${body.slice(1)}` &&
    first?.status === 200 &&
    countOf(first.body) === 1 &&
    second?.status === 200 &&
    [1, 2].includes(countOf(second.body))
  if (!isRight) faults.push(`${one.name} got ${JSON.stringify(answers)}`)
}

async function sendHostile(port: number, one: Attack): Promise<void> {
  const text = await talk(port, one, patienceMs)
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1)
    if (Number(status) >= 500)
      faults.push(`${one.name} got ${status}: ${JSON.stringify(String(Buffer.concat(one.pieces)))}`)
  }
}

/** What a connection answers until it ends, or until the client does not wait any longer. */
function talk(port: number, { pieces, then }: Attack, waitMs: number): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (text += chunk))
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      resolve(text)
    })
    socket.setTimeout(waitMs, () => socket.destroy())
    socket.on('connect', () => {
      const [last, ...earlier] = pieces.toReversed()
      for (const piece of earlier.reverse()) socket.write(piece)
      socket.write(last ?? '', () => {
        if (then === 'reset') socket.resetAndDestroy()
        else if (then === 'close') socket.end()
      })
    })
  })
}

function answersOf(text: string): { status: number; body: string }[] {
  const answers: { status: number; body: string }[] = []
  for (let rest = text; rest.startsWith('HTTP/1.1 ');) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const length = Number(/\r\nContent-Length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0)
    answers.push({ status: Number(rest.slice(9, 12)), body: rest.slice(end, end + length) })
    rest = rest.slice(end + length)
  }
  return answers
}

function countOf(body: string | undefined): number {
  return body?.match(/"id":/g)?.length ?? 0
}

/** What a process has when its connections are closed: descriptors, and memory in bytes. */
async function restOf(pid: number): Promise<{ descriptors: number; memory: number }> {
  // requests that never end are cut after their time
  let descriptors = Infinity
  for (let tries = 0; tries < 40; tries += 1) {
    await sleep(500)
    const now = readdirSync(`/proc/${pid}/fd`).length
    if (now === descriptors && tries > 3) break
    descriptors = now
  }
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return { descriptors, memory: pages * 4096 }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`
}

type Rest = Awaited<ReturnType<typeof restOf>>

function summary(before: Rest, after: Rest): string {
  return table([
    ['valid connections', 'faults', 'descriptors', 'memory', 'answers to the others'],
    [
      String(sent.length),
      String(faults.length),
      `${before.descriptors} -> ${after.descriptors}`,
      `${mebibytes(before.memory)} -> ${mebibytes(after.memory)}`,
      [...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ],
  ])
}
