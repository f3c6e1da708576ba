import { validateHeaderValue } from 'node:http'
import type { Operation as DeclaredOperation } from 'openapi-backend'
import { invalidRequest } from '../api-error.ts'
import type { CompiledOperation, RawReply } from '../contract/contract.ts'
import { quotedName } from '../contract/compile/faults.ts'
import { roadHeaders } from '../contract/operation.ts'
import type { Station } from '../road/pipeline.ts'
import { sample } from './sample.ts'
import type { Schema } from '../contract/compile/schema.ts'
import { messageOf } from '../failure.ts'

/**
 * An operation without a handler, as a station of the road: it answers what its contract declares. A client chooses
 * among the declared statuses with `Prefer: code=404` (RFC 7240).
 */
export function mockStation(operation: CompiledOperation): Station {
  const replies = operation.mocks()
  const statuses = [...replies.keys()].sort()
  const usual = statuses.find((status) => status.startsWith('2')) ?? statuses[0] ?? ''
  return {
    operation: {
      ...operation,
      read: (request) => ({ ...operation.read(request), header: { prefer: request.headers.prefer } }),
      // it was written when the replies were made
      write: ({ body }) => body as string | undefined,
    },
    handle: async ({ header }) => {
      const preferred = preferredCode(header.prefer)
      const reply = replies.get(preferred ?? usual)
      if (reply) return Promise.resolve(reply)
      throw invalidRequest(
        `header.prefer asks for the code ${quotedName(preferred)}; declared are ${statuses.join(', ')}.`,
      )
    },
  }
}

/** The code that a `Prefer` header asks for; the first counts. */
function preferredCode(header: unknown): string | undefined {
  const preferences = typeof header === 'string' ? header.match(/(?:[^,"]|"[^"]*")+/g) : null
  for (const preference of preferences ?? []) {
    const [, value] = /^\s*code\s*=\s*"?([^\s";]*)/i.exec(preference) ?? []
    if (value !== undefined) return value
  }
  return undefined
}

interface MockParts {
  write: CompiledOperation['write']
  /** Where the response with this status stands. */
  placeOf: (status: string) => string
}

interface DeclaredResponse {
  headers?: Record<string, DeclaredValue & { required?: boolean }>
  content?: Record<string, DeclaredValue>
}

interface DeclaredValue {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

/**
 * A mock's reply for each status that an operation declares, its body already written. When no answer can be found that
 * keeps the contract, throws an error that begins with the place of the response.
 */
export function mockReplies(
  { operationId = '', responses = {} }: DeclaredOperation,
  { write, placeOf }: MockParts,
): ReadonlyMap<string, RawReply> {
  const declared = Object.entries(responses as Record<string, DeclaredResponse>)
  // 1xx is no answer yet, and `default` no status
  const chosen = declared.filter(([status]) => /^[2-5]/.test(status))
  if (chosen.length === 0) {
    throw new Error(`${placeOf('')} ${operationId} cannot be mocked, since it declares no status to answer.`)
  }
  return new Map(
    chosen.map(([status, response]): [string, RawReply] => {
      try {
        return [status, mockReply(Number(status), response, { write, seed: `${operationId} ${status}` })]
      } catch (error) {
        throw new Error(
          `${placeOf(status)} No answer ${status} of ${operationId} could be made up: ${messageOf(error)} ` +
            'Give it an example.',
          { cause: error },
        )
      }
    }),
  )
}

function mockReply(
  status: number,
  { headers = {}, content }: DeclaredResponse,
  { write, seed }: { write: CompiledOperation['write']; seed: string },
): RawReply {
  const filled = headersFor(headers, seed)
  const ofHandler = Object.fromEntries(Object.entries(filled).filter(([name]) => !isOfRoad(name)))
  let fault: unknown
  for (const make of candidates(content?.['application/json'] ?? {}, { seed, name: 'body' })) {
    try {
      const text = write({ status, headers: ofHandler, body: make() })
      return { status, headers: { ...filled, 'X-Mock': 'true' }, body: text }
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/** How many values are made up from a schema before it is given up. */
const attempts = 20

/** Makers of what may be answered: the contract's examples, then what is made up, at first from examples of parts. */
function* candidates(
  { example, examples = {}, schema }: DeclaredValue,
  { seed, name }: { seed: string; name: string },
): Generator<() => unknown> {
  const given = [example, ...Object.values(examples).map(({ value }) => value), schema?.example]
  for (const value of given) if (value !== undefined) yield () => value
  if (!schema) yield () => undefined
  for (let attempt = 0; schema && attempt < attempts; attempt += 1) {
    yield () => sample(schema, { seed: `${seed} ${attempt}`, examples: attempt === 0, name })
  }
}

/** Headers that the road sets only on its own refusals, and so not on a mocked one. */
const ofRefusals = ['Allow', 'Retry-After', 'WWW-Authenticate']

/** The headers that an answer must have and the road does not set. */
function headersFor(declared: NonNullable<DeclaredResponse['headers']>, seed: string): Record<string, string> {
  const needed = Object.entries(declared).filter(
    ([name, { required }]) =>
      (required === true || name === 'Retry-After') && (!isOfRoad(name) || ofRefusals.includes(name)),
  )
  return Object.fromEntries(needed.map(([name, header]) => [name, headerValue(name, header, seed)]))
}

function isOfRoad(name: string): boolean {
  return (roadHeaders as readonly string[]).includes(name)
}

function headerValue(name: string, header: DeclaredValue, seed: string): string {
  let fault: unknown
  for (const make of candidates(header, { seed: `${seed} ${name}`, name })) {
    try {
      const value = make()
      if (value === undefined) break
      // the style `simple`, the only one of headers
      const parts = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value ?? {}) : [value]
      const text = parts.map(String).join(',')
      validateHeaderValue(name, text)
      return text
    } catch (error) {
      fault = error
    }
  }
  throw new Error(`the header ${name} has no value that can be sent.`, { cause: fault })
}
