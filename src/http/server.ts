import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  expectationFailed,
  headersTooLarge,
  invalidRequest,
  payloadTooLarge,
  requestTimeout,
  type ApiError,
} from '../api-error.ts'
import { failure, type Answer } from '../road/answer.ts'
import { partsOf } from '../road/marks.ts'
import type { Pipeline } from '../road/pipeline.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Sender } from '../quota/address.ts'
import type { Trace, Tracing } from '../tracing/tracing.ts'
import { maxBodyBytes } from '../road/body.ts'
import { countConnection } from '../event-loop.ts'
import { refuseAmbiguous } from './ambiguity.ts'
import { noteConnection } from './arrival.ts'
import { corsHeaders, isPreflight } from './cors.ts'
import { afterAnswers, inOrder, openExchange, refuseConnect, type Exchange } from './connection.ts'
import { drainServer, type DrainTimes } from './drain.ts'
import { requestIds, traceIdOf } from './request-id.ts'
import { respond, respondInstead, respondRaw } from './respond.ts'
import { loggedPath, loggedTarget, requestTarget } from './target.ts'

/** Times in ms after which a connection is closed. */
export interface Timeouts {
  /** From the first byte of a request to the end of its head. */
  headers: number
  /** From the first byte of a request to the end of its body. */
  request: number
  /** Without a byte in either direction while an answer is due or being sent, as to a client that does not read. */
  stalled: number
  /** Between requests: longer than proxies keep idle connections, so that none sends into a closing one. */
  keepAlive: number
}

/** Browsers must not guess a media type. */
const nosniff = ['X-Content-Type-Options', 'nosniff']

export interface ServerParts {
  /** The target of a request to the API, with the API root as the contract has it; undefined for that of a page. */
  apiTarget: (target: string) => string | undefined
  pipeline: Pipeline
  /** Answers everything else. */
  pages: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Quota headers of an answer to a request that was not counted. */
  strangerHeaders: (sender: Sender) => string[]
  log: Log
  /** Whether the log has the path of each request, which a log for programs must not have. */
  logPaths: boolean
  metrics: Pick<Metrics, 'answered'>
  /** Undefined when requests are not traced. */
  tracing: Pick<Tracing, 'begin'> | undefined
  /** A request that took as long is logged as slow, with its parts; 0 for none. */
  slowRequestMs: number
  /** Origins that browsers may call from; `*` allows all. */
  corsOrigins: readonly string[]
  timeouts: Timeouts
}

export interface ContractServer {
  server: Server
  /** Closes each connection with its next answer, and then as `drainServer` does. */
  drain: (times: DrainTimes) => Promise<void>
}

