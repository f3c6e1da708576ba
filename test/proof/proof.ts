/*
 * npm run proof -- [--short] [--seed N] [--clients N]
 *
 * Runs two compiled processes on a PostgreSQL and a Redis of its own, behind a small load balancer, under mixed traffic,
 * while each of the two servers is stopped, frozen and restarted. Ends with 1 when an animal is lost that was
 * acknowledged, when an answer is wrong, when quotas are not exact, or when a request costs more than one round trip.
 * Takes some 75 seconds, with --short some 25. Without the servers it is skipped, or fails under REQUIRE_SERVERS=1.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '../../scripts/command-line/command.ts'
import type { Sent } from '../faults/client.ts'
import { percentile, randomFrom, table, whole } from '../faults/figures.ts'
import { hasPostgres } from '../support/servers/postgres-server.ts'
import { hasRedis } from '../support/servers/redis-server.ts'
import { audit, findEach } from './audit.ts'
import { startFleet, type Fleet } from './fleet.ts'
import { startLoad, type Load, type Reader } from './load.ts'
import { spendQuota } from './quota.ts'
import { countTrips, type Trips } from './trips.ts'

const options = command('proof', 'proves that nothing is lost over real servers that fail', ['--short', '--seed 7'])
  .option('--short', 'in less than half the time', false)
  .option('--seed <n>', 'what the traffic follows from', whole, Date.now() % 2 ** 32)
  .option('--clients <n>', 'clients that add animals at once', whole, 8)
  .parse()
  .opts<{ short: boolean; seed: number; clients: number }>()

/** In ms: mixed traffic without a fault, traffic before and after a fault, and how long a server is away. */
const times = options.short ? { calm: 1500, around: 200, away: 800 } : { calm: 5000, around: 1000, away: 5000 }
const limit = options.short ? 100 : 1000
const shownFaults = 20

const random = randomFrom(options.seed)
const readers: Reader[] = Array.from({ length: 2 }, () => ({ page: '/v1/pets?limit=100', seen: [] }))
const walk = { page: '/v1/pets?limit=100' }
const sent: Sent[] = []
const faults: string[] = []
const head = ['step', 'requests', 'acknowledged', 'lost', 'wrong', 'p99 ms', 'first 2xx ms', 'ready ms']
const rows: string[][] = []

if (hasPostgres && hasRedis()) await prove()
else {
  console.log('SKIPPED: needs PostgreSQL and redis-server, as from apt-get install postgresql redis-server')
  process.exitCode = process.env.REQUIRE_SERVERS === '1' ? 1 : 0
}

async function prove(): Promise<void> {
  console.log(`seed ${options.seed}, ${options.clients} clients, ${readers.length} readers of the list`)
  const fleet = await startFleet()
  try {
    const counted = await countTrips(fleet, random)
    sent.push(...counted.sent)
    for (const trips of counted.trips) faults.push(...costOf(trips))
    const address = await fleet.balance()

    await mixedTraffic(fleet, address)
    await quotas(fleet)
    for (const [server, name, mayRefuse] of [
      [fleet.postgres, 'PostgreSQL', true],
      [fleet.redis, 'Redis', false],
    ] as const) {
      const step = { fleet, address, mayRefuse }
      await fault(`${name} stopped`, step, server.kill, () => server.start())
      await fault(
        `${name} frozen`,
        step,
        async () => {
          server.freeze()
        },
        async () => {
          server.thaw()
        },
      )
      await fault(`${name} restarted`, step, undefined, async () => {
        await server.kill()
        await server.start()
      })
    }
    await quotas(fleet)
    console.log(table([head, ...rows]))
    console.log()
    console.log(table([['round trips per request', 'PostgreSQL', 'Redis'], ...counted.trips.map(tripsRow)]))
  } finally {
    await fleet.stop()
  }
  for (const one of faults.slice(0, shownFaults)) console.error(one)
  if (faults.length > shownFaults) console.error(`… and ${faults.length - shownFaults} more.`)
  process.exitCode = faults.length > 0 ? 1 : 0
}

async function mixedTraffic(fleet: Fleet, address: string): Promise<void> {
  const load = begin('calm', fleet, { address, mayRefuse: false })
  await sleep(times.calm)
  await load.stop()
  await judge('mixed traffic', fleet, load, { missing: await findEach(fleet, load.sent) })
}

async function quotas(fleet: Fleet): Promise<void> {
  const { requests, requestMs, wrong } = await spendQuota(fleet, limit)
  faults.push(...wrong)
  const p99 = percentile(requestMs, 99).toFixed(0)
  rows.push([`quota of ${limit}`, String(requests), '–', '–', String(wrong.length), p99, '–', '–'])
}

interface Step {
  fleet: Fleet
  address: string
  mayRefuse: boolean
}

/** Takes a server away under load, if it is to be away for a time, and gives it back. */
async function fault(
  name: string,
  { fleet, address, mayRefuse }: Step,
  take: (() => Promise<void>) | undefined,
  giveBack: () => Promise<void>,
): Promise<void> {
  const load = begin(name.replace(' ', '-'), fleet, { address, mayRefuse })
  await sleep(times.around)
  if (take) {
    await take()
    await sleep(times.away)
  }
  await giveBack()
  const backMs = performance.now()
  await fleet.untilReady()
  const readyMs = performance.now() - backMs
  await sleep(times.around)
  await load.stop()
  const firstMs = (load.acknowledgedAt.find((atMs) => atMs >= backMs) ?? NaN) - backMs
  await judge(name, fleet, load, { firstMs, readyMs })
}

function begin(name: string, { key }: Fleet, { address, mayRefuse }: Omit<Step, 'fleet'>): Load {
  return startLoad({ address, key, name, clients: options.clients, readers, known: [...sent], mayRefuse, random })
}

async function judge(
  name: string,
  fleet: Fleet,
  load: Load,
  { missing = [], firstMs, readyMs }: { missing?: string[]; firstMs?: number; readyMs?: number },
): Promise<void> {
  sent.push(...load.sent)
  const found = await audit(fleet, sent, readers, walk)
  const lost = [...missing, ...found.lost]
  const wrong = [...load.wrong, ...found.wrong]
  if (load.acknowledgedAt.length === 0 || Number.isNaN(firstMs)) wrong.push(`${name}: nothing is acknowledged.`)
  faults.push(...lost, ...wrong)
  const figures = [load.requestMs.length, load.acknowledgedAt.length, lost.length, wrong.length]
  const p99 = percentile(load.requestMs, 99)
  rows.push([name, ...figures.map(String), p99.toFixed(0), ...[firstMs, readyMs].map((ms) => ms?.toFixed(0) ?? '–')])
}

function costOf({ operation, postgres, redis }: Trips): string[] {
  return [
    ...(postgres === 1 ? [] : [`A ${operation} costs ${postgres} round trips to PostgreSQL.`]),
    ...(redis > 0 && redis <= 1 ? [] : [`A ${operation} costs ${redis} round trips to Redis.`]),
  ]
}

function tripsRow({ operation, postgres, redis, keyStatements }: Trips): string[] {
  return [operation, `${postgres.toFixed(2)} (and ${keyStatements} for keys)`, redis.toFixed(2)]
}
