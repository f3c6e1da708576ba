import { connect } from 'node:net'
import { pause } from './processes.js'
import { scenarios } from './scenarios.js'
import { startServer } from './servers.js'

/** So many connections are opened at a time. */
const atATime = 100
/** What a server keeps after this time it keeps as long as the connections are open. */
const laterMs = 10_000

/**
 * Resident memory in MB of a contestant with connections that each had one request and stay open: before the first one
 * (`startMb`), when all are answered (`openMb`), and 10 s later (`laterMb`).
 */
export async function idleMemory(contestant, { database, connections }) {
  const server = await startServer(contestant, { database })
  const sockets = []
  try {
    const requestOf = scenarios.getPet.requests({ keys: database.keys.load })
    const startMb = server.residentMb()
    while (sockets.length < connections) {
      const opened = Array.from({ length: atATime }, (_, index) => answered(server.port, requestOf(index)))
      sockets.push(...(await Promise.all(opened)))
    }
    const openMb = server.residentMb()
    await pause(laterMs)
    const closed = sockets.filter(({ closed }) => closed).length
    if (closed > 0) throw new Error(`${closed} of ${connections} idle connections were closed.`)
    return { connections, startMb, openMb, laterMb: server.residentMb() }
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop()
  }
}

/** A connection, once its first request is answered. */
function answered(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('An idle connection was closed.')))
    socket.once('data', (head) => {
      if (head.subarray(9, 12).toString() === '200') resolve(socket)
      else reject(new Error(`An idle connection got ${head.subarray(0, 12)}.`))
    })
  })
}
