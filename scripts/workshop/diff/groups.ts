import { levels, type Change, type Level } from './change.ts'

/** The changes of one level. */
export interface Group {
  level: Level
  /** Such as `Breaking (2)`. */
  heading: string
  changes: Change[]
}

/** The changes by their levels, the worst first, without levels that have none. */
export function groupsOf({ changes }: { changes: readonly Change[] }): Group[] {
  return levels.flatMap((level) => {
    const own = changes.filter((change) => change.level === level)
    const heading = `${level.charAt(0).toUpperCase()}${level.slice(1)} (${own.length})`
    return own.length === 0 ? [] : [{ level, heading, changes: own }]
  })
}

const shownOperations = 5

/** The first operations, and how many more there are. */
export function operationList(operations: readonly string[]): string {
  const more = operations.length - shownOperations
  const shown = operations.slice(0, shownOperations).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
