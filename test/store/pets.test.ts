import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { NewPet, Pet } from '../../src/store/tables/pets.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'
import { testFolder } from '../support/process.ts'
import { engines, open } from '../support/servers/engines.ts'
import { storesOf } from '../support/servers/stores.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

for (const engine of engines(folder)) {
  const { onNew, onBoth, onTwo } = storesOf(engine)
  engine.describe(`animals in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    test('are listed oldest first, in pages without gaps, filtered or not', async () => {
      const all: Pet[] = []
      await onBoth(
        async ({ pets }) => {
          for (let index = 0; index < 10; index += 1) {
            all.push(await pets.add({ ...rex, name: `N${index}`, status: index % 2 ? 'sold' : 'pending' }))
          }
        },
        async ({ pets }) => {
          expect(all.map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n])
          expect(await pets.list({ limit: 100 })).toEqual(all)
          expect(await pets.list({ limit: 3 })).toEqual(all.slice(0, 3))
          expect(await pets.list({ limit: 3, after: 3n })).toEqual(all.slice(3, 6))
          expect(await pets.list({ limit: 3, after: 9n })).toEqual(all.slice(9))
          expect(await pets.list({ limit: 3, after: 10n })).toEqual([])
          expect(await pets.list({ limit: 3, after: 2n ** 63n - 1n })).toEqual([])
          const sold = all.filter(({ status }) => status === 'sold')
          expect(await pets.list({ limit: 100, status: 'sold' })).toEqual(sold)
          expect(await pets.list({ limit: 2, status: 'sold', after: 4n })).toEqual(sold.slice(2, 4))
          expect(await pets.list({ limit: 100, status: 'available' })).toEqual([])
        },
      )
    })

    test('are found by their id alone', async () => {
      await onBoth(
        async ({ pets }) => {
          await pets.add(rex)
        },
        async ({ pets }) => {
          expect(await pets.find(1n)).toEqual({ id: 1n, ...rex })
          for (const id of [0n, 2n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) expect(await pets.find(id)).toBeUndefined()
        },
      )
    })

    test('keep every digit of an int64', async () => {
      const edges = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 53n, 0n, -1n]
      await onBoth(
        async ({ pets }) => {
          for (const categoryId of edges) expect((await pets.add({ ...rex, categoryId })).categoryId).toBe(categoryId)
        },
        async ({ pets }) => {
          expect((await pets.list({ limit: 100 })).map(({ categoryId }) => categoryId)).toEqual(edges)
          expect((await pets.find(3n))?.categoryId).toBe(9007199254740993n)
        },
      )
    })

    test('with ids beyond 2^53 are not mistaken for their neighbours', async () => {
      const ids = [9007199254740991n, 9007199254740992n, 9007199254740993n, 9223372036854775806n]
      await onNew(async ({ pets }, url) => {
        for (const id of ids) await engine.addWithId(url, id, `N${id}`)
        for (const id of ids) expect(await pets.find(id)).toMatchObject({ id, name: `N${id}` })
        expect(await pets.find(9007199254740994n)).toBeUndefined()
        expect((await pets.list({ limit: 100, after: 9007199254740992n })).map(({ id }) => id)).toEqual(ids.slice(2))
      })
    })

    test('keep their names as they are', async () => {
      const names = [
        ...['é', 'e\u0301', '😀'.repeat(255), 'a\r\nb', "'); DROP TABLE pets; --", '\uffff', '\u{10ffff}', '\u0001'],
        ...['NULL', '{}', '{"a",b}', '\\', '"', '\\"', ',', ' ', '\u00a0x\u200b', '\\x41', '%s$1'],
      ]
      await onBoth(
        async ({ pets }) => {
          await Promise.all(names.map((name) => pets.add({ ...rex, name })))
        },
        async ({ pets }) => {
          expect((await pets.list({ limit: 100 })).map(({ name }) => name)).toEqual(names)
        },
      )
    })

    test('that are added at once all get an id of their own and are all stored', async () => {
      const answered: Pet[] = []
      await onBoth(
        async ({ pets }) => {
          const added = Array.from({ length: 1000 }, (_, index) => pets.add({ ...rex, name: `N${index}` }))
          answered.push(...(await Promise.all(added)))
        },
        async ({ pets }) => {
          expect(new Set(answered.map(({ id }) => id)).size).toBe(1000)
          expect(answered.map(({ name }) => name)).toEqual(answered.map((_, index) => `N${index}`))
          expect(await pets.list({ limit: 2000 })).toEqual(answered.toSorted((a, b) => Number(a.id - b.id)))
        },
      )
    })

    test('that are added while the store closes are stored when they were accepted', async () => {
      const url = await engine.newStore()
      const stores = await open(url)
      const added = Array.from({ length: 300 }, () => stores.pets.add(rex))
      await stores.close()
      expect(await Promise.all(added)).toHaveLength(300)
      const again = await open(url)
      expect(await again.pets.list({ limit: 1000 })).toHaveLength(300)
      await again.close()
    })

    test('of two processes have different ids, and those who page meanwhile miss none', async () => {
      await onTwo(async (one, other) => {
        const seen: bigint[] = []
        const page = async (): Promise<number> => {
          const found = await one.pets.list({ limit: 50, after: seen.at(-1) })
          seen.push(...found.map(({ id }) => id))
          return found.length
        }
        const writing = { count: 20 }
        // ten writers for each, so that their batches are of different sizes
        const writers = Array.from({ length: writing.count }, async (_, writer) => {
          const mine: bigint[] = []
          try {
            for (let round = 0; round < 20; round += 1) mine.push((await (writer % 2 ? one : other).pets.add(rex)).id)
          } finally {
            writing.count -= 1
          }
          return mine
        })
        while (writing.count > 0) {
          await page()
          await new Promise(setImmediate)
        }
        const all = (await Promise.all(writers)).flat().toSorted((a, b) => Number(a - b))
        while ((await page()) > 0);
        expect(new Set(all).size).toBe(400)
        expect(seen).toEqual(all)
      })
    })

    test('never get the id of one that is gone', async () => {
      const url = await engine.newStore()
      const stores = await open(url)
      for (let count = 0; count < 3; count += 1) await stores.pets.add(rex)
      await engine.sql(url, 'DELETE FROM pets WHERE id = 3')
      expect((await stores.pets.add(rex)).id).toBe(4n)
      await stores.close()
      await engine.sql(url, 'DELETE FROM pets')
      const again = await open(url)
      expect((await again.pets.add(rex)).id).toBe(5n)
      await again.close()
    })

    test('get no made-up id when the last one is used up', async () => {
      await onNew(async ({ pets }, url) => {
        await engine.addWithId(url, 2n ** 63n - 1n, 'Last')
        const refused = await pets.add(rex).catch((error: unknown) => error)
        expect(refused).toBeInstanceOf(StoreUnavailable)
        expect(refused).toHaveProperty('message', engine.noIdLeft)
        expect((await pets.list({ limit: 10 })).map(({ id }) => id)).toEqual([9223372036854775807n])
      })
    })

    test('a store answers a ping', async () => {
      await onNew(async ({ ping }) => {
        await expect(ping()).resolves.toBeUndefined()
      })
    })

    test('a store has an id of its own, in every process that uses it', async () => {
      const ids: string[] = []
      for (let store = 0; store < 2; store += 1) {
        await onTwo(async (one, other) => {
          const id = await one.installation()
          expect(id).toMatch(/^[0-9a-f]{16,}$/)
          expect(await other.installation()).toBe(id)
          ids.push(id)
        })
      }
      expect(ids[1]).not.toBe(ids[0])
    })
  })
}
