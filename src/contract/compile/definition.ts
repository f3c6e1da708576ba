import type { Document, Operation } from 'openapi-backend'
import type { ContractModel } from '../model/model.ts'
import type { Operation as ContractOperation } from '../model/operation.ts'
import { encoded } from '../model/path.ts'

/** The definition of some operations that openapi-backend makes its table from, with full paths below the API root. */
export function definitionOf({ apiRoot }: ContractModel, operations: readonly ContractOperation[]): Document {
  const paths: Record<string, Record<string, Partial<Operation>>> = {}
  for (const operation of operations) {
    const item = (paths[pathBelow(apiRoot, operation)] ??= {})
    item[operation.method] = { operationId: operation.operationId, responses: {} }
  }
  return { openapi: '3.0.3', info: { title: '', version: '' }, paths }
}

/** The path of an operation below the API root, as requests have it. */
export function pathBelow(apiRoot: string, { path, serverPath = '' }: ContractOperation): string {
  return serverPath.slice(apiRoot.length) + encoded(path)
}
