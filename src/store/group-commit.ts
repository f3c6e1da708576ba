import { StoreUnavailable } from './unavailable.ts'

/** The most items that share one commit: more would keep the event loop from its other work for too long. */
const maxBatch = 256

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Lets items that arrive together share one commit, so that they share its wait for the disk. `commit` stores all of
 * a batch or nothing, and gives a result for each in their order. `waiting` counts the items that no batch has yet,
 * `settle` resolves when nothing waits any more.
 */
export function groupCommit<Item, Result>(
  commit: (batch: readonly Item[]) => Promise<Result[]>,
): { add: (item: Item) => Promise<Result>; waiting: () => number; settle: () => Promise<void> } {
  const waiting: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    // what the event loop has at hand comes into the first batch, what arrives during it into the next
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      await finish(waiting.splice(0, maxBatch))
    }
    running = undefined
  }

  async function finish(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        // the store cannot answer, which what waits behind the batch need not find out by waiting as long again
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error)
      } else if (batch.length > 1) {
        // one bad item must not take the others with it
        for (const one of batch) await finish([one])
      } else batch[0]?.reject(error)
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        running ??= run()
      }),
    waiting: () => waiting.length,
    settle: async () => {
      while (running) await running
    },
  }
}
