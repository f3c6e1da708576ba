/*
 * node bench/guard.js
 *
 * Fails when this service has become slow: compares it with node:http by hand, in the same run and on the same machine,
 * and takes the best of three ratios. Needs `npm run build` before, and no packages of the bench's own. Takes half a
 * minute.
 */
import { join } from 'node:path'
import { byHand, ours } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { load } from './harness/load.js'
import { temporaryFolder } from './harness/processes.js'
import { startServer } from './harness/servers.js'

/** The lowest part of the requests/s of node:http by hand that is let through. */
const floor = 0.6
const rounds = 3
const times = { warmUpS: 0.5, durationS: 1.2 }

const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
const servers = []
try {
  for (const contestant of [ours, byHand]) servers.push(await startServer(contestant, { database }))
  let failed = 0
  for (const scenario of ['getPet', 'listPets']) {
    const best = Math.max(...(await ratios(scenario)))
    const passed = best >= floor
    if (!passed) failed++
    console.log(
      `${passed ? 'ok' : 'SLOW'}  ${scenario} ${best.toFixed(2)} of node:http by hand, at least ${floor} needed`,
    )
  }
  console.log(`${2 - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
} finally {
  for (const server of servers) await server.stop()
}

async function ratios(scenario) {
  const found = []
  for (let round = 0; round < rounds; round++) {
    const rates = []
    for (const server of servers) {
      const { perSecond } = await load(server, { scenario, keys: database.keys.load, ...times })
      rates.push(perSecond)
    }
    found.push(rates[0] / rates[1])
  }
  return found
}
