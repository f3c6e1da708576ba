import type { FirstKey } from '../../src/auth/first-key.ts'
import type { Change } from '../contract/diff/change.ts'
import type { Finding, Place } from '../contract/finding.ts'
import type { VersionReport } from '../contract/diff/version.ts'

/** What the service tells the process that started it, once. */
export type ServiceMessage = { ready: ServiceReady } | { failed: string }

export interface ServiceReady {
  port: number
  /** Where the operations stand, such as `/v1`. */
  apiRoot: string
  /** The first key of a new store. */
  first: FirstKey | undefined
}

export interface CheckRequest {
  /** Whether the contract has changed since the request before; otherwise what is known of it holds. */
  contract: boolean
}

export interface TypeRequest {
  /** Texts by name, such as `generated/handlers.ts`, in place of what lies there. */
  files: Readonly<Record<string, string>>
}

/** What an edit means. */
export interface Verdict {
  /** What `contract:lint` finds. */
  findings: Finding[]
  /** Whether the service would start with the contract. */
  sound: boolean
  /** What the contract's changes since the last commit mean; a sentence when they cannot be told. */
  diff: ContractDiff | string
  /** The files of generated/ that were written. */
  written: string[]
  faults: TypeFault[]
  /** Operations whose handler is not there yet. */
  missing: MissingHandler[]
}

export interface ContractDiff {
  changes: Change[]
  /** Missing when nothing has changed. */
  version?: VersionReport
}

/** Something that the compiler refuses. */
export interface TypeFault {
  place: Place
  message: string
}

export interface MissingHandler {
  file: string
  /** Such as `GET /pets`. */
  operation: string
}
