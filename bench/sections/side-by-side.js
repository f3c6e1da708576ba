import { load } from '../harness/load.js'
import { startServer } from '../harness/servers.js'
import { summaries, summary } from '../harness/statistics.js'

export const scenarioNames = ['getPet', 'listPets', 'createPet']
export const figures = ['perSecond', 'cpuUs', 'p50Ms', 'p99Ms', 'loadBusy']

/**
 * Measures every contestant in every round, each time in a fresh process on a fresh copy of the database, and each
 * round beginning with another one. Gives, by name, the summaries of each scenario, of memory and of the cold start.
 */
export async function sideBySide(contestants, { database, plan, tell }) {
  const results = new Map(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < plan.rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(turn + round) % contestants.length]
      tell(`round ${round + 1} of ${plan.rounds}: ${contestant.name}`)
      results.get(contestant.name).push(await measure(contestant, { database, plan }))
    }
  }
  return Object.fromEntries(Array.from(results, ([name, rounds]) => [name, summarise(rounds)]))
}

async function measure(contestant, { database, plan: { warmUpS, durationS } }) {
  const server = await startServer(contestant, { database })
  try {
    const measured = {}
    for (const scenario of scenarioNames) {
      measured[scenario] = await load(server, { scenario, keys: database.keys.load, warmUpS, durationS })
    }
    return { ...measured, readyMs: server.readyMs, residentMb: server.residentMb() }
  } finally {
    await server.stop()
  }
}

function summarise(rounds) {
  const scenarios = scenarioNames.map((name) => [
    name,
    summaries(
      rounds.map((round) => round[name]),
      figures,
    ),
  ])
  return {
    ...Object.fromEntries(scenarios),
    readyMs: summary(rounds.map(({ readyMs }) => readyMs)),
    residentMb: summary(rounds.map(({ residentMb }) => residentMb)),
  }
}
