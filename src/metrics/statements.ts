import { kept } from '../kept.ts'
import { newDurations, observe, type Durations } from './durations.ts'

/** How long the statements of the store take, by what they do and with which table. */
export interface Statements {
  /** Returns what hears the duration of each run of a statement, in ms. */
  statement: (operation: string, table: string) => (ms: number) => void
  all: () => Iterable<{ labels: { operation: string; table: string }; durations: Durations }>
}

export function openStatements(): Statements {
  const known = new Map<string, { labels: { operation: string; table: string }; durations: Durations }>()
  return {
    statement: (operation, table) => {
      const one = kept(known, `${operation} ${table}`, () => ({
        labels: { operation, table },
        durations: newDurations(),
      }))
      return (ms) => {
        observe(one.durations, ms / 1000)
      }
    },
    all: () => known.values(),
  }
}
