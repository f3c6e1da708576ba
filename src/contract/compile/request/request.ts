import type { CompiledOperation } from '../../compiled.ts'
import type { BodyReader } from './bodies.ts'
import { faultTexts } from '../../exchange/error-messages.ts'
import { InvalidRequest } from '../../exchange/invalid-request.ts'
import { parametersReader, unsureLists } from './parameters.ts'
import { pathOf } from '../../model/node.ts'
import type { Operation } from '../../model/operation.ts'
import type { ContractValidator } from '../validator.ts'

/** Compiles `CompiledOperation.read`: validates and converts the parts of a request. */
export function requestReader(
  operation: Operation,
  { validator, bodies }: { validator: ContractValidator; bodies: BodyReader | undefined },
): CompiledOperation['read'] {
  const names = operation.parameters.filter((one) => one.in === 'header').map(({ name, key }) => [name, key] as const)
  const hasCookies = operation.parameters.some((one) => one.in === 'cookie')
  const readParameters = parametersReader(operation)
  const check = validator.forParameters(operation)
  const unsure = unsureLists(operation.parameters)
  return (request) => {
    let { path, query, header, cookie } = readParameters(request)
    const parts = { path, query, header, cookie, requestBody: request.body }
    const ofBody = bodies?.checkOf(request.type)?.(parts) ?? []
    let ofParameters = check(parts)
    if (unsure.length > 0 && ofParameters.length > 0) {
      const wrong = new Set(ofParameters.map(({ instancePath }) => pathOf(instancePath)[1]))
      const single = readParameters(request, new Set(unsure.filter((name) => wrong.has(name))))
      if (check(single).length === 0) {
        ofParameters = []
        ;({ path, query, header, cookie } = single)
      }
    }
    const faults = [...ofBody, ...ofParameters]
    if (faults.length > 0) throw new InvalidRequest(...faultTexts(faults))
    const valid = { path, query, header: asDeclared(header, names), body: parts.requestBody }
    return hasCookies ? { ...valid, cookie } : valid
  }
}

/** Validators use header names in lower case; handlers use the names as the contract writes them. */
function asDeclared(
  header: Record<string, unknown>,
  names: readonly (readonly [declared: string, lower: string])[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [declared, lower] of names) if (header[lower] !== undefined) result[declared] = header[lower]
  return result
}
