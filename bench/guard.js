/*
 * node bench/guard.js
 *
 * Fails when this service has become slow: compares the CPU time of a request with that of node:http by hand, both in
 * each short round, and takes the median of the ratios. Needs `npm run build` before, and no packages of the bench's own.
 * Takes a minute, and up to three where it is not sure.
 */
import { join } from 'node:path'
import { byHand, ours } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { load, stopLoads } from './harness/load.js'
import { temporaryFolder } from './harness/processes.js'
import { startServer } from './harness/servers.js'
import { summary } from './harness/statistics.js'

/** The least that node:http by hand may cost in parts of what this service costs. */
const floors = { getPet: 0.7, listPets: 0.75, createPet: 0.45 }
const times = { warmUpS: 0.05, durationS: 0.25 }
const rounds = 24
const mostRounds = 96

const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
const servers = []
try {
  for (const contestant of [ours, byHand]) servers.push(await startServer(contestant, { database }))
  let failed = 0
  for (const [scenario, floor] of Object.entries(floors)) {
    await measure(scenario, 0) // warms up
    const { median, q1, q3, round } = await compare(scenario, floor)
    const passed = median >= floor
    if (!passed) failed++
    console.log(
      `${passed ? 'ok' : 'SLOW'}  ${scenario} ${median.toFixed(2)} (${q1.toFixed(2)}–${q3.toFixed(2)}) of node:http by hand, ` +
        `at least ${floor} needed, in ${round} rounds`,
    )
  }
  console.log(`${Object.keys(floors).length - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
} finally {
  for (const server of servers) await server.stop()
  await stopLoads()
}

/** The ratios of some rounds, and of more where they are not enough. */
async function compare(scenario, floor) {
  const ratios = []
  for (;;) {
    ratios.push(await measure(scenario, ratios.length))
    const found = { ...summary(ratios), round: ratios.length }
    if (ratios.length === mostRounds || (ratios.length >= rounds && found.median >= floor)) return found
  }
}

/** What a request costs the other in parts of what it costs this service, both one after another, in changing order. */
async function measure(scenario, round) {
  const costs = []
  for (const place of round % 2 === 0 ? [0, 1] : [1, 0]) {
    costs[place] = (await load(servers[place], { scenario, keys: database.keys.load, ...times })).costUs
  }
  return costs[1] / costs[0]
}
