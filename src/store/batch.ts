import { gatherTurn } from '../event-loop.ts'
import { StoreUnavailable } from './unavailable.ts'

/** Something that waits for its result. */
export interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Runs a batch, and gives each item its result. Throws when the store cannot answer; any other fault is found out for
 * each item alone, so that one bad item does not fail the others.
 */
export async function runBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  run: (items: readonly Item[]) => Promise<Result[]>,
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      for (const { reject } of batch) reject(error)
      throw error
    }
    if (batch.length > 1) for (const one of batch) await runBatch([one], run)
    else batch[0]?.reject(error)
  }
}

/**
 * Reads with one statement what the requests of one turn of the event loop ask for. `read` gives a result for each, in
 * their order.
 */
export function sharedRead<Item, Result>(
  read: (items: readonly Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  const add = gatherTurn<Waiting<Item, Result>>((batch) => {
    runBatch(batch, read).catch(() => undefined)
  })
  return (item) =>
    new Promise((resolve, reject) => {
      add({ item, resolve, reject })
    })
}
