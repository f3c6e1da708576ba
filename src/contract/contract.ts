import { bodyReader } from './compile/request/bodies.ts'
import { lifecycleHeaders, sunsetOf, type Lifecycle } from './compile/life-cycle.ts'
import { replyWriters } from './compile/reply/reply.ts'
import { requestReader } from './compile/request/request.ts'
import { ContractRouter, type Route } from './exchange/router.ts'
import { serializers } from './compile/reply/serializer.ts'
import { refuseUnsupported, unservedByMock, type Unserved } from './rules/coverage.ts'
import { ContractValidator } from './compile/validator.ts'
import type { CompiledOperation, CompileOptions, Contract } from './compiled.ts'
import { messageOf } from '../failure.ts'
import type { ContractDocument } from './model/files/document.ts'
import { modelOf, type ContractModel } from './model/model.ts'
import type { Operation } from './model/operation.ts'
import type { Schema } from './model/schema.ts'
import { encoded } from './model/path.ts'
import { fault, sentencesOf, type Finding } from './rules/rule.ts'
import { faultsOfDefault } from './rules/values.ts'

/**
 * Compiles a contract. An error in it, or a part that is not supported, throws an error that begins with the place. In a
 * lenient compilation it costs only the operations that need the part.
 */
export function compileContract(document: ContractDocument, options: CompileOptions): Promise<Contract> {
  return Promise.resolve().then(() => {
    if (options.lenient) return compileJudged(document, options, unservedByMock(document))
    if (!options.checked) refuseUnsupported(document)
    return compileJudged(document, options)
  })
}

type JudgedOptions = Omit<CompileOptions, 'checked'>

/**
 * Compiles the operations of a contract that no rule refuses. What it throws is a bug of this program, and begins with
 * the place; in a lenient compilation it costs only the operation.
 */
export function compileJudged(
  document: ContractDocument,
  options: JudgedOptions,
  refused: Pick<Unserved, 'operations' | 'others'> = { operations: new Map(), others: [] },
): Contract {
  const model = modelOf(document)
  const { apiRoot } = model
  const compiled = compiler(model, options)
  const unserved = refused.others.map((one) => fault(document, one).message)
  const served: [Operation, CompiledOperation][] = []
  const others: [Operation, CompiledOperation][] = []
  const leaveOut = (operation: Operation, place: string, why: Pick<Finding, 'message' | 'fix'>): void => {
    unserved.push(`${place} ${operation.name} is not served: ${sentencesOf(why)}`)
    others.push([operation, unservedOperation(operation, `${place} ${why.message}`)])
  }
  for (const operation of model.operations) {
    const place = (): string => document.place(operation.at)
    const [why] = refused.operations.get(operation) ?? []
    if (why) leaveOut(operation, document.place(why.at), why)
    else {
      try {
        served.push([operation, atPlace(place, () => compiled(operation))])
      } catch (error) {
        if (!options.lenient) throw error
        leaveOut(operation, place(), { message: messageOf(error).replace(`${place()} `, '').replace(/\.?$/, '.') })
      }
    }
  }
  return {
    apiRoot,
    // of two with one address, or with one name, the one that is served comes first, or replaces the other
    router: new ContractRouter(routesOf(apiRoot, [...served, ...others])),
    operations: new Map([...others, ...served].map(([, one]) => [one.operationId, one])),
    unserved,
  }
}

/** Returns what compiles an operation. */
function compiler(
  model: ContractModel,
  { checkResponses: check, onFault, publicUrl, lenient, trial: quick = false }: JudgedOptions,
): (operation: Operation) => CompiledOperation {
  const fills = (schema: Schema): boolean => !lenient || faultsOfDefault(model, schema).length === 0
  const validator = new ContractValidator(model, { closed: check, quick, fills, wide: lenient })
  const replyWriter = replyWriters({ validator, serializer: serializers({ quick }), check, onFault })
  const addresses = addressesOf(model.operations)
  const addressOf = (operationId: string): string => publicUrl + (addresses.get(operationId) ?? '')
  return (operation) => {
    const { node, operationId, security, responses } = operation
    const lifecycle = node as Lifecycle
    const bodies = bodyReader(operation, validator)
    return {
      operationId,
      bodies: bodies?.types,
      security,
      deprecated: node.deprecated === true,
      conditional: operation.isConditional,
      statuses: [...responses.keys()].flatMap((status) => (/^\d+$/.test(status) ? Number(status) : [])),
      sunset: sunsetOf(lifecycle),
      lifecycle: lifecycleHeaders(lifecycle, { addressOf, docs: `${publicUrl}/docs` }),
      read: requestReader(operation, { validator, bodies }),
      ...replyWriter(operation),
    }
  }
}

/** An operation that takes any request, for one that is not served. */
function unservedOperation({ operationId }: Operation, unserved: string): CompiledOperation {
  return {
    ...{ operationId, unserved, bodies: undefined, security: [[]], deprecated: false, statuses: [] },
    ...{ conditional: false, sunset: undefined, lifecycle: [] },
    ...{ write: () => undefined, typeOf: () => undefined, allows: () => true },
    read: () => ({ path: {}, query: {}, header: {}, body: undefined }),
  }
}

/** The routes of operations. A GET is that of HEAD as well, where the path has no HEAD of its own. */
function routesOf(
  apiRoot: string,
  all: readonly (readonly [Operation, CompiledOperation])[],
): Route<CompiledOperation>[] {
  const heads = new Set(all.flatMap(([one]) => (one.method === 'head' ? pathBelow(apiRoot, one) : [])))
  return all.flatMap(([one, operation]) => {
    const path = pathBelow(apiRoot, one)
    const methods = one.method === 'get' && !heads.has(path) ? ['get', 'head'] : [one.method]
    return methods.map((method) => ({ method, path, operation }))
  })
}

/** The path of an operation below the API root, as requests have it. */
function pathBelow(apiRoot: string, { path, serverPath = '' }: Operation): string {
  return serverPath.slice(apiRoot.length) + encoded(path)
}

/** The addresses of operations, by name and by the operationId that the contract has. */
function addressesOf(operations: readonly Operation[]): Map<string, string> {
  const by = (nameOf: (operation: Operation) => string): [string, string][] =>
    operations.map((operation) => [nameOf(operation), (operation.serverPath ?? '') + operation.path])
  return new Map([...by((one) => one.operationId), ...by((one) => one.declaredId ?? one.operationId)])
}

/** Runs a step of the compilation. The message of an error that it throws gets the place in front. */
function atPlace<T>(place: () => string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const message = messageOf(error)
    throw new Error(message.startsWith(place()) ? message : `${place()} ${message}`, { cause: error })
  }
}
