import { lifecycleHeaders, sunsetOf } from './compile/lifecycle.ts'
import { replyWriter } from './compile/reply.ts'
import { requestReader } from './compile/request.ts'
import { resolveContract, responsesOf } from './compile/resolve.ts'
import { ContractRouter } from './compile/router.ts'
import { serializers } from './compile/serializer.ts'
import { refuseSameShape, refuseUnsupported } from './compile/supported.ts'
import { ContractValidator } from './compile/validator.ts'
import type { CompiledOperation, CompileOptions, Contract } from './compiled.ts'
import type { ContractDocument, PlaceText } from './document/document.ts'
import { apiRootOf, declaredOperations } from './document/operations.ts'

/** Compiles a contract. An error in it, or a part that is not supported, throws an error that begins with the place. */
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
  const operations = all.map((operation): CompiledOperation => {
    const place: PlaceText = () => document.place(['paths', operation.path, operation.method])
    refuseUnsupported(operation, definition, place)
    return {
      operationId: operation.operationId ?? '',
      takesBody: operation.requestBody !== undefined,
      deprecated: operation.deprecated === true,
      statuses: responsesOf(operation).flatMap(([status]) => (/^\d+$/.test(status) ? [Number(status)] : [])),
      sunset: sunsetOf(operation, place),
      lifecycle: lifecycleHeaders(operation, { place, addressOf, docs: `${options.publicUrl}/docs` }),
      read: requestReader(operation, { validator, place }),
      write: replyWriter(operation, {
        validator,
        serializer,
        place,
        check: options.checkResponses,
        onFault: options.onFault,
      }),
    }
  })
  return {
    apiRoot,
    router,
    operations: new Map(operations.map((one) => [one.operationId, one])),
  }
}
