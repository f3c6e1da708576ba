import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Answer } from '../road/answer.ts'
import { lingerMs, respondRaw } from './respond.ts'

/** A request with its response. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The response to the request before it on the same connection. */
  before: ServerResponse | undefined
  /** Headers that every answer has, names and values in turn; the request id comes first. */
  headers: string[]
  beganMs: number
  /** Whether the rest of the request cannot be parsed. */
  brokenOff: boolean
}

/** A property of the connection: a WeakMap took 3 µs of each request, mostly in garbage collection. */
const lastExchange = Symbol('last exchange')

type Connection = Duplex & { [lastExchange]?: Exchange }

/** Adds a request to its connection. */
export function openExchange(request: IncomingMessage, response: ServerResponse, headers: string[]): Exchange {
  const connection: Connection = request.socket
  const before = connection[lastExchange]?.response
  const exchange = { request, response, before, headers, beganMs: performance.now(), brokenOff: false }
  connection[lastExchange] = exchange
  return exchange
}

/**
 * Begins a request when the one before it on the connection is answered. One at a time, because answers that a client
 * does not read would fill memory. A request that breaks off while it waits is not begun.
 */
export function inOrder(exchange: Exchange, begin: (exchange: Exchange) => void): void {
  const { request, before } = exchange
  if (!before || before.writableFinished) begin(exchange)
  else {
    before.once('close', () => {
      if (!exchange.brokenOff && !request.socket.destroyed) begin(exchange)
    })
  }
}

/** Runs `last` when every complete request on the connection is answered. */
export function afterAnswers(socket: Connection, last: () => void): void {
  const exchange = socket[lastExchange]
  const broke = exchange !== undefined && !exchange.request.complete
  if (broke) exchange.brokenOff = true
  // an answer that has begun cannot become another one
  if (broke && exchange.response.headersSent) socket.destroy()
  // answers are sent in order, so only the last one is waited for
  const due = broke ? exchange.before : exchange?.response
  if (!due || due.writableFinished) last()
  else due.once('close', last)
}

/**
 * Refuses CONNECT and closes the connection. Node no longer manages such a connection, so `destroyAll` closes those
 * that are still open.
 */
export function refuseConnect(
  server: Server,
  stalledMs: number,
  refusal: (request: IncomingMessage) => { answer: Answer; headers: readonly string[] },
): { destroyAll: () => void } {
  const released = new Set<Socket>()
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // without these, an error would end the process, and a silent client would keep the connection open
    socket.on('error', () => undefined)
    socket.setTimeout(stalledMs, () => socket.destroy())
    released.add(socket)
    socket.once('close', () => released.delete(socket))
    afterAnswers(socket, () => {
      const { answer, headers } = refusal(request)
      respondRaw(socket, answer, headers)
      // the client can read the answer first, as in `respond`
      socket.resume()
      const cut = setTimeout(() => socket.destroy(), lingerMs)
      socket.once('close', () => {
        clearTimeout(cut)
      })
    })
  })
  return {
    destroyAll: () => {
      for (const socket of released) socket.destroy()
    },
  }
}
