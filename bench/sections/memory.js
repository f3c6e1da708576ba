import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { startServer } from '../harness/servers.js'

const steps = 10

/** Resident memory while many callers send requests, after each tenth of them. */
export async function memory({ database, requests, tell }) {
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
