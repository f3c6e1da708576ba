import { validateHeaderValue } from 'node:http'
import type { ErrorObject } from 'ajv'
import type { CompiledOperation, CompileOptions } from '../../compiled.ts'
import { kept } from '../../../kept.ts'
import { isRoadHeader } from '../../road-headers.ts'
import { describeFaults } from '../../exchange/error-messages.ts'
import { isJson } from '../../model/media-type.ts'
import type { Media } from '../../model/media.ts'
import type { Operation, Response } from '../../model/operation.ts'
import type { Serialize, serializers } from './serializer.ts'
import type { Check, ContractValidator } from '../validator.ts'

interface WriterParts {
  validator: ContractValidator
  serializer: ReturnType<typeof serializers>
  /** Whether anything that the contract does not declare is a fault. */
  check: boolean
  onFault: CompileOptions['onFault']
}

/** How the answers of one declared status are checked and written. */
interface Answers {
  type: string | undefined
  /** Undefined for an answer without a body. */
  write: ((body: unknown) => string | Buffer | undefined) | undefined
  check: () => Check | undefined
  allowed: readonly string[]
  required: readonly string[]
}

type ReplyWriter = Pick<CompiledOperation, 'write' | 'typeOf' | 'allows'>

/**
 * Returns what compiles `CompiledOperation.write`, which checks an answer against the contract, and writes its body. An
 * answer that several operations declare by a reference is compiled once.
 */
export function replyWriters(parts: WriterParts): (operation: Operation) => ReplyWriter {
  const known = new Map<Response, Answers>()
  return (operation) => {
    const declared = Array.from(operation.responses, ([status, response]): [string, Answers] => [
      status,
      kept(known, response, () => answersOf(response, parts)),
    ])
    return replyWriter(operation, new Map(declared), parts)
  }
}

function replyWriter(
  { operationId }: Operation,
  declared: ReadonlyMap<string, Answers>,
  { check, onFault }: WriterParts,
): ReplyWriter {
  const hasSuccess = [...declared.keys()].some((status) => status.startsWith('2'))
  const known = new Map<number, Answers | undefined>()
  /** The answers of a status, else of its range; `default` stands for success where no success is declared. */
  const answers = (status: number): Answers | undefined => {
    if (known.has(status)) return known.get(status)
    const range = `${Math.floor(status / 100)}XX`
    const found =
      declared.get(String(status)) ?? declared.get(range) ?? (hasSuccess ? undefined : declared.get('default'))
    known.set(status, found)
    return found
  }
  return {
    typeOf: (status) => answers(status)?.type,
    allows: (status, body) => (answers(status)?.check()?.(body) ?? []).length === 0,
    write: ({ status, headers = {}, body }) => {
      const found = answers(status)
      const fault = (what: string): Error => new Error(`${operationId} answered ${status} ${what}`)
      if (!found) throw fault('which the contract does not declare.')
      const { write, allowed, required } = found
      const faults = (write && found.check()?.(body)) ?? []
      let kept = body
      if (faults.length > 0) {
        const wrong = fault(`with a wrong body: ${describeFaults(faults, 'body')}`)
        if (check) throw wrong
        kept = soundItems(body, faults, wrong)
        onFault?.(wrong)
      }
      if (check) {
        const missing = required.find((name) => headers[name] === undefined)
        if (missing !== undefined) throw fault(`without the header ${missing}.`)
        const extra = Object.keys(headers).find((name) => !allowed.includes(name))
        if (extra !== undefined) throw fault(`with the header ${extra}, which the contract does not declare.`)
      }
      for (const name in headers) {
        if (!isSendable(name, headers[name])) throw fault(`with a value of the header ${name} that cannot be sent.`)
      }
      return write?.(kept)
    },
  }
}

function answersOf(response: Response, { validator, serializer }: WriterParts): Answers {
  const { allowed, required } = handlerHeadersOf(response.headers)
  const chosen = response.answered
  const none = { type: undefined, write: undefined, check: () => undefined, allowed, required }
  if (!chosen) return none
  const { kind, name, type, schema } = chosen
  if (kind !== 'json') return { ...none, type: sentType(chosen), write: textOrBytes }
  const serialize: Serialize = serializer(schema)
  // JSON without a schema may be any value, or none
  const write = (body: unknown): string | undefined => (body === undefined && !schema ? undefined : serialize(body))
  // compiled at the first answer: only what another program has stored can be wrong, so the start does not wait for it
  let check: Check | undefined
  const answered = isJson(type) && type !== 'application/json' ? name : undefined
  return { ...none, type: answered, write, check: () => (check ??= schema && validator.forAnswer(schema)) }
}

/** The media type of an answer that is no JSON. For a range it is one that the range contains. */
function sentType({ name, type }: Media): string {
  if (type === 'text/*') return 'text/plain; charset=utf-8'
  if (type.endsWith('/*')) return 'application/octet-stream'
  return type.startsWith('text/') && !/charset/i.test(name) ? `${type}; charset=utf-8` : name
}

function textOrBytes(body: unknown): string | Buffer {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  throw new Error('The body of an answer that is not JSON must be a string or bytes.')
}

function isSendable(name: string, value: unknown): boolean {
  try {
    validateHeaderValue(name, String(value))
    return true
  } catch {
    return false
  }
}

/** The valid items of a list, so that one invalid row does not cost the whole page. Throws for any other body. */
function soundItems(body: unknown, errors: readonly ErrorObject[], wrong: Error): unknown[] {
  const indexes = errors.map(({ instancePath }) => /^\/(\d+)/.exec(instancePath)?.[1])
  if (!Array.isArray(body) || indexes.includes(undefined)) throw wrong
  const faulty = new Set(indexes.map(Number))
  return body.filter((_, index) => !faulty.has(index))
}

/** The headers of a response that a handler may set, and those that it must set. */
function handlerHeadersOf(headers: Response['headers']): { allowed: string[]; required: string[] } {
  const allowed = [...headers.keys()].filter((name) => !isRoadHeader(name))
  return { allowed, required: allowed.filter((name) => headers.get(name)?.required === true) }
}
