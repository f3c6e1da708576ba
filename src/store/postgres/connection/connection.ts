import type { Log } from '../../../log/log.ts'
import { groupCommit, type GroupCommit } from '../../group-commit.ts'
import type { StoreReadings } from '../../store.ts'
import type { Pool } from './pool.ts'

/** What the tables of a store share. */
export interface Connection extends Pick<Pool, 'query' | 'queryInTurn' | 'transaction'> {
  /** Lets items that arrive together be stored together: by `commit`, as `groupCommit` has it. */
  batched: <Item, Result>(commit: (batch: readonly Item[]) => Promise<Result[]>) => (item: Item) => Promise<Result>
  /** To be told how long a batch has waited for its turn. */
  waited: (ms: number) => void
  readings: () => StoreReadings
  log: Log | undefined
  /** Finishes what was accepted. */
  close: () => Promise<void>
}

/** A longer wait for the turn is told of, in ms, and again after so long. */
const longMs = 1000
const tellEveryMs = 60_000

export function connectionOver({ close, connections, query, queryInTurn, transaction }: Pool, log?: Log): Connection {
  const batches: Omit<GroupCommit<never, unknown>, 'add'>[] = []
  const turns = { count: 0, waitS: 0 }
  let toldAt = -Infinity
  const sumOf = (name: 'waiting' | 'refused'): number => batches.reduce((sum, batch) => sum + batch[name](), 0)
  return {
    ...{ query, queryInTurn, transaction },
    log,
    batched: (commit) => {
      const batch = groupCommit(commit)
      batches.push(batch)
      return batch.add
    },
    waited: (ms) => {
      turns.count += 1
      turns.waitS += ms / 1000
      if (ms < longMs || performance.now() - toldAt < tellEveryMs) return
      toldAt = performance.now()
      log?.warn({ ms: Math.round(ms) }, 'creates wait long for their turn: many processes write, or commits are slow')
    },
    readings: () => ({
      waiting: sumOf('waiting'),
      refused: sumOf('refused'),
      turns: { ...turns },
      walBytes: 0,
      freeBytes: undefined,
      pool: connections(),
    }),
    close: async () => {
      await Promise.all(batches.map(({ settle }) => settle()))
      await close()
    },
  }
}
