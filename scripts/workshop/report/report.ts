import type { Place } from '../finding.ts'

/** What lint and diff find, in one shape for all formats. */
export interface Report {
  /** The command, such as `contract lint`. */
  tool: string
  /** The name of the contract. */
  contract: string
  verdict: 'passed' | 'failed'
  /** The verdict as a sentence. */
  summary: string
  findings: ReportedFinding[]
}

/** A fault that lint found, or a change that diff found. */
export interface ReportedFinding {
  rule: string
  /** `error` or `warning` of lint; `breaking`, `risky` or `compatible` of diff. */
  level: 'error' | 'warning' | 'breaking' | 'risky' | 'compatible'
  place: Place
  /** What is wrong or has changed, as a sentence. */
  message: string
  /** What to do about it, as a sentence. */
  fix?: string
  /** The lines around the place, if they help. */
  excerpt?: string
  /** The operations that a change affects. */
  operations?: string[]
  /** The part of the version that has to grow. */
  bump?: string
  /** Identifies a change in the file of approvals. */
  fingerprint?: string
  /** Why a change does not fail the check although it is breaking. */
  excused?: string
}

/** How serious a finding is to tools that know three degrees. What is excused is a note. */
export function severityOf({ level, excused }: ReportedFinding): 'error' | 'warning' | 'note' {
  if (excused !== undefined || level === 'compatible') return 'note'
  return level === 'error' || level === 'breaking' ? 'error' : 'warning'
}

/** The message with what to do, and why it is excused. */
export function sentencesOf({ message, fix, excused }: ReportedFinding): string {
  const excuse = excused === undefined ? [] : [`Excused: ${excused.replace(/\.?$/, '.')}`]
  return [message, ...(fix === undefined ? [] : [fix]), ...excuse].join(' ')
}
