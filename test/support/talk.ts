import { connect, type Socket } from 'node:net'

/** A connection to talk over step by step, where `exchange` sends everything at once. */
export interface Talk {
  socket: Socket
  /** Everything that came back so far, a character for each byte. */
  text: () => string
  /** Resolves once the text matches; rejects when the connection ends before. */
  until: (pattern: RegExp) => Promise<void>
  /** Resolves once the server has closed. */
  closed: Promise<void>
}

/** Opens a connection and sends the first bytes. */
export function talk(port: number, bytes = ''): Talk {
  let text = ''
  let wake: (() => void)[] = []
  let ended = false
  const changed = (): void => {
    for (const one of wake) one()
    wake = []
  }
  const socket = connect(port, '127.0.0.1')
  if (bytes !== '') socket.write(bytes)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    changed()
  })
  // a reset is an end as well
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      ended = true
      changed()
      resolve()
    })
  })
  return {
    socket,
    text: () => text,
    closed,
    until: async (pattern) => {
      while (!pattern.test(text)) {
        if (ended) throw new Error(`The connection ended with ${JSON.stringify(text)} and not ${pattern.source}.`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
  }
}

/** A POST of an animal that has sent its head, and waits with the `length` bytes of its body. */
export async function postWaiting(port: number, key: string, length: number): Promise<Talk> {
  const head = ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
  const slow = talk(port, [...head, `Content-Length: ${length}`, 'Expect: 100-continue', '', ''].join('\r\n'))
  await slow.until(/100 Continue/)
  return slow
}
