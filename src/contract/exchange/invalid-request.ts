/** A request that the contract does not allow. Its message is one sentence that names every fault and its place. */
export class InvalidRequest extends Error {
  readonly faults: readonly string[]

  /** Each fault without a full stop, such as `query.limit must be <= 100`. */
  constructor(...faults: readonly string[]) {
    super(`${faults.join('; ')}.`)
    this.faults = faults
  }
}

/** The refusal of a value with more than `maxNesting` levels. */
export const nestedTooDeeply = (place: string): InvalidRequest => new InvalidRequest(`${place} is nested too deeply`)
