import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  expectationFailed,
  headersTooLarge,
  invalidRequest,
  payloadTooLarge,
  requestTimeout,
  type ApiError,
} from '../api-error.ts'
import { failure, type Answer } from '../road/answer.ts'
import type { Pipeline } from '../road/pipeline.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Sender } from '../quota/address.ts'
import { maxBodyBytes } from '../road/body.ts'
import { corsHeaders, type CorsParts } from './cors.ts'
import { requestIds } from './request-id.ts'
import { lingerMs, respond, respondRaw } from './respond.ts'
import { targetOf } from './target.ts'

/** Times in ms after which a connection is closed. */
export interface Timeouts {
  /** From the first byte of a request to the end of its head. */
  headers: number
  /** From the first byte of a request to the end of its body. */
  request: number
  /** Without a byte either way while an answer is due or being read: a client that does not read is not waited for. */
  stalled: number
  /** Between requests: longer than the proxies in front wait, so that none sends into a closing connection. */
  keepAlive: number
}

export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, stalled: 30_000, keepAlive: 65_000 }

/** How often idle connections are looked for while the server closes, in ms. */
const sweepMs = 100

/** No browser may take an answer for anything but what it says it is. */
const nosniff = ['X-Content-Type-Options', 'nosniff']

export interface ServerParts {
  apiRoot: string
  pipeline: Pipeline
  /** Answers everything outside the API root. */
  pages: RequestListener
  /** Quota headers of an answer to a request that was not counted. */
  strangerHeaders: (sender: Sender) => string[]
  log: Log
  metrics: Pick<Metrics, 'answered'>
  cors: CorsParts
  timeouts: Timeouts
}

export interface ContractServer {
  server: Server
  /**
   * Closes each connection with its next answer, and those that are idle after `delayMs`, when no new ones are taken any
   * more. Running requests may finish for `graceMs` more; then what is left is cut.
   */
  drain: (times: { delayMs: number; graceMs: number }) => Promise<void>
}

