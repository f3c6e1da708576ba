import { ApiError, internalError } from '../api-error.ts'

/** What leaves the server, and what the log needs to know of it. */
export interface Answer {
  status: number
  /** Names and values in turn, without those that every answer has. */
  headers: readonly string[]
  body: string | undefined
  /** The body's media type, when it is not JSON. */
  type?: string
  operationId?: string | undefined
  keyId?: string | undefined
  /** The error code of a failure. */
  code?: string
  /** Why the service failed; for the log alone. */
  cause?: unknown
}

/** The answer for anything thrown. What is no `ApiError` is a fault of the service, and tells strangers nothing. */
export function failure(error: unknown, headers: readonly string[] = []): Answer {
  const { status, code, message, headers: own, cause } = error instanceof ApiError ? error : internalError(error)
  return { status, headers: [...headers, ...own], body: JSON.stringify({ code, message, status }), code, cause }
}
