import { validateHeaderValue } from 'node:http'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Operation as DeclaredOperation } from 'openapi-backend'
import { invalidRequest } from '../api-error.ts'
import { apiRootOf, declaredOperations, type ContractDocument, type Place } from './document/document.ts'
import { describeFaults } from './compile/faults.ts'
import { refuseDishonoured, resolveContract, type Parameter } from './compile/resolve.ts'
import { lifecycleHeaders, sunsetOf } from './compile/lifecycle.ts'
import { mockReplies } from '../mock/mock.ts'
import { roadHeaders } from './operation.ts'
import { decodeSegment, readQuery } from './compile/query.ts'
import { ContractRouter, templateNames } from './compile/router.ts'
import { validationSchema, type Schema } from './compile/schema.ts'
import { serializers, type Serialize } from './compile/serializer.ts'
import { ContractValidator } from './compile/validator.ts'
import { messageOf } from '../failure.ts'

/** The contract, compiled: all that can be known before the first request. */
export interface Contract {
  /** The path that all operations stand under, from the contract's servers, such as `/v1`. */
  apiRoot: string
  router: ContractRouter
  operations: ReadonlyMap<string, CompiledOperation>
  /** Headers that operations take as parameters. */
  requestHeaders: readonly string[]
}

/** What came with a request for an operation, still as text. */
export interface RawRequest {
  /** Path parameters in the template's order, still encoded. */
  values: readonly string[]
  query: string
  headers: Readonly<Record<string, unknown>>
  /** The JSON value, or undefined when there was no body. */
  body: unknown
}

/** A request's parts after validation, with every value converted and every default filled in. */
export interface ValidRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  body: unknown
}

/** What a handler answered, before it is known to keep the contract. */
export interface RawReply {
  status: number
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

export interface CompiledOperation {
  operationId: string
  takesBody: boolean
  deprecated: boolean
  /** When the operation is to be removed, in Unix time in ms. */
  sunset: number | undefined
  /** Headers of every answer of this operation, names and values in turn. */
  lifecycle: readonly string[]
  /** Throws `invalid_request` with every fault and its place. */
  read: (request: RawRequest) => ValidRequest
  /** The body as text. Throws when the contract does not declare this answer, which is a fault of the service. */
  write: (reply: RawReply) => string | undefined
  /** What a mock answers, by status, with bodies as text. Throws when the contract allows no answer that was found. */
  mocks: () => ReadonlyMap<string, RawReply>
}

export interface CompileOptions {
  /** The contract has been checked against the OpenAPI schema before, by `npm run generate`. */
  checked: boolean
  /**
   * Whether anything in an answer that the contract does not declare is a fault. Otherwise bodies alone are checked, and
   * faulty items of a list are left out.
   */
  checkResponses: boolean
  /** Hears of items that were left out of an answer. */
  onFault?: (fault: Error) => void
  /** The address that links begin with; empty for links that are a path alone. */
  publicUrl: string
}

/** Compiles a contract. What it says wrongly, or what cannot be honoured, throws an error that names the place. */
export async function compileContract(document: ContractDocument, options: CompileOptions): Promise<Contract> {
  declaredOperations(document)
  refuseSameShape(document)
  const definition = await resolveContract(document, options)
  const apiRoot = apiRootOf(document)
  const router = new ContractRouter(definition, apiRoot)
  const serializer = serializers()
  const validator = new ContractValidator({ definition, router, lazyCompileValidators: true })
  const addressOf = (operationId: string): string | undefined => {
    const target = router.getOperation(operationId)
    return target && `${options.publicUrl}${apiRoot}${target.path}`
  }
  const all = router.getOperations()
  const operations = all.map((declared): CompiledOperation => {
    const place: Place = () => document.place(['paths', declared.path, declared.method])
    refuseDishonoured(declared, definition, place)
    const write = replyWriter(declared, validator, serializer, {
      place,
      check: options.checkResponses,
      onFault: options.onFault,
    })
    return {
      operationId: declared.operationId ?? '',
      takesBody: declared.requestBody !== undefined,
      deprecated: declared.deprecated === true,
      sunset: sunsetOf(declared, place),
      lifecycle: lifecycleHeaders(declared, {
        place,
        addressOf,
        docs: `${options.publicUrl}/docs`,
      }),
      read: requestReader(declared, validator, place),
      write,
      mocks: () =>
        mockReplies(declared, {
          write,
          placeOf: (status) => document.place(['paths', declared.path, declared.method, 'responses', status]),
        }),
    }
  })
  return {
    apiRoot,
    router,
    operations: new Map(operations.map((one) => [one.operationId, one])),
    requestHeaders: [...new Set(all.flatMap((declared) => headerParameters(declared).map(({ name }) => name)))],
  }
}

/** Two templates that differ only in the names of their parameters match the same paths. */
function refuseSameShape({ root, place }: ContractDocument): void {
  const shapes = new Map<string, string>()
  for (const path of Object.keys(root.paths ?? {})) {
    const shape = path.replace(/\{[^}]+\}/g, '{}')
    const other = shapes.get(shape)
    if (other) throw new Error(`${place(['paths', path])} The path ${path} matches the same addresses as ${other}.`)
    shapes.set(shape, path)
  }
}

