import type { Document, Operation } from 'openapi-backend'
import type { ContractModel } from '../model/model.ts'
import { encoded } from '../model/path.ts'

/** The definition that openapi-backend makes its table of operations from, with full paths below the API root. */
export function definitionOf({ operations, apiRoot, document }: ContractModel): Document {
  const paths: Record<string, Record<string, Partial<Operation>>> = {}
  for (const { operationId, method, path, serverPath = '' } of operations) {
    const item = (paths[serverPath.slice(apiRoot.length) + encoded(path)] ??= {})
    item[method] = { operationId, responses: {} }
  }
  return { openapi: '3.0.3', info: document.root.info, paths }
}
