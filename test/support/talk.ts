import { connect, type Socket } from 'node:net'
import { arrivingText } from './wait.ts'

/** A connection to talk over step by step, where `exchange` sends everything at once. */
export interface Talk {
  socket: Socket
  /** Everything received so far, one character for each byte. */
  text: () => string
  /** Resolves once the text matches; rejects when the connection ends before. */
  until: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Resolves once the server has closed. */
  closed: Promise<void>
}

/** Opens a connection and sends the first bytes. */
export function talk(port: number, bytes = ''): Talk {
  const { text, add, end, until } = arrivingText()
  const socket = connect(port, '127.0.0.1')
  if (bytes !== '') socket.write(bytes)
  socket.on('data', (chunk) => {
    add(chunk.toString('latin1'))
  })
  // a reset ends the connection too
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      end()
      resolve()
    })
  })
  return { socket, text, until, closed }
}

/** A POST of an animal that has sent its head, and waits with the `length` bytes of its body. */
export async function postWaiting(port: number, key: string, length: number): Promise<Talk> {
  const head = ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
  const slow = talk(port, [...head, `Content-Length: ${length}`, 'Expect: 100-continue', '', ''].join('\r\n'))
  await slow.until(/100 Continue/)
  return slow
}
