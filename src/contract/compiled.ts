import type { ContractRouter } from './compile/router.ts'

/** A compiled contract: everything that can be worked out before the first request. */
export interface Contract {
  /** The path before the path of every operation, taken from the contract's servers, such as `/v1`. */
  apiRoot: string
  router: ContractRouter
  operations: ReadonlyMap<string, CompiledOperation>
}

export interface CompiledOperation {
  operationId: string
  takesBody: boolean
  deprecated: boolean
  /** The statuses that the contract names for it. */
  statuses: readonly number[]
  /** When the operation will be removed, in Unix time in ms. */
  sunset: number | undefined
  /** The life-cycle headers of every answer of this operation, names and values in turn. */
  lifecycle: readonly string[]
  /** Validates and converts a request. Throws `invalid_request`, which names every fault and its place. */
  read: (request: RawRequest) => ValidRequest
  /**
   * Returns the body as text. Throws when the contract does not declare this answer, which is a fault of the service.
   */
  write: (reply: RawReply) => string | undefined
}

/** The parts of a request before validation, still as text. */
export interface RawRequest {
  /** Path parameters in the template's order, still encoded. */
  values: readonly string[]
  query: string
  headers: Readonly<Record<string, unknown>>
  /** The JSON value, or undefined when there was no body. */
  body: unknown
}

/** The parts of a request after validation, with values converted and defaults filled in. */
export interface ValidRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  body: unknown
}

/** The answer of a handler, before it is checked against the contract. */
export interface RawReply {
  status: number
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

export interface CompileOptions {
  /** Whether `npm run generate` has already checked the contract against the OpenAPI schema. */
  checked: boolean
  /**
   * Whether anything that the contract does not declare is a fault in an answer. Otherwise only bodies are checked, and
   * invalid items of a list are left out.
   */
  checkResponses: boolean
  /** Called when invalid items were left out of an answer. */
  onFault?: (fault: Error) => void
  /** The address at the start of links; empty for links that are only a path. */
  publicUrl: string
}
