import { atEndOfTurn } from '../event-loop.ts'
import { runBatch, type Waiting } from './batch.ts'

/** The most items that share one commit: more would keep the event loop from its other work for too long. */
const maxBatch = 256

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
    await new Promise<void>(atEndOfTurn)
    while (waiting.length > 0) {
      await runBatch(waiting.splice(0, maxBatch), commit).catch((error: unknown) => {
        // what waits behind the batch need not find out by waiting as long again
        for (const { reject } of waiting.splice(0)) reject(error)
      })
    }
    running = undefined
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
