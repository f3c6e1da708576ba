/*
 * npm run faults -- [--rounds N] [--seed N] [--connections N]
 *
 * Kills the compiled service with SIGKILL at random moments under load, on one store file, and looks after each round
 * whether everything that was acknowledged is there. So does a copy of the files as they were in the middle of the load,
 * with half a write behind them, as a power cut leaves them. Ends with 1 when anything is lost, doubled or damaged.
 */
import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '../../scripts/command-line/command.ts'
import { audit, list, shown, type Progress } from './audit.ts'
import { newPet, post, type Sent } from './client.ts'
import { percentile, randomFrom, table, whole } from './figures.ts'
import { endAll, makeKey, startService } from './service.ts'

const options = command('faults', 'kills the service under load and looks for what is lost', ['--rounds 5', '--seed 7'])
  .option('--rounds <n>', 'how often', whole, 50)
  .option('--seed <n>', 'what the random moments follow from', whole, Date.now() % 2 ** 32)
  .option('--connections <n>', 'clients that send at once', whole, 16)
  .parse()
  .opts<{ rounds: number; seed: number; connections: number }>()

const random = randomFrom(options.seed)
const folder = mkdtempSync(join(tmpdir(), 'animal-store-faults-'))
const file = join(folder, 'store.db')
const backing = { DATABASE_URL: `sqlite:${file}` }
const sent: Sent[] = []
const faults: string[] = []
let progress: Progress = { id: 0n, page: '/v1/pets?limit=100' }
const times: { restartMs: number[]; requestMs: number[] } = { restartMs: [], requestMs: [] }
console.log(`seed ${options.seed}, ${options.rounds} rounds, ${options.connections} connections`)
try {
  const key = await makeKey(backing)
  for (let round = 1; round <= options.rounds && faults.length === 0; round += 1) await playRound(round, key)
  console.log(summary())
} finally {
  await endAll()
  rmSync(folder, { recursive: true })
}
for (const fault of faults.slice(0, 20)) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

/** Load, a kill, a restart, the requests without an answer again, and a look at everything. */
async function playRound(round: number, key: string): Promise<void> {
  const service = await startService(backing)
  times.restartMs.push(service.readyMs)
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const load = Array.from({ length: options.connections }, (_, client) => keepSending(round, client))
  // from the first moments, in which connections are made, to long after them
  await sleep(Math.round(random() ** 2 * 2000))
  process.kill(service.pid, 'SIGSTOP')
  const acknowledged = sent.filter(({ id }) => id !== undefined).map(shown)
  const cut = copyAsCut(round)
  service.kill()
  await Promise.all(load)
  await service.ended
  agent.destroy()

  const again = await startService(backing)
  times.restartMs.push(again.readyMs)
  for (const one of sent.filter(({ id }) => id === undefined)) await post(again.address, { key, one })
  const findings = await audit(file, sent, { address: again.address, key, round, before: progress })
  progress = findings.progress
  faults.push(...findings.faults)
  again.kill()
  await again.ended
  await startAfterCut(cut, acknowledged, key)

  async function keepSending(round: number, client: number): Promise<void> {
    for (let count = 0; ; count += 1) {
      const one: Sent = newPet(`${round}-${client}-${count}`, random)
      sent.push(one)
      const beganMs = performance.now()
      if (!(await post(service.address, { key, one, agent }))) return
      times.requestMs.push(performance.now() - beganMs)
    }
  }
}

/** Copies the files of a stopped process, and a torn write behind its log. */
function copyAsCut(round: number): string {
  const cut = join(folder, `cut-${round}.db`)
  for (const end of ['', '-wal']) copyFileSync(file + end, cut + end)
  appendFileSync(`${cut}-wal`, Buffer.from(Array.from({ length: 1 + random() * 4000 }, () => random() * 256)))
  return cut
}

async function startAfterCut(cut: string, acknowledged: readonly string[], key: string): Promise<void> {
  const service = await startService({ DATABASE_URL: `sqlite:${cut}` })
  const listed = new Set((await list(service.address, key, '/v1/pets?limit=100')).pets)
  const lost = acknowledged.filter((one) => !listed.has(one))
  faults.push(...lost.map((one) => `${one} is lost after a power cut.`))
  service.kill()
  await service.ended
  for (const end of ['', '-wal', '-shm']) rmSync(cut + end, { force: true })
}

function summary(): string {
  const lost = faults.length
  return table([
    ['rounds', 'acknowledged', 'lost or wrong', 'restart p50', 'restart p99', 'request p99'],
    [
      String(times.restartMs.length / 2),
      String(sent.filter(({ id }) => id !== undefined).length),
      String(lost),
      ...[percentile(times.restartMs, 50), percentile(times.restartMs, 99)].map((ms) => `${ms.toFixed(0)} ms`),
      `${percentile(times.requestMs, 99).toFixed(1)} ms`,
    ],
  ])
}
