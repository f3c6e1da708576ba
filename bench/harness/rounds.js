import { load } from './load.js'
import { startServer } from './servers.js'
import { summaries, summary } from './statistics.js'

/**
 * Measures every row once in each round, and each round begins with another row. What else a machine does is over in
 * some of many short rounds, and only ever adds to a cost. `start` gives servers by name; they are started anew after
 * some rounds, since a process is not like another. Gives the rows with the summaries of their figures, and those of
 * the servers by name.
 */
export async function inRounds({ rows, plan, tell, start, measure }) {
  const results = rows.map(() => [])
  const starts = new Map()
  let round = 0
  while (round < plan.rounds) {
    const servers = new Map()
    try {
      await start((name, server) => servers.set(name, server))
      const last = Math.min(round + plan.roundsPerStart, plan.rounds)
      for (; round < last; round++) {
        tell(`round ${round + 1} of ${plan.rounds}`)
        for (let turn = 0; turn < rows.length; turn++) {
          const index = (turn + round) % rows.length
          results[index].push(await measure(rows[index], servers))
        }
      }
      for (const [name, { readyMs, residentMb }] of servers) {
        starts.set(name, [...(starts.get(name) ?? []), { readyMs, residentMb: residentMb() }])
      }
    } finally {
      for (const server of servers.values()) await server.stop()
    }
  }
  return {
    rows: rows.map((row, index) => ({ ...row, ...summaries(results[index]) })),
    servers: Object.fromEntries(
      Array.from(starts, ([name, all]) => [
        name,
        { readyMs: summary(all.map((one) => one.readyMs)), residentMb: summary(all.map((one) => one.residentMb)) },
      ]),
    ),
  }
}

/** Starts a contestant, and lets it answer these scenarios for a while. */
export async function startWarm(contestant, { plan, database, scenarios, ...options }) {
  const server = await startServer(contestant, { database, ...options })
  const { keys, count: animals } = database
  for (const scenario of scenarios) {
    await load(server, { scenario, keys: keys.load, animals, durationS: plan.firstWarmUpS })
  }
  return server
}
