import { createServer, request as sendRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** A server behind the proxy. */
export interface Target {
  port: number
  /** The number of requests that are not completely answered. */
  running: number
}

/** Headers that belong to one connection (RFC 9110 section 7.6.1). `Transfer-Encoding` of a request is kept. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])

/**
 * An HTTP server that forwards each request to the current target. A request keeps its target until it is answered. If
 * there is no target, the answer is 503.
 */
export function proxyServer(targetNow: () => Promise<Target | undefined>): Server {
  const server = createServer({ requireHostHeader: false, requestTimeout: 0, keepAliveTimeout: 65_000 })
  server.maxHeadersCount = 0
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void targetNow().then((target) => {
      if (target) forward(request, response, target)
      else refuse(response)
    })
  }
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  return server
}

function forward(request: IncomingMessage, response: ServerResponse, target: Target): void {
  target.running += 1
  const upstream = sendRequest({
    host: '127.0.0.1',
    port: target.port,
    method: request.method,
    path: request.url,
    headers: requestHeaders(request),
    // no keep-alive: a target that ends could close the connection while a request is sent on it
    agent: false,
  })
  upstream.on('continue', () => {
    response.writeContinue()
  })
  upstream.on('response', (answer) => {
    const headers = withoutConnection(answer.rawHeaders).filter(([name]) => name.toLowerCase() !== 'transfer-encoding')
    if (!request.complete) headers.push(['Connection', 'close'])
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers.flat())
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  upstream.on('error', () => {
    if (!response.headersSent) refuse(response)
    // the target may close the connection before it has received the whole body
    request.unpipe(upstream).resume()
  })
  upstream.on('close', () => {
    target.running -= 1
  })
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  request.pipe(upstream)
}

function requestHeaders(request: IncomingMessage): string[] {
  const headers = withoutConnection(request.rawHeaders)
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  // Node would add `Transfer-Encoding: chunked` to a POST without a body
  if (length === undefined && encoding === undefined) headers.push(['Content-Length', '0'])
  headers.push(['X-Forwarded-For', request.socket.remoteAddress ?? ''], ['Connection', 'close'])
  return headers.flat()
}

/** Pairs of names and values. */
function withoutConnection(rawHeaders: readonly string[]): [string, string][] {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ])
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const dropped = new Set([...ofConnection, ...named.map((name) => name.trim().toLowerCase())])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()))
}

function refuse(response: ServerResponse): void {
  const message = 'The service is not running; the terminal of `npm run dev` says why.'
  response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' })
  response.end(JSON.stringify({ code: 'unavailable', message, status: 503 }))
}
