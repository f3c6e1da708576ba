/*
 * node bench/load.js CONFIG
 *
 * Sends requests over a fixed number of connections, one at a time on each, and prints what came of it as JSON. CONFIG
 * is JSON: port, pid (of the server), scenario (a name in harness/scenarios.js), keys, connections, warmUpS, durationS
 * or total (a number of requests), perSecond for a load that is not full, and what the scenario takes besides. Without CONFIG, and with an IPC channel, it
 * takes one configuration after another from there: a process that lives on is warm.
 */
import { cpuUs } from './harness/machine.js'
import { openConnections } from './harness/connections.js'
import { scenarios } from './harness/scenarios.js'

const longestS = 600
const stuckMs = 10_000

if (process.argv[2] !== undefined) {
  console.log(JSON.stringify(await measure(JSON.parse(process.argv[2]))))
} else {
  process.on('message', async (config) => {
    try {
      process.send({ result: await measure(config) })
    } catch (error) {
      process.send({ failure: error.message })
    }
  })
}

async function measure({
  connections = 32,
  warmUpS = 0,
  durationS = longestS,
  total = Infinity,
  perSecond,
  ...config
}) {
  const { accepts, requests } = scenarios[config.scenario]
  const load = await openConnections({
    port: config.port,
    count: connections,
    requestOf: requests(config),
    accepts,
    stuckMs,
  })
  try {
    if (warmUpS > 0) await load.run(warmUpS, Infinity, perSecond)
    const before = cpuUs(config.pid)
    const ownBefore = process.cpuUsage()
    const result = await load.run(durationS, total, perSecond)
    const own = process.cpuUsage(ownBefore)
    const after = cpuUs(config.pid)
    const { answered, seconds } = result
    const cpu = before === undefined || after === undefined ? undefined : (after - before) / answered
    return {
      answered,
      perSecond: answered / seconds,
      cpuUs: cpu,
      costUs: cpu ?? (1e6 * seconds) / answered,
      p50Ms: percentile(result, 0.5),
      p99Ms: percentile(result, 0.99),
      loadBusy: (own.user + own.system) / 1e6 / seconds,
      loadUs: (own.user + own.system) / answered,
      statuses: Object.fromEntries([...result.statuses.entries()].filter(([, count]) => count > 0)),
      sample: result.sample,
    }
  } finally {
    load.close()
  }
}

function percentile({ histogram, answered }, share) {
  let seen = 0
  for (let index = 0; index < histogram.length; index++) {
    seen += histogram[index]
    if (seen >= answered * share) return (index + 0.5) / 100
  }
  return histogram.length / 100
}
