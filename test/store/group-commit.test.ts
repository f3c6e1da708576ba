import { describe, expect, test } from '@jest/globals'
import { groupCommit } from '../../src/store/group-commit.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'

/** Commits that run until they are let go, and what they were given. */
function heldCommits(): {
  batches: number[][]
  commit: (batch: readonly number[]) => Promise<string[]>
  let: () => void
} {
  const batches: number[][] = []
  let release: (() => void)[] = []
  return {
    batches,
    commit: async (batch) => {
      batches.push([...batch])
      await new Promise<void>((resolve) => release.push(resolve))
      return batch.map((item) => `done ${item}`)
    },
    let: () => {
      for (const one of release) one()
      release = []
    },
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('groupCommit', () => {
  test('gives each item its own result', async () => {
    const { add } = groupCommit(async (batch: readonly number[]) => batch.map((item) => item * 2))
    expect(await Promise.all([3, 1, 2].map(add))).toEqual([6, 2, 4])
  })

  test('lets items that arrive together share one commit, and those that arrive meanwhile the next', async () => {
    const held = heldCommits()
    const { add } = groupCommit(held.commit)
    const first = [1, 2, 3].map(add)
    await turn()
    const second = [4, 5].map(add)
    await turn()
    const third = add(6)
    expect(held.batches).toEqual([[1, 2, 3]])
    held.let()
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2', 'done 3'])
    await turn()
    expect(held.batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    held.let()
    expect(await Promise.all([...second, third])).toEqual(['done 4', 'done 5', 'done 6'])
  })

  test('commits a single item by itself, and works again after it has been idle', async () => {
    const batches: number[] = []
    const { add } = groupCommit(async (batch: readonly number[]) => {
      batches.push(batch.length)
      return [...batch]
    })
    expect(await add(1)).toBe(1)
    await turn()
    expect(await add(2)).toBe(2)
    expect(batches).toEqual([1, 1])
  })

  test('puts no more than 256 items into a commit, in the order of their arrival', async () => {
    const batches: number[][] = []
    const { add } = groupCommit(async (batch: readonly number[]) => {
      batches.push([...batch])
      return [...batch]
    })
    expect(await Promise.all(range(1, 600).map(add))).toEqual(range(1, 600))
    expect(batches).toEqual([range(1, 256), range(257, 512), range(513, 600)])
  })

  test('a bad item fails alone', async () => {
    const stored: number[] = []
    const { add } = groupCommit(async (batch: readonly number[]) => {
      if (batch.includes(3)) throw new Error('3 is bad')
      stored.push(...batch)
      return batch.map((item) => `done ${item}`)
    })
    const results = await Promise.allSettled(range(1, 5).map(add))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))).toEqual([
      'done 1',
      'done 2',
      'Error: 3 is bad',
      'done 4',
      'done 5',
    ])
    expect(stored).toEqual([1, 2, 4, 5])
    expect(await add(6)).toBe('done 6')
  })

  test('several bad items fail each with its own fault', async () => {
    const { add } = groupCommit(async (batch: readonly number[]) => {
      const bad = batch.find((item) => item % 2 === 0)
      if (bad !== undefined) throw new Error(`${bad} is bad`)
      return [...batch]
    })
    const results = await Promise.allSettled(range(1, 4).map(add))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))).toEqual([
      1,
      'Error: 2 is bad',
      3,
      'Error: 4 is bad',
    ])
  })

  test('a store that cannot answer is asked once for the batch, and every item of it hears so', async () => {
    let asked = 0
    const fault = new StoreUnavailable('The disk is full.')
    const { add } = groupCommit(async (batch: readonly number[]): Promise<number[]> => {
      asked += 1
      if (asked === 1) throw fault
      return [...batch]
    })
    const results = await Promise.allSettled(range(1, 5).map(add))
    expect(results).toEqual(range(1, 5).map(() => ({ status: 'rejected', reason: fault })))
    expect(asked).toBe(1)
    expect(await add(6)).toBe(6)
  })

  test('settles when nothing waits any more, whatever became of it', async () => {
    const held = heldCommits()
    const { add, settle } = groupCommit(async (batch: readonly number[]) => {
      const results = await held.commit(batch)
      if (batch.includes(2)) throw new Error('2 is bad')
      return results
    })
    const done: string[] = []
    void add(1).then(() => done.push('1'))
    await turn()
    void add(2).catch(() => done.push('2'))
    const settled = settle().then(() => done.push('settled'))
    await turn()
    expect(done).toEqual([])
    held.let()
    await turn()
    expect(done).toEqual(['1'])
    held.let()
    await settled
    expect(done).toEqual(['1', '2', 'settled'])
  })

  test('refuses what would wait too long, and tells when to try again, once a commit is slow', async () => {
    const held = heldCommits()
    let now = 0
    const { add, refused, waiting } = groupCommit(held.commit, () => now)
    const done = [add(1)]
    await turn()
    // the first commit takes 6 s, and so would the next one
    now = 6000
    held.let()
    await done[0]
    done.push(add(2))
    await turn()
    now += 1000
    done.push(add(3))
    now += 900
    const error = await add(4).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).toMatchObject({
      retryAfterS: 11,
      message: 'The store is too busy: this would wait 11 s for its commit.',
    })
    // less is left of the one under way
    now += 1100
    done.push(add(5))
    expect([refused(), waiting()]).toEqual([1, 2])
    held.let()
    await turn()
    expect(held.batches).toEqual([[1], [2], [3, 5]])
    // one that is fast lets others in at once
    now += 10
    held.let()
    expect(await Promise.all(done)).toEqual(['done 1', 'done 2', 'done 3', 'done 5'])
    await turn()
    const after = [add(6), ...range(1000, 2000).map(add)]
    await turn()
    now += 900
    after.push(add(7))
    for (let commit = 0; commit < 6; commit += 1) {
      held.let()
      await turn()
    }
    expect(await Promise.all(after)).toHaveLength(1003)
    expect(refused()).toBe(1)
  })

  test('settles at once when nothing waits', async () => {
    const { add, settle } = groupCommit(async (batch: readonly number[]) => [...batch])
    await settle()
    await add(1)
    await settle()
  })
})
