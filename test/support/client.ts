import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { talk, type Talk } from './talk.ts'

export interface Answer {
  status: number
  /** The answer's `Connection` header. */
  connection: string | undefined
  requestId: string
  body: string
}

/** A client that keeps its connections alive. */
export function client(
  port: number,
  key: string,
): { send: (path: string, name?: string) => Promise<Answer>; end: () => void } {
  const agent = new Agent({ keepAlive: true })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  return {
    send: (path, name) =>
      new Promise((resolve, reject) => {
        const method = name === undefined ? 'GET' : 'POST'
        const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
          const { statusCode: status = 0, headers } = answer
          text(answer).then((body) => {
            resolve({ status, connection: headers.connection, requestId: String(headers['x-request-id']), body })
          }, reject)
        })
        outgoing.on('error', reject)
        outgoing.end(name === undefined ? undefined : JSON.stringify({ name, categoryId: 7 }))
      }),
    end: () => {
      agent.destroy()
    },
  }
}

/** One connection that sends one request after another. */
export function kept(port: number, key: string): Talk & { ask: (path?: string) => Promise<string> } {
  const one = talk(port)
  return {
    ...one,
    ask: async (path = '/v1/pets/404') => {
      const before = one.text().length
      one.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      await one.until(new RegExp(`^[^]{${before}}HTTP/1\\.1 [^]*[}\\]\\n]$`))
      return one.text().slice(before)
    },
  }
}

/** Sends a request many times over one connection, in batches of 500, and resolves when each has its 404. */
export async function pipelined(port: number, bytes: string, times: number): Promise<void> {
  const end = '"status":404}'
  const socket = connect(port, '127.0.0.1')
  let answered = 0
  let sent = 0
  let rest = ''
  try {
    while (answered < times) {
      if (answered === sent) {
        sent += 500
        socket.write(bytes.repeat(500))
      }
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      const parts = (rest + chunk.toString('latin1')).split(end)
      answered += parts.length - 1
      rest = parts.at(-1)?.slice(-end.length) ?? ''
    }
  } finally {
    socket.destroy()
  }
}
