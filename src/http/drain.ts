import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often idle connections are looked for while the server closes, in ms. */
const sweepMs = 100

/**
 * Takes connections for `delayMs` more, then none, and closes those that are idle. Running requests may finish for
 * `graceMs`; then the connections that are left are cut, `cutOthers` those that Node does not know.
 */
export async function drainServer(
  server: Server,
  { delayMs, graceMs }: { delayMs: number; graceMs: number },
  cutOthers: () => void,
): Promise<void> {
  if (server.listening) await sleep(delayMs)
  const closed = new Promise((resolve) => server.close(resolve))
  // an answer that had begun before tells nobody that its connection is to close
  const sweep = setInterval(() => {
    server.closeIdleConnections()
  }, sweepMs)
  const cut = setTimeout(() => {
    server.closeAllConnections()
    cutOthers()
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
