import { ours } from '../harness/contestants.js'
import { idleMemory } from '../harness/idle.js'
import { load } from '../harness/load.js'
import { table } from '../harness/markdown.js'
import { startServer } from '../harness/servers.js'

const steps = 10
const idleConnections = 10_000

/** Resident memory while many callers send requests, after each tenth of them, and with many idle connections. */
export async function measure({ databaseOf, plan: { memoryRequests: requests }, tell }) {
  const database = await databaseOf(1000)
  const many = await manyCallers(database, requests, tell)
  tell(`${idleConnections} idle connections`)
  return { ...many, idle: await idleMemory(ours, { database, connections: idleConnections }) }
}

async function manyCallers(database, requests, tell) {
  const server = await startServer(ours, { database, env: { TRUST_PROXY: '1' } })
  try {
    const startMb = server.residentMb()
    const residentMb = []
    const statuses = {}
    const total = requests / steps
    for (let step = 0; step < steps; step++) {
      tell(`${total * (step + 1)} of ${requests} requests`)
      const result = await load(server, { scenario: 'strangers', keys: database.keys.load, total, first: total * step })
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
      residentMb.push(server.residentMb())
    }
    return { requests, startMb, residentMb, statuses }
  } finally {
    await server.stop()
  }
}

export function report({ requests, startMb, residentMb, statuses, idle }) {
  const answers = Object.entries(statuses)
    .map(([status, count]) => `${count} times ${status}`)
    .join(', ')
  return [
    '## Memory under many callers',
    `${requests} requests behind a proxy, nine of ten without a key, from up to 100 000 addresses. The answers: ${answers}. ` +
      'Resident memory in MB at the start and after each tenth of the requests:',
    table(['start', ...residentMb.map((_, index) => `${(index + 1) * 10} %`)], [[startMb, ...residentMb].map(shown)]),
    `Resident memory in MB with ${idle.connections} connections that each had one request and stay open:`,
    table(['start', 'all answered', '10 s later'], [[idle.startMb, idle.openMb, idle.laterMb].map(shown)]),
  ]
}

function shown(mb) {
  return mb?.toFixed(0) ?? '–'
}
