import { load } from './load.js'
import { startServer } from './servers.js'
import { ratios, rowOf, summaries, summary } from './statistics.js'
import { watchMachine } from './quiet.js'

/**
 * Measures every row once in each round. The rows that are compared with one another are measured one after another, in
 * an order that changes with each round: what else the machine does then meets all of them alike, and a ratio is formed
 * within a round. `base` gives the values of the row that a row is compared with. `start` gives servers by name; they are
 * started anew after some rounds, since a process is not like another.
 *
 * Gives the rows with the summaries of their figures and `times`, the summaries of their ratios; the servers by name; and
 * how quiet the machine was.
 */
export async function inRounds({ rows, base, plan, tell, start, measure }) {
  const results = rows.map(() => [])
  const starts = new Map()
  const groups = groupsOf(rows, base)
  const machine = await watchMachine()
  let round = 0
  while (round < plan.rounds) {
    const servers = new Map()
    try {
      await start((name, server) => servers.set(name, server))
      const last = Math.min(round + plan.roundsPerStart, plan.rounds)
      for (; round < last; round++) {
        tell(`round ${round + 1} of ${plan.rounds}`)
        await machine.round()
        for (const index of turned(groups, round).flatMap((group) => turned(group, round))) {
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
    rows: rows.map((row, index) => ({
      ...row,
      ...summaries(results[index]),
      times: ratios(results[index], results[rows.indexOf(rowOf(rows, base(row)))]),
    })),
    servers: Object.fromEntries(
      Array.from(starts, ([name, all]) => [
        name,
        { readyMs: summary(all.map((one) => one.readyMs)), residentMb: summary(all.map((one) => one.residentMb)) },
      ]),
    ),
    quiet: await machine.stop(),
  }
}

/** The places of rows with the same base. */
function groupsOf(rows, base) {
  const groups = new Map()
  for (const [index, row] of rows.entries()) {
    const of = rowOf(rows, base(row))
    groups.set(of, [...(groups.get(of) ?? []), index])
  }
  return [...groups.values()]
}

/** The items, beginning with another one each time, and every other time backwards. */
function turned(items, by) {
  const at = by % items.length
  const all = [...items.slice(at), ...items.slice(0, at)]
  return by % 2 === 0 ? all : all.toReversed()
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
