/** Why a store cannot answer, for those who count it. */
export const reasons = [
  'damaged',
  'disk_failing',
  'disk_full',
  'locked',
  'no_connection',
  'other',
  'overloaded',
  'read_only',
  'timeout',
  'unreachable',
] as const
export type Reason = (typeof reasons)[number]

/**
 * The store cannot answer now, and may again once the cause is gone. The message is a whole sentence for the person who
 * runs the service: what is wrong and, where it can be known, what to do. `cause` is what the engine reported.
 */
export class StoreUnavailable extends Error {
  readonly reason: Reason
  /** When it is worth trying again. */
  readonly retryAfterS: number

  constructor(message: string, cause?: unknown, reason: Reason = 'other', retryAfterS = 1) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
    this.retryAfterS = retryAfterS
  }
}