function requestReader(
  declared: DeclaredOperation,
  validator: ContractValidator,
  place: Place,
): CompiledOperation['read'] {
  const parameters = (declared.parameters ?? []) as Parameter[]
  const lists = parameters.filter((one) => one.in === 'query' && one.schema?.type === 'array')
  const repeated = new Set(lists.filter(({ explode }) => explode !== false).map(({ name }) => name))
  const separated = new Set(lists.filter(({ explode }) => explode === false).map(({ name }) => name))
  const pathNames = templateNames(declared.path)
  const headerNames = headerParameters(declared).map(({ name }) => [name, name.toLowerCase()] as const)
  const validators = atPlace(place, () =>
    validator.buildRequestValidatorsForOperation(validationSchema(declared, { closed: false })),
  )
  return ({ values, query: queryText, headers, body }) => {
    const path: Record<string, unknown> = {}
    for (const [index, name] of pathNames.entries()) path[name] = decodeSegment(values[index] ?? '')
    const header: Record<string, unknown> = {}
    for (const [, name] of headerNames) if (headers[name] !== undefined) header[name] = headers[name]
    const query: Record<string, unknown> = readQuery(queryText, repeated, separated)
    const parts = { path, query, header, ...(body === undefined ? {} : { requestBody: body }) }
    let errors: ErrorObject[] | undefined
    for (const validate of validators ?? []) {
      if (!validate(parts)) errors = [...(errors ?? []), ...(validate.errors ?? [])]
    }
    if (errors) throw invalidRequest(describeFaults(errors))
    return { path, query, header: asDeclared(header, headerNames), body: parts.requestBody }
  }
}

function headerParameters({ parameters = [] }: DeclaredOperation): Parameter[] {
  return (parameters as Parameter[]).filter((one) => one.in === 'header')
}

/** Validators know headers by their names in lower case, and handlers by the names that the contract gives them. */
function asDeclared(
  header: Record<string, unknown>,
  names: readonly (readonly [declared: string, lower: string])[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [declared, lower] of names) if (header[lower] !== undefined) result[declared] = header[lower]
  return result
}

interface DeclaredResponse {
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, { schema?: Schema }>
}

function replyWriter(
  declared: DeclaredOperation,
  validator: ContractValidator,
  serializer: ReturnType<typeof serializers>,
  { place, check, onFault }: { place: Place; check: boolean; onFault: CompileOptions['onFault'] },
): CompiledOperation['write'] {
  const responses = Object.entries((declared.responses ?? {}) as Record<string, DeclaredResponse>)
  const compileChecks = (): Record<string, ValidateFunction> =>
    atPlace(
      place,
      () =>
        validator.buildStatusBasedResponseValidatorForOperation(validationSchema(declared, { closed: check })) ?? {},
    )
  // the start does not wait for checks that only what was stored by others needs
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
    const fault = (what: string): Error => new Error(`${declared.operationId ?? ''} answered ${key} ${what}`)
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

/** The items of a list that have no fault, so that one row does not cost its whole page. Throws for any other body. */
function soundItems(body: unknown, errors: readonly ErrorObject[], wrong: Error): unknown[] {
  const indexes = errors.map(({ instancePath }) => /^\/(\d+)/.exec(instancePath)?.[1])
  if (!Array.isArray(body) || indexes.includes(undefined)) throw wrong
  const faulty = new Set(indexes.map(Number))
  return body.filter((_, index) => !faulty.has(index))
}

/** Which of a response's headers a handler may set, and which it must. */
function handlerHeadersOf(headers: NonNullable<DeclaredResponse['headers']>): {
  allowed: string[]
  required: string[]
} {
  const road: readonly string[] = roadHeaders
  const allowed = Object.keys(headers).filter((name) => !road.includes(name))
  return { allowed, required: allowed.filter((name) => headers[name]?.required === true) }
}

/** Runs a step of the compilation, and puts the place before what it throws. */
function atPlace<T>(place: Place, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const message = messageOf(error)
    throw new Error(message.startsWith(place()) ? message : `${place()} ${message}`, { cause: error })
  }
}
