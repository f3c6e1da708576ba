import { connect, type Socket } from 'node:net'
import { checkQuotaHeaders, checkSafeHeaders } from './service.ts'

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number
  /** By lower-case name; of a repeated one the last. */
  headers: Record<string, string>
  body: string
}

export interface RawExchange {
  /** All answers, in order. */
  answers: RawAnswer[]
  /** Whether the server closed the connection in time. */
  closed: boolean
}

/**
 * Sends bytes over a plain socket, where a client library would mend the request, and gives what came back until the
 * server closed or was silent for `quietMs`. `after` runs once the bytes are sent, to send more or to cut. Every answer
 * must carry the quota headers, unless a page is asked for.
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { quietMs = 400, after, page = false }: { quietMs?: number; after?: (socket: Socket) => void; page?: boolean } = {},
): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes)
      after?.(socket)
    })
    const end = (closed: boolean): void => {
      socket.destroy()
      const answers = parseAnswers(Buffer.concat(chunks))
      try {
        for (const { status, headers } of answers) {
          checkSafeHeaders(status, headers)
          if (!page) checkQuotaHeaders(headers)
        }
        resolve({ answers, closed })
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
    socket.setTimeout(quietMs, () => {
      end(false)
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => {
      end(true)
    })
    socket.on('error', () => {
      end(true)
    })
  })
}

/** Reads answers that have a Content-Length or no body, as all of ours. */
function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const status = Number(first.split(' ')[1])
    const length = Number(headers['content-length'] ?? 0)
    const start = end + 4
    rest = rest.subarray(start)
    if (status !== 100) answers.push({ status, headers, body: rest.subarray(0, length).toString() })
    rest = rest.subarray(status === 100 ? 0 : length)
  }
}
