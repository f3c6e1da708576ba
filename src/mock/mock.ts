import { validateHeaderValue } from 'node:http'
import { stringify } from 'lossless-json'
import { invalidRequest, notImplemented } from '../api-error.ts'
import { quotedName } from '../contract/exchange/error-messages.ts'
import type { CompiledOperation, RawReply } from '../contract/compiled.ts'
import type { Described } from '../contract/model/media.ts'
import type { Header, Operation, Response } from '../contract/model/operation.ts'
import type { ContractDocument } from '../contract/model/files/document.ts'
import { modelOf } from '../contract/model/model.ts'
import { isRoadHeader } from '../contract/road-headers.ts'
import { messageOf } from '../failure.ts'
import type { Station } from '../road/stations.ts'
import { appliedText, readPreferences, type Preferences } from './preferences.ts'
import { samplers } from './sample.ts'

/**
 * Makes stations for operations without a handler, which answer what the contract declares. A client chooses one of the
 * declared statuses with `Prefer: code=404` (RFC 7240), an example with `example=NAME`, and a value that is made up where
 * there are examples with `dynamic=true`; `Preference-Applied` says what counted. A status without a valid answer is told
 * to `lost` in a line that begins with the place of the response, and is answered by 501. Without `lost` an error with all
 * these lines is thrown.
 */
export function mockStations(
  document: ContractDocument,
  lost?: (line: string) => void,
): (operation: CompiledOperation) => Station {
  // of two with one name the first one is served
  const declared = new Map(
    modelOf(document)
      .operations.map((one) => [one.operationId, one] as const)
      .toReversed(),
  )
  return (operation) => {
    const node = declared.get(operation.operationId)
    const replies = node ? mockReplies(document, node, operation) : new Map<string, Reply | Fault>()
    const faults = [...replies.values()].filter((reply) => 'fault' in reply)
    if (!lost && faults.length > 0) throw new Error(faults.map(({ fault }) => fault).join('\n'))
    for (const { fault } of faults) lost?.(fault)
    return station(operation, replies)
  }
}

/** Why a status has no answer, in a line that begins with a place. */
interface Fault {
  fault: string
}

function station(operation: CompiledOperation, replies: ReadonlyMap<string, Reply | Fault>): Station {
  const statuses = [...replies.keys()].sort()
  const usual = statuses.find((status) => status.startsWith('2')) ?? statuses[0] ?? ''
  return {
    ...operation,
    read: (request) => ({ ...operation.read(request), header: { prefer: request.headers.prefer } }),
    // the bodies of replies are already text
    write: ({ body }) => body as string | Buffer | undefined,
    handle: async ({ header }) => {
      const preferences = readPreferences(header.prefer)
      const { code } = preferences
      const reply = replies.get(statuses[0] === '' ? '' : (code ?? usual))
      if (reply && 'fault' in reply) throw notImplemented(`This answer is not served: ${reply.fault}`)
      if (reply) return Promise.resolve(preferredReply(reply, preferences))
      throw invalidRequest(`header.prefer asks for the code ${quotedName(code)}; declared are ${statuses.join(', ')}.`)
    },
  }
}

/** The answer of a status, and others that a client may prefer. */
interface Reply {
  usual: RawReply
  /** The examples that have names. */
  examples: ReadonlyMap<string, () => RawReply>
  /** The answer without examples; absent where nothing can be made up. */
  dynamic?: () => RawReply
}

/** What a client prefers of the answers of one status. An example counts before a made-up value. */
function preferredReply(reply: Reply, { code, example, dynamic }: Preferences): RawReply {
  const { usual, dynamic: makeUp } = reply
  const ofCode = code === undefined ? {} : { code }
  if (example !== undefined) return applied(exampleReply(reply, example), { ...ofCode, example })
  if (dynamic === 'true' && makeUp) return applied(makeUp(), { ...ofCode, dynamic })
  return applied(usual, ofCode)
}

function exampleReply({ usual: { status }, examples }: Reply, name: string): RawReply {
  const make = examples.get(name) ?? examples.get(Buffer.from(name, 'latin1').toString('utf8'))
  const asked = `header.prefer asks for the example ${quotedName(name)}`
  if (!make) {
    const names = [...examples.keys()].map(quotedName)
    const there = names.length === 0 ? 'has no examples with names' : `has these: ${names.join(', ')}`
    throw invalidRequest(`${asked}; the answer ${status} ${there}.`)
  }
  try {
    return make()
  } catch (error) {
    throw invalidRequest(`${asked}, which is no valid answer: ${messageOf(error).replace(/\.?$/, '.')}`)
  }
}

function applied(reply: RawReply, preferences: Preferences): RawReply {
  const text = appliedText(preferences)
  return text === undefined ? reply : { ...reply, headers: { ...reply.headers, 'Preference-Applied': text } }
}

