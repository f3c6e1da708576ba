import { OpenAPIRouter } from 'openapi-backend'
import { bodyReader } from './compile/request/bodies.ts'
import { lifecycleHeaders, sunsetOf, type Lifecycle } from './compile/life-cycle.ts'
import { replyWriter } from './compile/reply/reply.ts'
import { requestReader } from './compile/request/request.ts'
import { atPlace, definitionOf, resolveOperations, type ResolvedOperation } from './compile/resolve.ts'
import { ContractRouter, type Route } from './compile/router.ts'
import { serializers } from './compile/reply/serializer.ts'
import { refuseUnsupported } from './rules/coverage.ts'
import { ContractValidator } from './compile/validator.ts'
import type { CompiledOperation, CompileOptions, Contract } from './compiled.ts'
import type { ContractDocument, PlaceText } from './model/files/document.ts'
import { modelOf } from './model/model.ts'

/** Compiles a contract. An error in it, or a part that is not supported, throws an error that begins with the place. */
export function compileContract(document: ContractDocument, options: CompileOptions): Promise<Contract> {
  return Promise.resolve().then(() => compiledContract(document, options))
}

function compiledContract(document: ContractDocument, options: CompileOptions): Contract {
  const { checked, checkResponses: check, onFault, publicUrl } = options
  refuseUnsupported(document, { checked })
  const { root } = document
  const { apiRoot } = modelOf(document)
  const definition = definitionOf(document, apiRoot)
  const table = new OpenAPIRouter({ definition, apiRoot })
  const serializer = serializers(root)
  const validator = new ContractValidator(root, { closed: check }, { definition, router: table })
  const resolved = resolveOperations(document)
  const addresses = addressesOf(resolved)
  const addressOf = (operationId: string): string | undefined => {
    const address = addresses.get(operationId)
    return address === undefined ? undefined : publicUrl + address
  }
  const compiled = (operation: ResolvedOperation): CompiledOperation => {
    const { node, at, operationId, security } = operation
    const place: PlaceText = () => document.place(at)
    const lifecycle = node as Lifecycle
    const bodies = bodyReader(root, operation, validator)
    return {
      operationId,
      bodies: bodies?.types,
      security,
      deprecated: node.deprecated === true,
      statuses: [...operation.responses.keys()].flatMap((status) => (/^\d+$/.test(status) ? Number(status) : [])),
      sunset: sunsetOf(lifecycle, place),
      lifecycle: lifecycleHeaders(lifecycle, { place, addressOf, docs: `${publicUrl}/docs` }),
      read: requestReader(root, operation, { validator, bodies }),
      ...replyWriter(operation, { root, validator, serializer, check, onFault }),
    }
  }
  const operations = resolved.map((one) =>
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

/** The addresses of operations, by name and by the operationId that the contract has. */
function addressesOf(operations: readonly ResolvedOperation[]): Map<string, string> {
  const named = operations.map(({ operationId, root, path }): [string, string] => [operationId, root + path])
  const declared = operations.map(({ declaredId, operationId, root, path }): [string, string] => [
    declaredId ?? operationId,
    root + path,
  ])
  return new Map([...named, ...declared])
}
