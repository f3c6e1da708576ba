import { request, type Agent, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { bodyOf, type Sent } from '../faults/client.ts'

/** How long an answer is waited for, in ms. The service gives up on its servers long before. */
const patienceMs = 20_000

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface Question {
  key: string
  agent: Agent
  /** The animal to add; without one the question is a GET. */
  add?: Sent
  /** Whether the animal's name is its Idempotency-Key. */
  once?: boolean
}

/** Asks for a path of a server. Rejects when no whole answer comes in time. */
export function ask(address: string, path: string, { key, agent, add, once }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, address), {
      method: add ? 'POST' : 'GET',
      agent,
      timeout: patienceMs,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(add && { 'Content-Type': 'application/json' }),
        ...(add && once && { 'Idempotency-Key': add.name }),
      },
    })
    outgoing.on('response', (answer) => {
      text(answer).then((body) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
      }, reject)
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('There was no answer in time.')))
    outgoing.on('error', reject)
    outgoing.end(add && bodyOf(add))
  })
}

/** Whether it is the contract's refusal with this status: its Error, when to come again, and the headers of quotas. */
export function isRefusal({ status, headers, body }: Answer, expected: number, code: string): boolean {
  return (
    status === expected &&
    new RegExp(`^\\{"code":"${code}","message":"[^"]+","status":${expected}\\}$`).test(body) &&
    /^[1-9]\d*$/.test(headers['retry-after'] ?? '') &&
    ['limit', 'remaining', 'reset'].every((name) => /^\d+$/.test(String(headers[`x-ratelimit-${name}`])))
  )
}
