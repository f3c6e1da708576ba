import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often idle connections are closed while the server drains, in ms. */
const sweepMs = 100

/**
 * Accepts connections for `delayMs` more, then stops listening and closes idle connections. Running requests may take
 * `graceMs`; then all connections are destroyed, with `destroyOthers` those that Node does not manage.
 */
export async function drainServer(
  server: Server,
  { delayMs, graceMs }: { delayMs: number; graceMs: number },
  destroyOthers: () => void,
): Promise<void> {
  if (server.listening) await sleep(delayMs)
  const closed = new Promise((resolve) => server.close(resolve))
  // an answer that began before has no `Connection: close`, so its connection becomes idle
  const sweep = setInterval(() => {
    server.closeIdleConnections()
  }, sweepMs)
  const cut = setTimeout(() => {
    server.closeAllConnections()
    destroyOthers()
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
