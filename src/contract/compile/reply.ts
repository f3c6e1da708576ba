import { validateHeaderValue } from 'node:http'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Operation } from 'openapi-backend'
import type { CompiledOperation, CompileOptions } from '../compiled.ts'
import type { PlaceText } from '../document/document.ts'
import { isRoadHeader } from '../road-headers.ts'
import { describeFaults } from './faults.ts'
import { atPlace, responsesOf, type ResolvedResponse } from './resolve.ts'
import { validationSchema } from './schema.ts'
import type { Serialize, serializers } from './serializer.ts'
import type { ContractValidator } from './validator.ts'

interface WriterParts {
  validator: ContractValidator
  serializer: ReturnType<typeof serializers>
  place: PlaceText
  /** Whether anything that the contract does not declare is a fault. */
  check: boolean
  onFault: CompileOptions['onFault']
}

/** Compiles `CompiledOperation.write`: checks an answer against the contract, and writes its body. */
export function replyWriter(
  operation: Operation,
  { validator, serializer, place, check, onFault }: WriterParts,
): CompiledOperation['write'] {
  const responses = responsesOf(operation)
  const compileChecks = (): Record<string, ValidateFunction> =>
    atPlace(
      place,
      () =>
        validator.buildStatusBasedResponseValidatorForOperation(validationSchema(operation, { closed: check })) ?? {},
    )
  // compiled at the first answer: they find only what others have stored, so the start must not wait for them
  let checks = check ? compileChecks() : undefined
  const writers = new Map(
    responses.map(([status, { content }]): [string, Serialize | undefined] => {
      const schema = content?.['application/json']?.schema
      return [status, schema && atPlace(place, () => serializer(schema, place))]
    }),
  )
  const handlerHeaders = new Map(responses.map(([status, { headers = {} }]) => [status, handlerHeadersOf(headers)]))
  return ({ status, headers = {}, body }) => {
    const key = String(status)
    const write = writers.get(key)
    const { allowed = [], required = [] } = handlerHeaders.get(key) ?? {}
    const fault = (what: string): Error => new Error(`${operation.operationId ?? ''} answered ${key} ${what}`)
    if (!writers.has(key)) throw fault('which the contract does not declare.')
    checks ??= compileChecks()
    const validate = write && checks[key]
    let kept = body
    if (validate && !validate(body)) {
      const wrong = fault(`with a wrong body: ${describeFaults(validate.errors ?? [], 'body')}`)
      if (check) throw wrong
      kept = soundItems(body, validate.errors ?? [], wrong)
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
  }
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
function handlerHeadersOf(headers: NonNullable<ResolvedResponse['headers']>): {
  allowed: string[]
  required: string[]
} {
  const allowed = Object.keys(headers).filter((name) => !isRoadHeader(name))
  return { allowed, required: allowed.filter((name) => headers[name]?.required === true) }
}
