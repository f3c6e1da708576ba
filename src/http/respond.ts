import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import { internalError } from '../api-error.ts'
import { failure, type Answer } from '../road/answer.ts'
import { answerWithTurn } from '../event-loop.ts'
import { hasBody } from '../road/body.ts'

/** How much of a refused body is still read, in bytes, so that the client can read the answer. */
const lingerBytes = 1_000_000
/** How long it is read, in ms. */
export const lingerMs = 1000

/** No cache may store an error; RFC 9110 section 15.1 would allow it for 404, 405 and 410. */
const noStore = ['Cache-Control', 'no-store']

/** Headers that frame an answer. Node writes them; a second value would break the connection for its client. */
const framing = new Set(['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding'])

/**
 * Writes an answer; the only writer of responses. `headers` are those that every answer has, names and values in turn.
 * With `close`, and behind a body that was not read, the connection closes. Throws if the answer cannot be written; then
 * nothing of it has left, and `respondInstead` can be called.
 */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  headers: readonly string[],
  close = false,
): void {
  if (response.headersSent || response.destroyed) return
  refuseUnwritable(answer)
  const { status, headers: own, body, type = 'application/json' } = answer
  const unread = hasBody(request) && !isRead(request)
  const all = [...headers, ...own]
  if (status >= 400) all.push(...noStore)
  // nothing is begun behind it; see `inOrder`
  if (unread || close) response.shouldKeepAlive = false
  if (body !== undefined) {
    all.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)))
  }
  response.writeHead(status, response.getHeaderNames().length > 0 ? joined(all) : all)
  if (unread) linger(request, response, body)
  else
    answerWithTurn(() => {
      send(response, body)
    })
}

/** Throws for an answer that Node would write in another way than it is meant. */
function refuseUnwritable({ status, headers, body, operationId }: Answer): void {
  if (status < 200) throw new RangeError(`${status} is not the status of a whole answer.`)
  if (body !== undefined && typeof body !== 'string' && !isUint8Array(body)) {
    throw new TypeError('The body of an answer must be a text or bytes.')
  }
  // the answers of pages are not written by handlers
  if (operationId === undefined) return
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const first = name.charCodeAt(0) | 0x20
    // the first letters of the names, since most others need no look-up then
    if ((first === 0x63 || first === 0x6b || first === 0x74) && framing.has(name.toLowerCase())) {
      throw new TypeError(`An answer cannot have the header ${name}, which frames it.`)
    }
  }
}

/**
 * Answers 500 in place of an answer that could not be written because of `cause`, and closes the connection. Node's
 * response may be half made, so the bytes go past it. Returns what was answered.
 */
export function respondInstead(
  request: IncomingMessage,
  answer: Answer,
  headers: readonly string[],
  cause: unknown,
): Answer {
  const { operationId, keyId } = answer
  const quota = answer.headers.filter((_, index, all) => /^(x-)?ratelimit/i.test(all[index - (index % 2)] ?? ''))
  const instead = { ...failure(internalError(cause), quota), operationId, keyId }
  respondRaw(request.socket, instead, headers, request.method !== 'HEAD')
  return instead
}

/** Whether nothing of a body is left, as of an empty one in chunks that nobody asked for. */
function isRead({ complete, readableEnded, readableLength }: IncomingMessage): boolean {
  return readableEnded || (complete && readableLength === 0)
}

/**
 * Writes head and body in one system call. Node's `end(body)` would queue the body and an empty string behind it, which
 * costs 3 µs of 26.
 */
function send(response: ServerResponse, body: Answer['body']): void {
  // its client may have gone since
  if (response.destroyed) return
  try {
    if (body !== undefined) {
      const { socket } = response
      socket?.cork()
      response.write(body)
      socket?.uncork()
    }
    response.end()
  } catch (error) {
    // the connection tells the log; other answers of this turn are still to be sent
    response.destroy(error as Error)
  }
}

/** Joins the values of repeated headers. Node keeps only the last one where headers were set before, as Express does. */
function joined(headers: readonly string[]): string[] {
  const lines = new Map<string, string>()
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const value = headers[index + 1] ?? ''
    lines.set(name, lines.has(name) ? `${lines.get(name) ?? ''}, ${value}` : value)
  }
  return [...lines].flat()
}

/**
 * Sends the answer, and closes the connection when the client stops sending, at the latest after `lingerMs`. Closing
 * with unread data would reset the connection, and the client would lose the answer (RFC 9112 section 9.6).
 */
function linger(request: IncomingMessage, response: ServerResponse, body: Answer['body']): void {
  response.flushHeaders()
  if (body !== undefined) response.write(body)
  let left = lingerBytes
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
  })
  request.on('end', end)
  request.on('error', end)
  request.on('close', end)
  request.resume()
}

/**
 * Writes a failure where Node has made no response, because the request could not be read, and closes the connection.
 * What the client still sends is thrown away, so that it gets to read its answer, as in `linger`.
 */
export function respondRaw(
  socket: Duplex & { bytesRead?: number },
  { status, headers: own, body = '' }: Answer,
  headers: readonly string[],
  withBody = true,
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const all = [...headers, ...own, ...noStore, 'Connection', 'close', 'Content-Type', 'application/json']
  all.push('Content-Length', String(Buffer.byteLength(body)))
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, `Date: ${new Date().toUTCString()}`]
  for (let index = 0; index < all.length; index += 2) lines.push(`${all[index] ?? ''}: ${all[index + 1] ?? ''}`)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${withBody ? body.toString() : ''}`)
  const end = (): void => void socket.destroy()
  const timer = setTimeout(end, lingerMs)
  socket.once('end', end)
  socket.once('close', () => {
    clearTimeout(timer)
  })
  socket.resume()
}
