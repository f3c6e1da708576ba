import { createHash } from 'node:crypto'
import { placeOf, type Place } from '../finding.ts'

export type Level = 'breaking' | 'risky' | 'compatible'
export type Bump = 'major' | 'minor' | 'patch'

/** One thing that differs between two contracts, seen by a client that was made for the first. */
export interface Change {
  rule: string
  level: Level
  /** The operations that it touches, such as `GET /pets`, in the order of the contract. */
  operations: string[]
  /** Where it is and what has changed, as a sentence. */
  message: string
  /** In the new contract; of the nearest parent that is left when something was removed. */
  place: Place
  /** The part of the version that has to grow. */
  bump: Bump
  /** Names the change in the file of approvals: 12 hex digits that stay the same when lines move. */
  fingerprint: string
  /** Why the change fails nothing although it is breaking or risky. */
  excused?: string
}

/** A change before it is known where it is: what is said of it. */
export interface Judgement {
  rule: string
  level: Level
  bump: Bump
  /** The end of the sentence that begins with the place. */
  what: string
}

/** `place` is as contracts give it; `pointer` tells changes apart that touch no operation. */
export function changeOf(
  { rule, level, bump, what }: Judgement,
  { where, operations, place, pointer }: { where: string; operations: string[]; place: string; pointer: string },
): Change {
  const message = `${where}: ${what}.`
  const fingerprint = createHash('sha256')
    .update([rule, operations.join(', ') || pointer, message].join('\n'))
    .digest('hex')
    .slice(0, 12)
  return { rule, level, operations, message, place: placeOf(place), bump, fingerprint }
}