/** The HTTP server: dispatches requests to the pipeline or the pages, and answers what cannot be parsed. */
export function contractServer(parts: ServerParts): ContractServer {
  const { apiTarget, pipeline, pages, strangerHeaders, log, logPaths, metrics, tracing, slowRequestMs, timeouts } =
    parts
  const nextId = requestIds()
  const connections = new Set<Socket>()
  let closing = false
  let acceptFailed = false

  const server = createServer({
    requireHostHeader: false,
    // also when NODE_OPTIONS asks for the lenient parser, which allows request smuggling
    insecureHTTPParser: false,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(1000, timeouts.headers),
  })
  // otherwise Node silently drops headers after the 2000th, a second Host or Authorization among them
  server.maxHeadersCount = 0
  server.timeout = timeouts.stalled
  server.once('listening', () => {
    server.on('error', onAcceptError)
  })
  server.on('connection', (socket) => {
    countConnection(1)
    noteConnection(socket)
    connections.add(socket)
    socket.once('close', () => {
      countConnection(-1)
      connections.delete(socket)
    })
  })
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', (request, response) => {
    refuse(openExchange(request, response), expectationFailed())
  })
  refuseConnect(server, timeouts.stalled, (request) => {
    const answer = failure(invalidRequest('CONNECT is not supported.'), strangerHeaders(request))
    recordUnparsed(answer, request.socket, 'CONNECT')
    return { answer, headers: commonHeaders(request) }
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket & { [unparsable]?: true }) => {
    // the bytes after it cannot be parsed either, and are dropped
    if (socket[unparsable]) return
    socket[unparsable] = true
    if (!isUnread(error, socket)) {
      // a connection that its client has reset, or on which nothing was sent, is no request
      if (error.syscall === undefined && socket.bytesRead > 0) log.error({ err: error }, 'connection broken off')
      socket.destroy()
      return
    }
    afterAnswers(socket, () => {
      const answer = failure(parserFailure(error), strangerHeaders(socket))
      recordUnparsed(answer, socket, error.code)
      respondRaw(socket, answer, ['X-Request-Id', nextId(undefined), ...nosniff])
    })
  })

  function handle(request: IncomingMessage, response: ServerResponse): void {
    inOrder(openExchange(request, response), begin)
  }

  function begin(exchange: Exchange): void {
    const { request } = exchange
    try {
      refuseAmbiguous(request)
    } catch (error) {
      // the next bytes may belong to this request
      refuse(exchange, error, true)
      return
    }
    dispatch(exchange).catch((error: unknown) => {
      refuse(exchange, error)
    })
  }

  async function dispatch(exchange: Exchange): Promise<void> {
    const { request, response, beganMs, cameMs } = exchange
    const target = requestTarget(request)
    const ofApi = apiTarget(target)
    // a preflight succeeds for every path: browsers report another status as a CORS error
    if (target === '*' || isPreflight(request)) {
      finish(exchange, { status: 204, headers: strangerHeaders(request), body: undefined })
    } else if (ofApi !== undefined) {
      const trace = tracing?.begin(request, beganMs)
      finish(exchange, await pipeline(request, response, ofApi, cameMs, trace?.stores), undefined, trace)
    } else {
      await showPage(exchange, target)
    }
  }

  async function showPage({ request, response }: Exchange, target: string): Promise<void> {
    request.url = target
    const headers = commonHeaders(request)
    for (let index = 0; index < headers.length; index += 2) {
      response.setHeader(headers[index] ?? '', headers[index + 1] ?? '')
    }
    if (isLast(request)) response.shouldKeepAlive = false
    await pages(request, response)
  }

  /** Answers what was thrown. Whatever goes wrong then costs this connection alone. */
  function refuse(exchange: Exchange, error: unknown, close?: boolean): void {
    try {
      finish(exchange, failure(error, strangerHeaders(exchange.request)), close)
    } catch (fault) {
      log.error({ err: fault }, 'request not answered')
      exchange.request.socket.destroy()
    }
  }

  function finish(exchange: Exchange, result: Answer, close = isLast(exchange.request), trace?: Trace): void {
    const { request, response } = exchange
    const headers = commonHeaders(request)
    let answer = result
    try {
      respond(request, response, result, headers, close)
    } catch (fault) {
      response.shouldKeepAlive = false
      answer = respondInstead(request, result, headers, fault)
    }
    record(exchange, answer, headers[1], trace)
  }

  /** Counts and logs a request that was answered. */
  function record({ request, beganMs }: Exchange, answer: Answer, requestId?: string, trace?: Trace): void {
    const { status, operationId, keyId, code, reason, cause, marks = [] } = answer
    const endMs = performance.now()
    const durationMs = endMs - beganMs
    metrics.answered({ operationId, status, code, reason, durationS: durationMs / 1000 })
    const { method } = request
    const traceId = trace?.traceId ?? traceIdOf(request.headers.traceparent)
    const path = logPaths ? loggedTarget(request) : undefined
    trace?.end({ ...answer, marks, requestId, path: loggedPath(request) })
    const isSlow = slowRequestMs > 0 && durationMs >= slowRequestMs
    const slow = isSlow ? { parts: partsOf(marks, beganMs, endMs) } : undefined
    const fields = { requestId, traceId, method, path, operationId, keyId, status, code, durationMs, ...slow }
    if (cause !== undefined) log.error({ ...fields, err: cause }, 'request failed')
    else if (isSlow) log.warn(fields, 'slow request')
    else log.info(fields, 'request')
  }

  /**
   * Whether the connection closes after the answer. It is decided with the answer, since draining may have begun while
   * the request ran. After an `Upgrade` header Node does not read further requests.
   */
  function isLast({ headers }: IncomingMessage): boolean {
    return closing || headers.upgrade !== undefined
  }

  /** Counts and logs a request that could not be parsed: why, and which neighbour sent it. */
  function recordUnparsed({ status, code }: Answer, { remoteAddress }: Socket, reason: string | undefined): void {
    metrics.answered({ operationId: undefined, status, code, durationS: 0 })
    log.info({ status, code, reason, from: remoteAddress }, 'request not read')
  }

  /** The request id comes first. */
  function commonHeaders(request: IncomingMessage): string[] {
    const id = nextId(request.headers['x-request-id'])
    return ['X-Request-Id', id, ...nosniff, ...corsHeaders(parts.corsOrigins, request)]
  }

  /** Logs once that connections cannot be accepted, as without free file descriptors. Open ones are still served. */
  function onAcceptError(error: Error): void {
    if (acceptFailed) return
    acceptFailed = true
    log.error({ err: error }, 'cannot accept connections')
    server.once('connection', () => {
      acceptFailed = false
      log.info('accepting connections again')
    })
  }

  return {
    server,
    drain: (times) =>
      drainServer(server, connections, times, (isClosing) => {
        closing = isClosing
      }),
  }
}

/** Marks a connection whose bytes could not be parsed. */
const unparsable = Symbol('unparsable')

/** Whether an error of a connection is a request that cannot be read or that did not come in time. */
function isUnread({ code = '' }: NodeJS.ErrnoException, { bytesRead }: Socket): boolean {
  return code.startsWith('HPE_') || (code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead > 0)
}

/** The answer to an error of Node's parser or its timers (nodejs.org/api/http.html#event-clienterror). */
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
