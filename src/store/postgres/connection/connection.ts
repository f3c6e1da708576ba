import type { Log } from '../../../log/log.ts'
import { groupCommit } from '../../group-commit.ts'
import type { StoreReadings } from '../../store.ts'
import type { Pool } from './pool.ts'

/** What the tables of a store share. */
export interface Connection extends Pick<Pool, 'query' | 'transaction'> {
  /** Lets items that arrive together be stored together: by `commit`, as `groupCommit` has it. */
  batched: <Item, Result>(commit: (batch: readonly Item[]) => Promise<Result[]>) => (item: Item) => Promise<Result>
  readings: () => StoreReadings
  log: Log | undefined
  /** Finishes what was accepted. */
  close: () => Promise<void>
}

export function connectionOver(pool: Pool, log?: Log): Connection {
  const batches: Pick<ReturnType<typeof groupCommit>, 'waiting' | 'settle'>[] = []
  return {
    query: pool.query,
    transaction: pool.transaction,
    log,
    batched: (commit) => {
      const batch = groupCommit(commit)
      batches.push(batch)
      return batch.add
    },
    readings: () => ({
      waiting: batches.reduce((sum, { waiting }) => sum + waiting(), 0),
      walBytes: 0,
      freeBytes: undefined,
      pool: pool.readings(),
    }),
    close: async () => {
      await Promise.all(batches.map(({ settle }) => settle()))
      await pool.close()
    },
  }
}
