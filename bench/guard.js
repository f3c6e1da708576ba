/*
 * node bench/guard.js
 *
 * Fails when this service has become slow: compares the CPU time of a request with that of node:http by hand, in the
 * same run and on the same machine. Needs `npm run build` before, and no packages of the bench's own. Takes a minute,
 * and up to three where it is not sure.
 */
import { join } from 'node:path'
import { byHand, ours } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { load, stopLoads } from './harness/load.js'
import { temporaryFolder } from './harness/processes.js'
import { startServer } from './harness/servers.js'

/** The least that node:http by hand may cost in parts of what this service costs. */
const floors = { getPet: 0.8, listPets: 0.8, createPet: 0.5 }
/** Half-second rounds: a machine that others use is disturbed for longer, and leaves some of them alone. */
const times = { warmUpS: 0.2, durationS: 0.5 }
const rounds = 12
const mostRounds = 36

const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
const servers = []
try {
  for (const contestant of [ours, byHand]) servers.push(await startServer(contestant, { database }))
  let failed = 0
  for (const [scenario, floor] of Object.entries(floors)) {
    const { ratio, costs, round } = await compare(scenario, floor)
    const passed = ratio >= floor
    if (!passed) failed++
    const [own, other] = costs.map((cost) => `${cost.toFixed(1)} µs`)
    console.log(
      `${passed ? 'ok' : 'SLOW'}  ${scenario} ${ratio.toFixed(2)} of node:http by hand, at least ${floor} needed ` +
        `(${own} against ${other} in the quietest of ${round} rounds)`,
    )
  }
  console.log(`${Object.keys(floors).length - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
} finally {
  for (const server of servers) await server.stop()
  await stopLoads()
}

/** What a request costs each of both in its quietest round: what disturbs a machine only ever adds to it. */
async function compare(scenario, floor) {
  const costs = servers.map(() => Infinity)
  for (let round = 1; ; round++) {
    for (const [index, server] of servers.entries()) {
      const { cpuUs, perSecond } = await load(server, { scenario, keys: database.keys.load, ...times })
      costs[index] = Math.min(costs[index], cpuUs ?? 1e6 / perSecond)
    }
    const ratio = costs[1] / costs[0]
    if (round === mostRounds || (round >= rounds && ratio >= floor)) return { ratio, costs, round }
  }
}
