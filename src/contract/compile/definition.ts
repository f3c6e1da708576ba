import type { Document, Operation } from 'openapi-backend'
import type { ContractModel } from '../model/model.ts'
import type { Operation as ContractOperation } from '../model/operation.ts'

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

/** A path as requests have it: what is no letter of a path is percent-encoded. */
function encoded(path: string): string {
  return path.replace(/[^\w.~!$&'()*+,;=:@%/{}-]+/gu, encodeURIComponent)
}
