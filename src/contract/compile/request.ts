import type { ErrorObject } from 'ajv'
import type { Operation } from 'openapi-backend'
import { invalidRequest } from '../../api-error.ts'
import type { CompiledOperation } from '../compiled.ts'
import type { PlaceText } from '../document/document.ts'
import { describeFaults } from './faults.ts'
import { decodeSegment, readQuery } from './query.ts'
import { atPlace, parametersOf } from './resolve.ts'
import { templateNames } from './router.ts'
import { validationSchema } from './schema.ts'
import type { ContractValidator } from './validator.ts'

/** Compiles `CompiledOperation.read`: validates and converts the parts of a request. */
export function requestReader(
  operation: Operation,
  { validator, place }: { validator: ContractValidator; place: PlaceText },
): CompiledOperation['read'] {
  const lists = parametersOf(operation).filter((one) => one.in === 'query' && one.schema?.type === 'array')
  const repeated = new Set(lists.filter(({ explode }) => explode !== false).map(({ name }) => name))
  const separated = new Set(lists.filter(({ explode }) => explode === false).map(({ name }) => name))
  const pathNames = templateNames(operation.path)
  const names = headerNames(operation).map((name) => [name, name.toLowerCase()] as const)
  const validators = atPlace(place, () =>
    validator.buildRequestValidatorsForOperation(validationSchema(operation, { closed: false })),
  )
  return ({ values, query: queryText, headers, body }) => {
    const path: Record<string, unknown> = {}
    for (const [index, name] of pathNames.entries()) path[name] = decodeSegment(values[index] ?? '')
    const header: Record<string, unknown> = {}
    for (const [, name] of names) if (headers[name] !== undefined) header[name] = headers[name]
    const query: Record<string, unknown> = readQuery(queryText, repeated, separated)
    const parts = { path, query, header, ...(body === undefined ? {} : { requestBody: body }) }
    let errors: ErrorObject[] | undefined
    for (const validate of validators ?? []) {
      if (!validate(parts)) errors = [...(errors ?? []), ...(validate.errors ?? [])]
    }
    if (errors) throw invalidRequest(describeFaults(errors))
    return { path, query, header: asDeclared(header, names), body: parts.requestBody }
  }
}

/** The request headers that an operation declares as parameters. */
function headerNames(operation: Operation): string[] {
  return parametersOf(operation)
    .filter((one) => one.in === 'header')
    .map(({ name }) => name)
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
