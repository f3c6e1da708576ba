/** The status of each error code. Codes are lower snake case, and part of the contract. */
export const errorStatuses = {
  invalid_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_conflict: 409,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limited: 429,
  key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof errorStatuses

/** A failure as a client sees it. The cause, if any, is for the log alone. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode
  /** Names and values in turn, as `ServerResponse.writeHead` takes them. */
  readonly headers: readonly string[]

  constructor(code: ErrorCode, message: string, headers: readonly string[] = [], cause?: unknown) {
    super(message, { cause })
    this.status = errorStatuses[code]
    this.code = code
    this.headers = headers
  }
}

export const invalidRequest = (message: string): ApiError => new ApiError('invalid_request', message)

export const invalidJson = (message: string): ApiError => new ApiError('invalid_json', message)

/**
 * One answer for missing, malformed, unknown and revoked keys (RFC 9110 section 15.5.2). `ways` tell how a key is sent,
 * and `challenges` are the schemes.
 */
export const unauthorized = (
  ways: readonly string[] = ['"Authorization: Bearer <API_KEY>"'],
  challenges: readonly string[] = ['Bearer'],
): ApiError =>
  new ApiError(
    'unauthorized',
    `A valid API key is needed, sent as ${ways.join(' or ')}.`,
    challenges.flatMap((challenge) => ['WWW-Authenticate', challenge]),
  )

export const notFound = (message: string): ApiError => new ApiError('not_found', message)

/** For an address that nothing has. */
export const noResource = (nearest: string | undefined, docs: string): ApiError =>
  notFound(
    `No resource has this address. ${nearest === undefined ? '' : `Did you mean ${nearest}? `}${docs} shows all.`,
  )

export const methodNotAllowed = (method: string, allow: string): ApiError =>
  new ApiError('method_not_allowed', `This path has no ${method}; it has ${allow}.`, ['Allow', allow])

export const requestTimeout = (): ApiError => new ApiError('request_timeout', 'The request did not arrive in time.')

export const idempotencyConflict = (): ApiError =>
  new ApiError('idempotency_conflict', 'This Idempotency-Key was used before with other content.')

export const conflict = (message: string): ApiError => new ApiError('conflict', message)

export const preconditionFailed = (message: string): ApiError => new ApiError('precondition_failed', message)

export const gone = (): ApiError => new ApiError('gone', 'This operation has been removed.')

export const payloadTooLarge = (limit: number): ApiError =>
  new ApiError('payload_too_large', `The body must not be larger than ${limit} bytes.`)

export const unsupportedMediaType = (message: string, headers: readonly string[] = []): ApiError =>
  new ApiError('unsupported_media_type', message, headers)

export const expectationFailed = (): ApiError =>
  new ApiError('expectation_failed', 'The only supported Expect value is "100-continue".')

export const rateLimited = (message: string, headers: readonly string[]): ApiError =>
  new ApiError('rate_limited', message, headers)

export const keyBanned = (message: string, headers: readonly string[]): ApiError =>
  new ApiError('key_banned', message, headers)

export const headersTooLarge = (): ApiError =>
  new ApiError('headers_too_large', 'The request line and the headers are too large.')

export const internalError = (cause: unknown): ApiError =>
  new ApiError('internal_error', 'The service failed to answer.', [], cause)

/** `retryAfterS` is a guess at when it is worth trying again. */
export const unavailable = (
  retryAfterS: number,
  cause?: unknown,
  message = 'The service cannot answer now; try again later.',
): ApiError => new ApiError('unavailable', message, ['Retry-After', String(retryAfterS)], cause)
