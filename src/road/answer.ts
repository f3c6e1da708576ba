import {
  ApiError,
  conflict,
  idempotencyConflict,
  internalError,
  invalidRequest,
  preconditionFailed,
  unavailable,
} from '../api-error.ts'
import { InvalidRequest } from '../contract/exchange/invalid-request.ts'
import { codeOf } from '../failure.ts'
import { StoreRefusal, type Refusal } from '../store/resource.ts'
import { StoreUnavailable, type Reason } from '../store/unavailable.ts'
import type { Mark } from './marks.ts'

/** What leaves the server, and what the log needs to know of it. */
export interface Answer {
  status: number
  /** Names and values in turn, without those that every answer has. */
  headers: readonly string[]
  /** Bytes when many answers have the same body: a text would be encoded, and kept, for each of them. */
  body: string | Buffer | undefined
  /** The body's media type, when it is not JSON. */
  type?: string | undefined
  operationId?: string | undefined
  keyId?: string | undefined
  /** The error code of a failure. */
  code?: string
  /** Of a request that went the whole road. */
  marks?: readonly Mark[]
  /** Why the store could not answer. */
  reason?: Reason | undefined
  /** Why the service failed; for the log alone. */
  cause?: unknown
}

/**
 * The answer for anything thrown. A request that the contract does not allow is a 400, and what the store refuses to write
 * a 409, a 412 or a 400. A store that cannot answer, and a lack of file descriptors, is a 503. What else is no `ApiError` is a
 * fault of the service. Neither it nor a 503 tells strangers the cause.
 */
export function failure(error: unknown, headers: readonly string[] = []): Answer {
  const { status, code, message, headers: own, cause } = error instanceof ApiError ? error : apiErrorOf(error)
  const reason = error instanceof StoreUnavailable ? error.reason : undefined
  const body = JSON.stringify({ code, message, status })
  return { status, headers: [...headers, ...own], body, code, reason, cause }
}

/** What a client hears of what the store refuses to write. */
const refusals: Readonly<Record<Refusal, () => ApiError>> = {
  'other request': idempotencyConflict,
  taken: () => conflict('There is one with the same identifying values already.'),
  dangling: () => conflict('This refers to something that is not there.'),
  referenced: () => conflict('Something else refers to this.'),
  changed: () => preconditionFailed('This is not as the request expects it.'),
  unfit: () =>
    invalidRequest('The change would take away a value that must be there, or leave one that is not allowed.'),
  unstorable: () => invalidRequest('A text has the character U+0000, or is too long to be looked up by.'),
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof StoreRefusal) return refusals[error.refusal]()
  if (error instanceof InvalidRequest) return invalidRequest(error.message)
  // no free file descriptor in this process, or on this machine
  if (['EMFILE', 'ENFILE'].includes(codeOf(error))) return unavailable(1, error)
  if (!(error instanceof StoreUnavailable)) return internalError(error)
  // without a cause it was logged when it began, and not again with each request
  return unavailable(error.retryAfterS, error.cause === undefined ? undefined : error)
}
