import { levelOf, tell, type Here } from './comparison.ts'
import type { KeywordChange } from './keywords.ts'
import type { Nulls } from './nulls.ts'
import { holderOf, type Part, type Spot } from './spot.ts'

/** Two schemas as their parts, and where the newer one is used. */
export interface Pair {
  old: readonly Part[]
  now: readonly Part[]
  site: Spot | undefined
  /** Whether null is valid in each; undefined where it is compared elsewhere. */
  nulls: readonly [Nulls, Nulls] | undefined
}

/** Reports a change of a keyword at its place in the newer schema. */
export function tellKeyword(
  here: Here,
  { old, now, site }: Pair,
  { rule, what, keyword, effect, mild }: KeywordChange,
): void {
  const [before, holder] = [holderOf(old, keyword), holderOf(now, keyword)]
  // what stood beside a reference is missing there, and not in the component
  const isMissing = holder?.node[keyword] === undefined && before?.origin === ''
  const after = isMissing && holder?.origin !== '' ? site : holder
  if (!after) return
  const level = levelOf(here.direction, effect)
  const sentence = level === 'compatible' ? (mild ?? what) : what
  tell(here, { rule, level, what: sentence }, { parent: after, before, after, property: keyword })
}
