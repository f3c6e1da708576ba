import type { ContractRouter } from './compile/router.ts'

/** The contract, compiled: all that can be known before the first request. */
export interface Contract {
  /** The path that all operations stand under, from the contract's servers, such as `/v1`. */
  apiRoot: string
  router: ContractRouter
  operations: ReadonlyMap<string, CompiledOperation>
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
