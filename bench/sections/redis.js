import { connect } from 'node:net'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { cores, isOnPath } from '../harness/machine.js'
import { freePort, pause, start, temporaryFolder } from '../harness/processes.js'
import { startServer } from '../harness/servers.js'
import { summaries } from '../harness/statistics.js'

const startMs = 5000

/** Counts kept in the process against counts in Redis; undefined where there is no redis-server. */
export async function redis({ database, plan, tell }) {
  if (!isOnPath('redis-server')) return undefined
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const redisServer = start('redis-server', args, { core: cores?.load, cwd: temporaryFolder() })
  const servers = []
  try {
    await answering(port)
    const variants = [
      { title: 'embedded', env: {}, results: [] },
      { title: 'Redis', env: { REDIS_URL: `redis://127.0.0.1:${port}` }, results: [] },
    ]
    for (const variant of variants) {
      variant.server = await startServer(ours, { database, env: variant.env })
      servers.push(variant.server)
    }
    const trips = await tripsPerRequest(variants[1].server, database, port)
    for (let round = 0; round < plan.rounds; round++) {
      for (const { title, server, results } of variants) {
        tell(`round ${round + 1} of ${plan.rounds}: ${title}`)
        results.push(await load(server, { scenario: 'getPet', keys: database.keys.load, ...plan }))
      }
    }
    const rows = variants.map(({ title, results }) => ({
      title,
      ...summaries(results, ['perSecond', 'cpuUs', 'p99Ms']),
    }))
    return { ...trips, rows }
  } finally {
    for (const server of servers) await server.stop()
    await redisServer.stop()
  }
}

/**
 * How often Redis read from its connections, and how many scripts it ran, for each of a row of lone requests. Of some
 * tries the one with most scripts counts, since requests that find Redis slow are not counted there.
 */
async function tripsPerRequest(server, database, port) {
  const tries = []
  for (let number = 0; number < 5; number++) tries.push(await tryTrips(server, database, port))
  return tries.toSorted((a, b) => b.scripts - a.scripts)[0]
}

async function tryTrips(server, database, port) {
  const total = 200
  const before = await counts(port)
  await load(server, { scenario: 'getPet', keys: database.keys.load, connections: 1, total })
  const after = await counts(port)
  return {
    // one read is that of the question itself
    trips: (after.reads - before.reads - 1) / total,
    scripts: (after.scripts - before.scripts) / total,
  }
}

async function counts(port) {
  const text = await info(port)
  const read = (name) => Number(new RegExp(`^${name}(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return { reads: read('total_reads_processed:'), scripts: read('cmdstat_evalsha:calls=') }
}

async function answering(port) {
  for (let waited = 0; waited < startMs; waited += 20) {
    if ((await info(port).catch(() => '')).includes('redis_version')) return
    await pause(20)
  }
  throw new Error('redis-server did not start.')
}

function info(port) {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port })
    socket.setTimeout(1000, () => socket.destroy(new Error('Redis did not answer.')))
    socket.once('error', reject)
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
      const length = /^\$(\d+)\r\n/.exec(text)
      if (!length || text.length < length[0].length + Number(length[1]) + 2) return
      socket.destroy()
      resolve(text)
    })
    socket.write('INFO everything\r\n')
  })
}
