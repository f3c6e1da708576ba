import { ApiError } from '../api-error.ts'

/** The most items that share one commit: more would keep the event loop from its other work for too long. */
const maxBatch = 256

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Lets items that arrive together share one commit, so that they share its wait for the disk. `commit` stores all of
 * a batch or nothing, and gives a result for each in their order. `settle` resolves when nothing waits any more.
 */
export function groupCommit<Item, Result>(
  commit: (batch: readonly Item[]) => Promise<Result[]>,
): { add: (item: Item) => Promise<Result>; settle: () => Promise<void> } {
  let waiting: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    // what the event loop has at hand comes into the first batch, what arrives during it into the next
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      await finish(batch)
    }
    running = undefined
  }

  async function finish(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      // one bad item must not take the others with it, and a store that cannot answer need not be asked for each
      if (batch.length > 1 && !(error instanceof ApiError)) for (const one of batch) await finish([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        running ??= run()
      }),
    settle: async () => {
      while (running) await running
    },
  }
}
