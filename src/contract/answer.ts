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

/** No cache may keep a failure; RFC 9110 section 15.1 would let it keep a 404, a 405 and a 410. */
export const noStore: readonly string[] = ['Cache-Control', 'no-store']

/** The answer for anything thrown. What is no `ApiError` is a fault of the service, and tells strangers nothing. */
export function failure(error: unknown, headers: readonly string[] = []): Answer {
  const { status, code, message, headers: own, cause } = error instanceof ApiError ? error : internalError(error)
  return {
    status,
    headers: [...headers, ...own, ...noStore],
    body: JSON.stringify({ code, message, status }),
    code,
    cause,
  }
}
