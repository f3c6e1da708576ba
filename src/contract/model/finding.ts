/** What the service cannot do as a contract says. An error stops the start; a note does not. */
export interface Finding {
  severity: 'error' | 'note'
  /** The keys from the root of the contract to the place. */
  at: readonly string[]
  /** What kind of thing it is, for counting, such as `body`. */
  kind: string
  /** What is wrong, as a sentence. */
  message: string
  /** What to do about it, as a sentence. */
  mend?: string
}