/** The HTTP server: hands contract requests to the pipeline, the others to the pages, and answers what is no request. */
export function contractServer(parts: ServerParts): ContractServer {
  const { apiRoot, pipeline, pages, strangerHeaders, log, metrics, timeouts } = parts
  const nextId = requestIds()
  /** Connections that Node has let go of. */
  const released = new Set<Socket>()
  let draining = false
  let refused = false

  const server = createServer({
    requireHostHeader: false,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(1000, timeouts.headers),
  })
  // Node would silently drop headers past the 2000th, and with them a second Host or Authorization
  server.maxHeadersCount = 0
  server.timeout = timeouts.stalled
  server.once('listening', () => {
    server.on('error', refusing)
  })
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', (request, response) => {
    finish(exchangeOf(request, response), failure(expectationFailed(), strangerHeaders(request)))
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node watches over this connection no more: its errors would end the process, and it would stay for ever
    socket.on('error', () => undefined)
    socket.setTimeout(timeouts.stalled, () => socket.destroy())
    released.add(socket)
    socket.once('close', () => released.delete(socket))
    afterRunning(socket, () => {
      const answer = failure(invalidRequest('CONNECT is not supported.'), strangerHeaders(request))
      unread(answer)
      respondRaw(socket, answer, commonHeaders(request))
      // the client gets to read its answer, as in `respond`
      socket.resume()
      const cut = setTimeout(() => socket.destroy(), lingerMs)
      socket.once('close', () => {
        clearTimeout(cut)
      })
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    afterRunning(socket, () => {
      const answer = failure(parserFailure(error), strangerHeaders(socket))
      unread(answer)
      respondRaw(socket, answer, ['X-Request-Id', nextId(undefined), ...nosniff])
      // what comes behind cannot be read either
      socket.destroy()
    })
  })

  /** One request of a connection at a time: answers that the client does not read would pile up in memory. */
  function handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = exchangeOf(request, response)
    const { before } = exchange
    if (!before || before.writableFinished) begin(exchange)
    else {
      before.once('close', () => {
        if (!exchange.brokenOff && !request.socket.destroyed) begin(exchange)
      })
    }
  }

  function begin(exchange: Exchange): void {
    const { request } = exchange
    try {
      const target = targetOf(request)
      if (target === '*') finish(exchange, { status: 204, headers: strangerHeaders(request), body: undefined })
      else if (isBelow(apiRoot, target)) void answer(exchange, target)
      else showPage(exchange, target)
    } catch (error) {
      finish(exchange, failure(error, strangerHeaders(request)))
    }
  }

  function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
    const connection: Connection = request.socket
    const before = connection[lastExchange]?.response
    const headers = commonHeaders(request)
    const exchange = { request, response, before, headers, beganMs: performance.now(), brokenOff: false }
    connection[lastExchange] = exchange
    return exchange
  }

  async function answer(exchange: Exchange, target: string): Promise<void> {
    finish(exchange, await pipeline(exchange.request, exchange.response, target))
  }

  function showPage({ request, response, headers }: Exchange, target: string): void {
    request.url = target
    const all = draining ? [...headers, 'Connection', 'close'] : headers
    for (let index = 0; index < all.length; index += 2) response.setHeader(all[index] ?? '', all[index + 1] ?? '')
    pages(request, response)
  }

  function finish({ request, response, headers, beganMs }: Exchange, result: Answer): void {
    const { status, operationId, keyId, code, cause } = result
    const durationMs = performance.now() - beganMs
    metrics.answered({ operationId, status, code, durationS: durationMs / 1000 })
    const { method } = request
    const fields = { requestId: headers[1], method, operationId, keyId, status, code, durationMs }
    if (cause !== undefined) log.error({ ...fields, err: cause }, 'request failed')
    else log.info(fields, 'request')
    // decided now, since the server may have begun to close while the request ran
    respond(request, response, result, draining ? [...headers, 'Connection', 'close'] : headers)
  }

  /** Counts a request that Node could not read. */
  function unread({ status, code }: Answer): void {
    metrics.answered({ operationId: undefined, status, code, durationS: 0 })
    log.info({ status, code }, 'request not read')
  }

  /** The request id comes first. */
  function commonHeaders(request: IncomingMessage): string[] {
    const id = nextId(request.headers['x-request-id'])
    return ['X-Request-Id', id, ...nosniff, ...corsHeaders(parts.cors, request)]
  }

  /** Runs `last` once every whole request before it on the same connection has its answer. */
  function afterRunning(socket: Connection, last: () => void): void {
    const exchange = socket[lastExchange]
    const broke = exchange !== undefined && !exchange.request.complete
    if (broke) exchange.brokenOff = true
    // the request that broke off gets no other answer, unless that has begun
    if (broke && exchange.response.headersSent) socket.destroy()
    // answers leave in order, so the last one due is all there is to wait for
    const due = broke ? exchange.before : exchange?.response
    if (!due || due.writableFinished) last()
    else due.once('close', last)
  }

  /** A connection could not be taken, as when file descriptors have run out. Those that are open are served on. */
  function refusing(error: Error): void {
    if (refused) return
    refused = true
    log.error({ err: error }, 'connections cannot be taken')
    server.once('connection', () => {
      refused = false
      log.info('connections are taken again')
    })
  }

  async function drain({ delayMs, graceMs }: { delayMs: number; graceMs: number }): Promise<void> {
    draining = true
    if (server.listening) await sleep(delayMs)
    const closed = new Promise((resolve) => server.close(resolve))
    // an answer that had begun before tells nobody that its connection is to close
    const sweep = setInterval(() => {
      server.closeIdleConnections()
    }, sweepMs)
    const cut = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of released) socket.destroy()
    }, graceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }

  return { server, drain }
}

/** Kept on the connection itself: a WeakMap took 3 µs of each request, mostly in garbage collection. */
const lastExchange = Symbol('last exchange')

type Connection = Duplex & { [lastExchange]?: Exchange }

/** A request with its response, and the response to the one before it on the same connection. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  before: ServerResponse | undefined
  /** What every answer has, names and values in turn; the request id comes first. */
  headers: string[]
  beganMs: number
  /** Whether the rest of the request cannot be read. */
  brokenOff: boolean
}

function isBelow(apiRoot: string, target: string): boolean {
  if (!target.startsWith(apiRoot)) return false
  const next = target[apiRoot.length]
  return next === '/' || next === '?' || next === undefined
}

/** What Node's parser and its timers report (nodejs.org/api/http.html#event-clienterror). */
function parserFailure({ code }: NodeJS.ErrnoException): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge()
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return payloadTooLarge(maxBodyBytes)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout()
    default:
      return invalidRequest('The request cannot be read as HTTP.')
  }
}
