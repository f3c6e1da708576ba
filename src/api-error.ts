/** A failure as a client sees it. The cause, if any, is for the log alone. */
export class ApiError extends Error {
  readonly status: number
  /** Machine-readable, lower snake case; part of the contract. */
  readonly code: string
  /** Names and values in turn, as `ServerResponse.writeHead` takes them. */
  readonly headers: readonly string[]

  constructor(status: number, code: string, message: string, headers: readonly string[] = [], cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const invalidRequest = (message: string): ApiError => new ApiError(400, 'invalid_request', message)

export const invalidJson = (message: string): ApiError => new ApiError(400, 'invalid_json', message)

/**
 * One answer for missing, malformed, unknown and revoked keys (RFC 9110 section 15.5.2). `ways` tell how a key is sent,
 * and `challenges` are the schemes.
 */
export const unauthorized = (
  ways: readonly string[] = ['"Authorization: Bearer <API_KEY>"'],
  challenges: readonly string[] = ['Bearer'],
): ApiError =>
  new ApiError(
    401,
    'unauthorized',
    `A valid API key is needed, sent as ${ways.join(' or ')}.`,
    challenges.flatMap((challenge) => ['WWW-Authenticate', challenge]),
  )

export const notFound = (message: string): ApiError => new ApiError(404, 'not_found', message)

export const methodNotAllowed = (method: string, allow: string): ApiError =>
  new ApiError(405, 'method_not_allowed', `This path has no ${method}; it has ${allow}.`, ['Allow', allow])

export const requestTimeout = (): ApiError =>
  new ApiError(408, 'request_timeout', 'The request did not arrive in time.')

export const idempotencyConflict = (): ApiError =>
  new ApiError(409, 'idempotency_conflict', 'This Idempotency-Key was used before with other content.')

export const gone = (): ApiError => new ApiError(410, 'gone', 'This operation has been removed.')

export const payloadTooLarge = (limit: number): ApiError =>
  new ApiError(413, 'payload_too_large', `The body must not be larger than ${limit} bytes.`)

export const unsupportedMediaType = (message: string, headers: readonly string[] = []): ApiError =>
  new ApiError(415, 'unsupported_media_type', message, headers)

export const expectationFailed = (): ApiError =>
  new ApiError(417, 'expectation_failed', 'The only supported Expect value is "100-continue".')

export const rateLimited = (message: string, headers: readonly string[]): ApiError =>
  new ApiError(429, 'rate_limited', message, headers)

export const keyBanned = (message: string, headers: readonly string[]): ApiError =>
  new ApiError(429, 'key_banned', message, headers)

export const headersTooLarge = (): ApiError =>
  new ApiError(431, 'headers_too_large', 'The request line and the headers are too large.')

export const internalError = (cause: unknown): ApiError =>
  new ApiError(500, 'internal_error', 'The service failed to answer.', [], cause)

/** `retryAfterS` is a guess at when it is worth trying again. */
export const unavailable = (retryAfterS: number, cause?: unknown): ApiError =>
  new ApiError(
    503,
    'unavailable',
    'The service cannot answer now; try again later.',
    ['Retry-After', String(retryAfterS)],
    cause,
  )
