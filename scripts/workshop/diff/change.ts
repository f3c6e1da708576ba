import { createHash } from 'node:crypto'
import type { Place } from '../finding.ts'
import type { DiffRule } from './rules.ts'

/** The levels of changes, the worst first. */
export const levels = ['breaking', 'risky', 'compatible'] as const
export type Level = (typeof levels)[number]
export type Bump = 'major' | 'minor' | 'patch'

/** A difference between two contracts, from the view of a client of the older one. */
export interface Change {
  rule: DiffRule
  level: Level
  /** The operations that it affects, such as `GET /pets`, in the order of the contract. */
  operations: string[]
  /** What has changed and where, as a sentence. */
  message: string
  /** The place in the new contract; for something removed, of its nearest parent that still exists. */
  place: Place
  /** The part of the version that has to grow. */
  bump: Bump
  /** Identifies the change in the file of approvals: 12 hex digits that do not change when lines move. */
  fingerprint: string
  /** Why the change does not fail the check although it is breaking or risky. */
  excused?: string
}

/** What is said about a change, without where it is. */
export interface Judgement {
  rule: DiffRule
  level: Level
  bump: Bump
  /** The end of the sentence that begins with the place. */
  what: string
}

/** `pointer` distinguishes changes that affect no operation. */
export function changeOf(
  { rule, level, bump, what }: Judgement,
  { where, operations, place, pointer }: { where: string; operations: string[]; place: Place; pointer: string },
): Change {
  const message = `${where}: ${what}.`
  const fingerprint = createHash('sha256')
    .update([rule, operations.join(', ') || pointer, message].join('\n'))
    .digest('hex')
    .slice(0, 12)
  return { rule, level, operations, message, place, bump, fingerprint }
}
