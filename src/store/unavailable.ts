/**
 * The store cannot answer now, and may again once the cause is gone. The message is a whole sentence for the person who
 * runs the service: what is wrong and, where it can be known, what to do. `cause` is what the engine reported.
 */
export class StoreUnavailable extends Error {
  /** When it is worth trying again. */
  readonly retryAfterS: number

  constructor(message: string, cause?: unknown, retryAfterS = 1) {
    super(message, cause === undefined ? undefined : { cause })
    this.retryAfterS = retryAfterS
  }
}
