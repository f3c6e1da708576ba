import type { Server } from 'node:http'
import { Server as TcpServer, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** How often idle connections are closed while the server drains, in ms. */
const sweepMs = 100
/** How long idle connections stay readable once listening has ended, in ms: a load balancer may still send over them. */
const idleMs = 3000
/** How long a pause between connections is waited for at the end of listening, in ms. */
const pauseMs = 1000

export interface DrainTimes {
  /** How long connections are still accepted. 0 if no load balancer has to notice; then idle connections close at once. */
  delayMs: number
  /** How long running requests may take after that. */
  graceMs: number
}

/**
 * Accepts connections for `delayMs` more, stops listening, and closes idle connections. Running requests may take
 * `graceMs`; then all `connections` are destroyed.
 */
export async function drainServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  { delayMs, graceMs }: DrainTimes,
): Promise<void> {
  if (server.listening) await sleep(delayMs)
  const graceEndMs = performance.now() + graceMs
  if (server.listening) await emptyQueue(server)
  const closed = endListening(server)
  const keptUntilMs = performance.now() + (delayMs === 0 ? 0 : Math.min(idleMs, graceMs))
  // an answer that began before has no `Connection: close`, so its connection becomes idle
  const closeIdle = (): void => {
    if (performance.now() < keptUntilMs) return
    server.closeIdleConnections()
    // for Node a connection is not idle before its first request
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  closeIdle()
  const sweep = setInterval(closeIdle, sweepMs)
  const cut = setTimeout(() => {
    for (const socket of connections) socket.destroy()
  }, graceEndMs - performance.now())
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
  // ends what watches over time-outs
  server.close()
}

/** Ends listening, and resolves when no connection is open. `Server.close` of HTTP would close the idle ones as well. */
function endListening(server: Server): Promise<unknown> {
  return new Promise((resolve) => TcpServer.prototype.close.call(server, resolve))
}

/**
 * Resolves in a turn of the event loop that has found no connection, at the latest after `pauseMs`. The system resets
 * those that wait to be accepted when listening ends; then there are none. The turn must be short, so that none came since
 * it looked, and the longer this takes, the less short.
 */
async function emptyQueue(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void (accepted += 1)
  server.on('connection', count)
  const beganMs = performance.now()
  let turnMs = beganMs
  for (;;) {
    const before = accepted
    await nextTurn()
    const nowMs = performance.now()
    const waitedMs = nowMs - beganMs
    if ((accepted === before && nowMs - turnMs < waitedMs / 50) || waitedMs > pauseMs) break
    turnMs = nowMs
  }
  server.off('connection', count)
}