type Write = CompiledOperation['write']

/** A reply for each status that an operation declares, with its body as text, or why there is none. */
function mockReplies(
  document: ContractDocument,
  { responses, at }: Operation,
  { operationId: name, write }: CompiledOperation,
): Map<string, Reply | Fault> {
  const { place } = document
  const chosen = mockedStatuses([...responses.keys()])
  if (chosen.length === 0) {
    const where = place([...at, 'responses'])
    return new Map([['', { fault: `${where} ${name} cannot be mocked, since it declares no status to answer.` }]])
  }
  const replies = new Map<string, Reply | Fault>()
  for (const { status, declared } of chosen) {
    const response = responses.get(declared)
    if (!response) continue
    try {
      replies.set(String(status), mockReply(response, { status, write }))
    } catch (error) {
      const where = place([...at, 'responses', declared])
      const why = messageOf(error).replace(/\.?$/, '.')
      const fault = `${where} No answer ${status} of ${name} could be made up: ${why} Give it an example.`
      replies.set(String(status), { fault })
    }
  }
  return replies
}

/**
 * The statuses that can be answered, each with the key that declares it: a range by its first status that is not
 * declared itself, and `default` by 200 where no other success is. 1xx is not a final answer.
 */
function mockedStatuses(keys: readonly string[]): { status: number; declared: string }[] {
  const exact = keys.filter((key) => /^[2-5]\d\d$/.test(key))
  const ranges = keys.filter((key) => /^[2-5]XX$/.test(key))
  const inRanges = ranges.map((declared) => {
    const first = Number(declared.charAt(0)) * 100
    const free = Array.from({ length: 100 }, (_, index) => first + index).find((one) => !exact.includes(String(one)))
    return { status: free ?? first, declared }
  })
  const hasSuccess = keys.some((key) => key.startsWith('2'))
  return [
    ...exact.map((key) => ({ status: Number(key), declared: key })),
    ...inRanges,
    ...(keys.includes('default') && !hasSuccess ? [{ status: 200, declared: 'default' }] : []),
  ]
}

function mockReply(response: Response, { status, write }: { status: number; write: Write }): Reply {
  const { answered } = response
  const replyOf = (all: readonly (() => unknown)[]): RawReply => firstReply(response, { status, write }, all)
  const usual = replyOf(candidates(answered))
  const named = (answered?.examples ?? []).flatMap(({ name, value }) => (name === undefined ? [] : [{ name, value }]))
  const examples = new Map(named.map(({ name, value }) => [name, () => replyOf([() => value])]))
  const schema = answered?.schema
  // the first sampler uses the examples in the schema
  return schema ? { usual, examples, dynamic: () => replyOf(samplers(schema).slice(1)) } : { usual, examples }
}

/** The first of the candidates for a body that is valid. */
function firstReply(
  response: Response,
  { status, write }: { status: number; write: Write },
  bodies: readonly (() => unknown)[],
): RawReply {
  const filled = headersFor(response.headers)
  const headers = Object.fromEntries(Object.entries(filled).filter(([name]) => !isRoadHeader(name)))
  const { answered } = response
  const isText = answered !== undefined && answered.kind !== 'json'
  let fault: unknown
  for (const make of bodies) {
    try {
      const value = make()
      const body = write({ status, headers, body: isText && value !== undefined ? asText(value) : value })
      return { status, headers: { ...filled, 'X-Mock': 'true' }, body }
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/** The text of a body that is no JSON; a value in an example that is no text is shown as JSON. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (stringify(value) ?? '')
}

/** Functions that return candidates: the examples of the contract, then values made up from the schema. */
function candidates(described: Described | undefined): (() => unknown)[] {
  // without a schema JSON may have no value, and other content is empty
  const made = described?.schema ? samplers(described.schema) : [() => undefined, () => '']
  return [
    ...(described?.examples ?? []).map(
      ({ value }) =>
        () =>
          value,
    ),
    ...made,
  ]
}

/** Headers that the road sets only on its own refusals, so that a mocked refusal needs them. */
const ofRefusals = ['Allow', 'Retry-After', 'WWW-Authenticate']

/** The headers that an answer must have and that the road does not set. */
function headersFor(declared: Response['headers']): Record<string, string> {
  const needed = [...declared].filter(
    ([name, { required }]) =>
      (required || name === 'Retry-After') && (!isRoadHeader(name) || ofRefusals.includes(name)),
  )
  return Object.fromEntries(needed.map(([name, header]) => [name, headerValue(name, header)]))
}

function headerValue(name: string, header: Header): string {
  let fault: unknown
  for (const make of candidates(header)) {
    try {
      const value = make()
      if (value === undefined) break
      // headers have only the style `simple`
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
