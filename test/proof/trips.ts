import { Agent } from 'node:http'
import { newPet, type Sent } from '../faults/client.ts'
import { ask } from './ask.ts'
import { undisturbed, type Fleet } from './fleet.ts'

const requests = 100

/** Round trips per request, as the servers count them. */
export interface Trips {
  operation: string
  postgres: number
  redis: number
  /** Looking up keys and noting their last use: not per request, but once a second and once a day for each key. */
  keyStatements: number
}

/**
 * Sends lone requests of each operation to one process. A try in which Redis was too slow, so that a process counted by
 * itself as it says in its log, is made again.
 */
export async function countTrips(fleet: Fleet, random: () => number): Promise<{ trips: Trips[]; sent: Sent[] }> {
  const agent = new Agent({ keepAlive: true })
  const [{ address }] = fleet.services
  const sent: Sent[] = []
  const operations: Record<string, () => Promise<number>> = {
    createPet: async () => {
      const one = newPet(`trip-${sent.length}`, random)
      sent.push(one)
      const { status, body } = await ask(address, '/v1/pets', { key: fleet.key, agent, add: one, once: true })
      one.id = BigInt(/^\{"id":(\d+),/.exec(body)?.[1] ?? -1)
      return status - 1
    },
    getPet: async () => (await ask(address, `/v1/pets/${sent[0]?.id ?? 0n}`, { key: fleet.key, agent })).status,
    listPets: async () => (await ask(address, '/v1/pets', { key: fleet.key, agent })).status,
  }
  const trips: Trips[] = []
  for (const [operation, run] of Object.entries(operations)) {
    trips.push({ operation, ...(await undisturbed(fleet, () => countRequests(fleet, run))) })
  }
  agent.destroy()
  return { trips, sent }
}

async function countRequests(
  { postgres, redis, backing }: Fleet,
  run: () => Promise<number>,
): Promise<Omit<Trips, 'operation'>> {
  // what is prepared and loaded stays
  await run()
  const client = redis.client()
  await postgres.sql(backing.DATABASE_URL, 'SELECT pg_stat_statements_reset()')
  const before = readsOf(await client.info('everything'))
  for (let count = 0; count < requests; count += 1) {
    const status = await run()
    if (status !== 200) throw new Error(`An answer has the status ${status} while round trips are counted.`)
  }
  const after = readsOf(await client.info('everything'))
  client.disconnect()
  const [calls] = await postgres.sql(
    backing.DATABASE_URL,
    `SELECT coalesce(sum(calls) FILTER (WHERE query !~ '(FROM|UPDATE) keys'), 0)::int AS operations,
            coalesce(sum(calls) FILTER (WHERE query ~ '(FROM|UPDATE) keys'), 0)::int AS keys
     FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query !~ 'pg_stat'`,
  )
  return {
    postgres: Number(calls?.operations) / requests,
    keyStatements: Number(calls?.keys),
    // one read is that of the question itself
    redis: (after - before - 1) / requests,
  }
}

function readsOf(info: string): number {
  return Number(/^total_reads_processed:(\d+)/m.exec(info)?.[1] ?? 0)
}
