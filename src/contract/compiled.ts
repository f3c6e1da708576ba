import type { ContractRouter } from './exchange/router.ts'
import type { KeyPlace } from './model/security.ts'

/** A compiled contract: everything that can be worked out before the first request. */
export interface Contract {
  /** The path before the path of every operation, taken from the contract's servers, such as `/v1`. */
  apiRoot: string
  router: ContractRouter<CompiledOperation>
  operations: ReadonlyMap<string, CompiledOperation>
  /** Why operations are not served: a line for each, which begins with a place. */
  unserved: readonly string[]
}

export interface CompiledOperation {
  operationId: string
  /** Why it is not served, with the place; undefined for an operation that is. */
  unserved?: string
  /** The media types of bodies that the operation takes; undefined when it takes none. */
  bodies: BodyTypes | undefined
  /** The places of the key, of which one list is needed; an empty list needs no key. */
  security: readonly (readonly KeyPlace[])[]
  deprecated: boolean
  /** Whether it declares what conditional requests (RFC 9110 section 13) need: one of their headers, `ETag`, 304 or 412. */
  conditional: boolean
  /** The statuses that the contract names for it. */
  statuses: readonly number[]
  /** When the operation will be removed, in Unix time in ms. */
  sunset: number | undefined
  /** The life-cycle headers of every answer of this operation, names and values in turn. */
  lifecycle: readonly string[]
  /** Validates and converts a request. Throws `InvalidRequest`. */
  read: (request: RawRequest) => ValidRequest
  /**
   * Returns the body as text. Throws when the contract does not declare this answer, which is a fault of the service.
   */
  write: (reply: RawReply) => string | Buffer | undefined
  /** Whether the contract allows a body for an answer of a status. */
  allows: (status: number, body: unknown) => boolean
  /** The media type of the answers of a status; undefined for JSON. */
  typeOf: (status: number) => string | undefined
}

/** The media types of bodies that an operation takes. */
export interface BodyTypes {
  names: readonly string[]
  /** How a body of a media type is read; undefined when the operation does not take it. */
  find: (type: string) => BodyForm | undefined
}

/** Parses JSON; `name` is how faults call it. */
export type ParseJson = (bytes: Buffer, name: string) => unknown

/** How a body is read: as a JSON value, as bytes, or by what makes its value from a text or from the parts of a form. */
export type BodyForm =
  | { kind: 'json' | 'bytes' }
  | { kind: 'text'; read: (text: string) => unknown }
  | { kind: 'form'; read: (text: string, parseJson: ParseJson) => unknown }
  | { kind: 'multipart'; read: (parts: readonly FormPart[], parseJson: ParseJson) => unknown }

/** A part of a multipart body. */
export interface FormPart {
  name: string
  /** The name of a file; undefined for a field. */
  filename: string | undefined
  /** The media type without its parameters, in lower case. */
  type: string | undefined
  bytes: Buffer
}

/** The parts of a request before validation, still as text. */
export interface RawRequest {
  /** Path parameters in the template's order, still encoded. */
  values: readonly string[]
  query: string
  headers: Readonly<Record<string, unknown>>
  /** The value, or undefined when there was no body. */
  body: unknown
  /** The media type of the body without its parameters, in lower case. */
  type?: string | undefined
}

/** The parts of a request after validation, with values converted and defaults filled in. */
export interface ValidRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  /** Undefined when the operation declares no cookie. */
  cookie?: Record<string, unknown> | undefined
  body: unknown
}

/** The answer of a handler, before it is checked against the contract. */
export interface RawReply {
  status: number
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

export interface CompileOptions {
  /** Whether the rules have judged this contract already, as `npm run generate` does. A lenient compilation judges by itself. */
  checked: boolean
  /**
   * Whether operations that cannot be served are compiled as such, and wrong defaults are not filled in. Otherwise the first
   * such operation throws its reason, and a request that leaves out a value with a wrong default is refused.
   */
  lenient?: boolean
  /**
   * Whether anything that the contract does not declare is a fault in an answer. Otherwise only bodies are checked, and
   * invalid items of a list are left out.
   */
  checkResponses: boolean
  /** Called when invalid items were left out of an answer. */
  onFault?: (fault: Error) => void
  /** The address at the start of links; empty for links that are only a path. */
  publicUrl: string
  /** Whether it is only tried: what is compiled is made faster and runs slower. */
  trial?: boolean
}
