import type { Server } from 'node:http'
import { Server as TcpServer, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** How often idle connections are closed while the server drains, in ms. */
const sweepMs = 100
/** How long idle connections stay readable once listening has ended, in ms: a load balancer may still send over them. */
const idleMs = 3000
/** How long answers close no connection before listening ends, in ms. */
const calmMs = 250
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
 * `graceMs`; then all `connections` are destroyed. `setClosing` says whether answers close their connections. They do not
 * in the last moment of listening: a load balancer whose connections are closed opens new ones, and the system resets
 * those that come just then.
 */
export async function drainServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  { delayMs, graceMs }: DrainTimes,
  setClosing: (isClosing: boolean) => void,
): Promise<void> {
  setClosing(true)
  if (server.listening && delayMs > 0) {
    await sleep(Math.max(0, delayMs - calmMs))
    setClosing(false)
    await sleep(Math.min(calmMs, delayMs))
  }
  const graceEndMs = performance.now() + graceMs
  if (server.listening) await emptyQueue(server)
  const closed = endListening(server)
  setClosing(true)
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
 * Resolves in a turn of the event loop that has found no connection, at the latest after `pauseMs`. The system resets the
 * connections that wait to be accepted when listening ends. So it is told first to let only one wait: it drops what asks
 * for more, and the clients ask again and are refused. `net.Server` cannot change that length later; its handle can, and
 * that of a worker of `node:cluster` has no queue. Of 20 clients that go on opening connections to a process on a busy
 * machine, up to 17 were reset without it, and at most one is with it.
 */
async function emptyQueue(server: Server): Promise<void> {
  const { _handle: handle } = server as unknown as { _handle?: { listen?: (backlog: number) => number } }
  handle?.listen?.(0)
  let accepted = 0
  const count = (): void => void (accepted += 1)
  server.on('connection', count)
  const endMs = performance.now() + pauseMs
  let before: number
  do {
    before = accepted
    await nextTurn()
  } while (accepted !== before && performance.now() < endMs)
  server.off('connection', count)
}
