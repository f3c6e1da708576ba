import { startBacking } from '../harness/backing.js'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { cores } from '../harness/machine.js'
import { startServer } from '../harness/servers.js'
import { summaries, summary } from '../harness/statistics.js'
import { scenarioNames } from './side-by-side.js'

/** The servers and two processes share the cores with the load. */
const anywhere = cores && `${cores.server},${cores.load}`

/** One and two processes on PostgreSQL and Redis; undefined where these are not installed. */
export async function postgres({ database, plan, tell }) {
  const backing = await startBacking(database)
  if (backing === undefined) return undefined
  const servers = []
  try {
    while (servers.length < 2) {
      servers.push(await startServer(ours, { database, env: backing.env, core: anywhere }))
    }
    const rows = [1, 2].flatMap((processes) => scenarioNames.map((scenario) => ({ processes, scenario, results: [] })))
    const residentMb = []
    for (let round = 0; round < plan.rounds; round++) {
      for (const { processes, scenario, results } of rows) {
        tell(`round ${round + 1} of ${plan.rounds}: ${scenario}, ${processes} processes on PostgreSQL and Redis`)
        results.push(await measure(servers.slice(0, processes), { backing, database, plan, scenario }))
      }
      residentMb.push(...servers.map((server) => server.residentMb()))
    }
    const figures = ['perSecond', 'cpuUs', 'postgresCpuUs', 'redisCpuUs', 'p50Ms', 'p99Ms']
    return {
      date: new Date().toISOString().slice(0, 10),
      plan,
      rows: rows.map(({ results, ...row }) => ({ ...row, ...summaries(results, figures) })),
      residentMb: summary(residentMb),
    }
  } finally {
    for (const server of servers) await server.stop()
    await backing.stop()
  }
}

/** The connections are shared out among the processes. */
async function measure(servers, { backing, database, plan: { connections, warmUpS, durationS }, scenario }) {
  const keys = database.keys.load
  const loads = (seconds) =>
    Promise.all(
      servers.map((server) =>
        load(server, { scenario, keys, connections: connections / servers.length, durationS: seconds }),
      ),
    )
  await loads(warmUpS)
  const before = await backing.cpuUs()
  const results = await loads(durationS)
  const cost = backing.costUs(before, await backing.cpuUs())
  const answered = results.reduce((total, result) => total + result.answered, 0)
  return {
    perSecond: results.reduce((total, { perSecond }) => total + perSecond, 0),
    cpuUs: results.reduce((total, result) => total + result.cpuUs * result.answered, 0) / answered,
    postgresCpuUs: cost.postgres / answered,
    redisCpuUs: cost.redis / answered,
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  }
}
