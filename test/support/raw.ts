import { connect, type Socket } from 'node:net'
import { expect } from '@jest/globals'
import { checkEveryAnswer, checkQuotaHeaders, checkSafeHeaders, expectError, type TestService } from './service.ts'

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

/** The environment of a service that refuses no stranger for sending too much. */
export const roomForStrangers = { ANONYMOUS_PER_MINUTE: '100000', ANONYMOUS_PER_DAY: '100000' }

/** The body of a creation. */
export const rex = '{"name":"Rex","categoryId":7}'

/** Has the server close the connection after the answer. */
export const close = 'Connection: close'

/** The head of a request, as it stands on the wire. */
export function lines(...all: string[]): string {
  return [...all, '', ''].join('\r\n')
}

export interface RawRequests {
  /** A request head with Host and the key. */
  head: (line: string, ...headers: string[]) => string
  /** A POST of a body in one piece. */
  post: (body: string, ...headers: string[]) => string
  /** Sends a request after which the server closes, and gives the one answer. */
  only: (bytes: string | Buffer, quietMs?: number) => Promise<RawAnswer>
  storedNames: () => Promise<string[]>
}

/** What is sent over plain sockets to a service, which need not have started yet. */
export function rawRequests(service: () => TestService): RawRequests {
  const head: RawRequests['head'] = (line, ...headers) =>
    lines(line, 'Host: store.example', `Authorization: Bearer ${service().key}`, ...headers)
  return {
    head,
    post: (body, ...headers) => {
      const framing = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
      return head('POST /v1/pets HTTP/1.1', ...framing, ...headers) + body
    },
    only: async (bytes, quietMs = 3000) => {
      // pages are not counted, and show no limit
      const target = /^[A-Z]+ (?:\w+:\/\/[^/?]+)?(\S*) HTTP/i.exec(bytes.toString('latin1'))?.[1]
      const page = target !== undefined && target !== '*' && !/^\/v1([/?]|$)/.test(target)
      const { answers, closed } = await exchange(service().port, bytes, { quietMs, page })
      expect({ statuses: answers.length, closed }).toEqual({ statuses: 1, closed: true })
      const answer = answers[0] as RawAnswer
      expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
      if (!page) checkEveryAnswer({ ...answer, text: answer.body })
      return answer
    },
    storedNames: async () => {
      const pets = await service().stores.pets.list({ limit: 1000 })
      return pets.map(({ name }) => name)
    },
  }
}

/** One whole Error answer, after which the connection is closed. */
export function expectRefusal({ answers, closed }: RawExchange, status: number, code?: string): void {
  expect(answers.map((answer) => answer.status)).toEqual([status])
  const { headers, body } = answers[0] as RawAnswer
  checkEveryAnswer({ status, headers, text: body })
  expectError(body, status, code)
  expect(headers.connection).toBe('close')
  expect(closed).toBe(true)
}

export function statuses({ answers }: RawExchange): number[] {
  return answers.map(({ status }) => status)
}
