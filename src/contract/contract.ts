import { OpenAPIRouter } from 'openapi-backend'
import { bodyReader } from './compile/request/bodies.ts'
import { lifecycleHeaders, sunsetOf, type Lifecycle } from './compile/life-cycle.ts'
import { replyWriter } from './compile/reply/reply.ts'
import { requestReader } from './compile/request/request.ts'
import { definitionOf } from './compile/definition.ts'
import { ContractRouter, type Route } from './exchange/router.ts'
import { serializers } from './compile/reply/serializer.ts'
import { refuseUnsupported } from './rules/coverage.ts'
import { ContractValidator } from './compile/validator.ts'
import type { CompiledOperation, CompileOptions, Contract } from './compiled.ts'
import { messageOf } from '../failure.ts'
import type { ContractDocument, PlaceText } from './model/files/document.ts'
import { modelOf } from './model/model.ts'
import type { Operation } from './model/operation.ts'

/** Compiles a contract. An error in it, or a part that is not supported, throws an error that begins with the place. */
export function compileContract(document: ContractDocument, options: CompileOptions): Promise<Contract> {
  return Promise.resolve().then(() => {
    refuseUnsupported(document, options)
    return compileJudged(document, options)
  })
}

/** Compiles a contract that no rule refuses. What it throws is a bug of this program, and begins with the place. */
export function compileJudged(document: ContractDocument, options: Omit<CompileOptions, 'checked'>): Contract {
  const { checkResponses: check, onFault, publicUrl } = options
  const model = modelOf(document)
  const { apiRoot } = model
  const definition = definitionOf(model)
  const table = new OpenAPIRouter({ definition, apiRoot })
  const serializer = serializers()
  const validator = new ContractValidator(model, { closed: check }, { definition, router: table })
  const addresses = addressesOf(model.operations)
  const addressOf = (operationId: string): string | undefined => {
    const address = addresses.get(operationId)
    return address === undefined ? undefined : publicUrl + address
  }
  const compiled = (operation: Operation): CompiledOperation => {
    const { node, at, operationId, security, responses } = operation
    const place: PlaceText = () => document.place(at)
    const lifecycle = node as Lifecycle
    const bodies = bodyReader(operation, validator)
    return {
      operationId,
      bodies: bodies?.types,
      security,
      deprecated: node.deprecated === true,
      conditional: isConditional(operation),
      statuses: [...responses.keys()].flatMap((status) => (/^\d+$/.test(status) ? Number(status) : [])),
      sunset: sunsetOf(lifecycle, place),
      lifecycle: lifecycleHeaders(lifecycle, { place, addressOf, docs: `${publicUrl}/docs` }),
      read: requestReader(operation, { validator, bodies }),
      ...replyWriter(operation, { validator, serializer, check, onFault }),
    }
  }
  const operations = model.operations.map((one) =>
    atPlace(
      () => document.place(one.at),
      () => compiled(one),
    ),
  )
  const byId = new Map(operations.map((one) => [one.operationId, one]))
  const routes = table.getOperations().flatMap(({ method, path, operationId = '' }): Route<CompiledOperation>[] => {
    const operation = byId.get(operationId)
    return operation ? [{ method, path, operation }] : []
  })
  return { apiRoot, router: new ContractRouter(routes), operations: byId }
}

function isConditional({ parameters, responses }: Operation): boolean {
  const headers = parameters.filter((one) => one.in === 'header').map(({ key }) => key)
  const answered = [...responses.values()].flatMap((response) => [...response.headers.keys()])
  return (
    ['304', '412'].some((status) => responses.has(status)) ||
    headers.some((name) => name === 'if-match' || name === 'if-none-match') ||
    answered.some((name) => name.toLowerCase() === 'etag')
  )
}

/** The addresses of operations, by name and by the operationId that the contract has. */
function addressesOf(operations: readonly Operation[]): Map<string, string> {
  const by = (nameOf: (operation: Operation) => string): [string, string][] =>
    operations.map((operation) => [nameOf(operation), (operation.serverPath ?? '') + operation.path])
  return new Map([...by((one) => one.operationId), ...by((one) => one.declaredId ?? one.operationId)])
}

/** Runs a step of the compilation. The message of an error that it throws gets the place in front. */
function atPlace<T>(place: PlaceText, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const message = messageOf(error)
    throw new Error(message.startsWith(place()) ? message : `${place()} ${message}`, { cause: error })
  }
}
