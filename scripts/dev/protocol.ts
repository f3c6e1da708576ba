import type { FirstKey } from '../../src/auth/first-key.ts'
import type { Change } from '../workshop/diff/change.ts'
import type { Finding, Place } from '../workshop/finding.ts'
import type { VersionReport } from '../workshop/diff/version.ts'

/** A message of the service to its parent process: what it waits for while it starts, and in the end the result. */
export type ServiceMessage = { waitsFor: string } | { ready: ServiceReady } | { failed: string }

export interface ServiceReady {
  port: number
  /** The path of the operations, such as `/v1`. */
  apiRoot: string
  /** The first key of a new store. */
  first: FirstKey | undefined
}

export interface CheckRequest {
  /** Whether the contract has changed since the last request. If not, the results for it are used again. */
  contract: boolean
}

export interface TypeRequest {
  /** Texts by file name, such as `generated/handlers.ts`, in place of the files on disk. */
  files: Readonly<Record<string, string>>
}

/** What a change means. */
export interface Verdict {
  /** The findings of `contract:lint`. */
  findings: Finding[]
  /** Whether the service can start with the contract. */
  sound: boolean
  /** The changes of the contract since the last commit, or a sentence that says why they are unknown. */
  diff: ContractDiff | string
  /** The names of the contract's files, relative to the folder of the first one. */
  files: readonly string[]
  /** The files of generated/ that were written. */
  written: string[]
  faults: TypeFault[]
  /** Operations without a handler. */
  missing: MissingHandler[]
}

export interface ContractDiff {
  changes: Change[]
  /** How many texts for readers were edited. */
  editorial?: number
  /** Absent if nothing has changed. */
  version?: VersionReport
}

/** An error of the compiler. */
export interface TypeFault {
  place: Place
  message: string
}

export interface MissingHandler {
  file: string
  /** Such as `GET /pets`. */
  operation: string
}
