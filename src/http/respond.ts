import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../road/answer.ts'
import { answerWithTurn } from '../event-loop.ts'
import { hasBody } from '../road/body.ts'

/** How much of a refused body is still read, in bytes, so that the client can read the answer. */
const lingerBytes = 1_000_000
/** How long it is read, in ms. */
export const lingerMs = 1000

/** No cache may store an error; RFC 9110 section 15.1 would allow it for 404, 405 and 410. */
const noStore = ['Cache-Control', 'no-store']

/**
 * Writes an answer; the only writer of responses. `headers` are those that every answer has, names and values in turn.
 * With `close`, and behind a body that was not read, the connection closes.
 */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers: own, body, type = 'application/json' }: Answer,
  headers: readonly string[],
  close = false,
): void {
  if (response.headersSent || response.destroyed) return
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
  if (body !== undefined) {
    const { socket } = response
    socket?.cork()
    response.write(body)
    socket?.uncork()
  }
  response.end()
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
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const all = [...headers, ...own, ...noStore, 'Connection', 'close', 'Content-Type', 'application/json']
  all.push('Content-Length', String(Buffer.byteLength(body)))
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, `Date: ${new Date().toUTCString()}`]
  for (let index = 0; index < all.length; index += 2) lines.push(`${all[index] ?? ''}: ${all[index + 1] ?? ''}`)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body.toString()}`)
  const end = (): void => void socket.destroy()
  const timer = setTimeout(end, lingerMs)
  socket.once('end', end)
  socket.once('close', () => {
    clearTimeout(timer)
  })
  socket.resume()
}
