import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Answer } from '../road/answer.ts'
import { earliestArrivalMs } from './arrival.ts'
import { respondRaw } from './respond.ts'

/** A connection with this many waiting requests is not read until one of them begins. */
const maxWaiting = 16

/** A request with its response. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The response to the request before it on the same connection. */
  before: ServerResponse | undefined
  beganMs: number
  /** When the request was received at the earliest. */
  cameMs: number
  /** Whether the rest of the request cannot be parsed. */
  brokenOff: boolean
}

/** A property of the connection: a WeakMap took 3 µs of each request, mostly in garbage collection. */
const lastExchange = Symbol('last exchange')
const waitingRequests = Symbol('requests that wait')

type Connection = Duplex & { [lastExchange]?: Exchange; [waitingRequests]?: number }

/** Adds a request to its connection. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const connection: Connection = request.socket
  const before = connection[lastExchange]?.response
  const beganMs = performance.now()
  const exchange = {
    request,
    response,
    before,
    beganMs,
    cameMs: earliestArrivalMs(connection, beganMs),
    brokenOff: false,
  }
  connection[lastExchange] = exchange
  return exchange
}

/**
 * Begins a request when the one before it on the connection is answered. One at a time, because answers that a client
 * does not read would fill memory. A request is not begun when it breaks off while it waits, nor after an answer that
 * closes the connection (RFC 9112 section 9.6).
 */
export function inOrder(exchange: Exchange, begin: (exchange: Exchange) => void): void {
  const { request, before } = exchange
  if (!before || before.writableFinished) {
    if (before?.shouldKeepAlive !== false) begin(exchange)
    return
  }
  hold(request.socket)
  before.once('close', () => {
    release(request.socket)
    // in the next turn, so that a connection with many requests does not delay the others
    setImmediate(() => {
      if (before.shouldKeepAlive && !exchange.brokenOff && !request.socket.destroyed) begin(exchange)
    })
  })
}

/** Counts a waiting request. Node resumes the connection after each answer, so it is paused again then. */
function hold(connection: Connection): void {
  if (connection[waitingRequests] === undefined) {
    connection.on('resume', () => {
      if ((connection[waitingRequests] ?? 0) >= maxWaiting) connection.pause()
    })
  }
  const waiting = (connection[waitingRequests] ?? 0) + 1
  connection[waitingRequests] = waiting
  if (waiting >= maxWaiting) connection.pause()
}

function release(connection: Connection): void {
  const waiting = (connection[waitingRequests] ?? 1) - 1
  connection[waitingRequests] = waiting
  if (waiting === maxWaiting - 1) connection.resume()
}

/** Runs `last` when every complete request on the connection is answered. */
export function afterAnswers(socket: Connection, last: () => void): void {
  const exchange = socket[lastExchange]
  const broke = exchange !== undefined && !exchange.request.complete
  if (broke) exchange.brokenOff = true
  // an answer that has begun cannot become another one; if it closes the connection anyway, it may finish
  if (broke && exchange.response.headersSent) {
    if (exchange.response.shouldKeepAlive) socket.destroy()
    return
  }
  // answers are sent in order, so only the last one is waited for
  const due = broke ? exchange.before : exchange?.response
  if (!due || due.writableFinished) last()
  else due.once('close', last)
}

/** Refuses CONNECT and closes the connection, which Node no longer manages. */
export function refuseConnect(
  server: Server,
  stalledMs: number,
  refusal: (request: IncomingMessage) => { answer: Answer; headers: readonly string[] },
): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // without these, an error would end the process, and a silent client would keep the connection open
    socket.on('error', () => undefined)
    socket.setTimeout(stalledMs, () => socket.destroy())
    afterAnswers(socket, () => {
      const { answer, headers } = refusal(request)
      respondRaw(socket, answer, headers)
    })
  })
}
