import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A load balancer as common ones are: it asks for readiness, keeps connections, and repeats only what is safe. */
export interface RoundRobin {
  port: number
  /** Takes a process in once it is ready. */
  add: (port: number) => Promise<void>
  remove: (port: number) => void
  close: () => Promise<void>
}

const checkEveryMs = 50
const idempotent = ['GET', 'HEAD', 'OPTIONS']

export async function roundRobin(): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true })
  const ready = new Map<number, boolean>()
  let turn = 0
  let open = true

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const checks = watch()

  return {
    port: (server.address() as AddressInfo).port,
    add: async (port) => {
      ready.set(port, false)
      while (ready.get(port) !== true) await sleep(checkEveryMs)
    },
    remove: (port) => void ready.delete(port),
    close: async () => {
      open = false
      await checks
      agent.destroy()
      await closed(server)
    },
  }

  async function watch(): Promise<void> {
    while (open) {
      await Promise.all(
        Array.from(ready.keys(), async (port) => {
          const answer = await forward(port, '/readyz', 'GET', {}, Buffer.alloc(0)).catch(() => undefined)
          if (ready.has(port)) ready.set(port, answer?.status === 200)
        }),
      )
      await sleep(checkEveryMs)
    }
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    const body = await buffer(incoming)
    const readyPorts = Array.from(ready).flatMap(([port, isReady]) => (isReady ? [port] : []))
    // where none is ready, all are asked: what they say tells more than a 502
    const ports = readyPorts.length > 0 ? readyPorts : Array.from(ready.keys())
    turn += 1
    for (let tried = 0; tried < ports.length; tried += 1) {
      const port = ports[(turn + tried) % ports.length] ?? 0
      try {
        const answer = await forward(port, url, method, headers, body)
        outgoing.writeHead(answer.status, answer.headers).end(answer.body)
        return
      } catch (error) {
        // nothing was sent over a connection that was refused
        const safe = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' || idempotent.includes(method)
        if (!safe) break
      }
    }
    outgoing.writeHead(502).end()
  }

  function forward(
    port: number,
    path: string,
    method: string,
    headers: IncomingMessage['headers'],
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const { connection: _, ...others } = headers
      const outgoing = request({ host: '127.0.0.1', port, path, method, headers: others, agent }, (answer) => {
        buffer(answer).then((bytes) => {
          const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...passed } = answer.headers
          resolve({ status: answer.statusCode ?? 0, headers: passed, body: bytes })
        }, reject)
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })
}
