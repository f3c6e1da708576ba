import { atEndOfTurn } from '../event-loop.ts'
import { runBatch, type Waiting } from './batch.ts'
import { StoreUnavailable } from './unavailable.ts'

/** The most items that share one commit: more would keep the event loop from its other work for too long. */
const maxBatch = 256
/** An item that would wait longer for its commit is refused at once, in ms. */
const maxWaitMs = 10_000
/** A commit that takes longer counts as slow, in ms: until then the store may be fast again, whatever the last one took. */
const slowMs = 1000

export interface GroupCommit<Item, Result> {
  add: (item: Item) => Promise<Result>
  /** How many items no batch has yet. */
  waiting: () => number
  /** How many items were refused because too many waited. */
  refused: () => number
  /** Resolves when nothing waits any more. */
  settle: () => Promise<void>
}

/**
 * Lets items that arrive together share one commit, so that they share its wait for the disk. `commit` stores all of
 * a batch or nothing, and gives a result for each in their order. How long an item would wait follows from how many wait
 * already and how long the last commit took, by `now` in ms.
 */
export function groupCommit<Item, Result>(
  commit: (batch: readonly Item[]) => Promise<Result[]>,
  now: () => number = () => performance.now(),
): GroupCommit<Item, Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined
  let beganAt: number | undefined
  let lastMs = 0
  let refused = 0

  async function run(): Promise<void> {
    // what the event loop has at hand comes into the first batch, what arrives during it into the next
    await new Promise<void>(atEndOfTurn)
    while (waiting.length > 0) {
      const began = (beganAt = now())
      await runBatch(waiting.splice(0, maxBatch), commit).catch((error: unknown) => {
        // what waits behind the batch need not find out by waiting as long again
        for (const { reject } of waiting.splice(0)) reject(error)
      })
      lastMs = now() - began
    }
    beganAt = undefined
    running = undefined
  }

  const waitMs = (): number => {
    const elapsedMs = beganAt === undefined ? 0 : now() - beganAt
    if (elapsedMs <= slowMs) return 0
    const aTurnMs = Math.max(lastMs, elapsedMs)
    return aTurnMs - elapsedMs + (Math.floor(waiting.length / maxBatch) + 1) * aTurnMs
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const ms = waitMs()
        if (ms > maxWaitMs) {
          refused += 1
          reject(tooMany(ms))
          return
        }
        waiting.push({ item, resolve, reject })
        running ??= run()
      }),
    waiting: () => waiting.length,
    refused: () => refused,
    settle: async () => {
      while (running) await running
    },
  }
}

function tooMany(ms: number): StoreUnavailable {
  const seconds = Math.ceil(ms / 1000)
  return new StoreUnavailable(
    `The store is too busy: this would wait ${seconds} s for its commit.`,
    undefined,
    'overloaded',
    seconds,
  )
}
