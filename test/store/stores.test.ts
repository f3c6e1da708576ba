import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import { rememberedMs, type Key, type NewPet, type Pet, type Stores } from '../../src/store/store.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'
import { engines, open } from '../support/servers/engines.ts'
import { testFolder } from '../support/process.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

function aKey(record: Partial<Key> = {}): Key {
  return newRecord({ plan: 'free', createdAt: 1, ...record })
}

for (const engine of engines(folder)) {
  engine.describe(`stores in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    /** Runs on new stores, and then again on what they left. */
    async function onBoth(
      fill: (stores: Stores) => Promise<void>,
      check: (stores: Stores) => Promise<void>,
    ): Promise<void> {
      const url = await engine.newStore()
      const stores = await open(url)
      await fill(stores)
      await check(stores)
      await stores.close()
      const again = await open(url)
      await check(again)
      await again.close()
    }

    /** Runs on new stores. */
    async function onNew(run: (stores: Stores, url: string) => Promise<void>): Promise<void> {
      const url = await engine.newStore()
      const stores = await open(url)
      await run(stores, url)
      await stores.close()
    }

    /** Runs on two processes' stores in one place. */
    async function onTwo(run: (one: Stores, other: Stores) => Promise<void>): Promise<void> {
      await onNew(async (one, url) => {
        const other = await open(url)
        await run(one, other)
        await other.close()
      })
    }

    describe('animals', () => {
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
    })

    describe('animals that are added once', () => {
      const once = { caller: 'key_a', key: 'name', now: 1_800_000_000_000 }

      test('are given again while their request is remembered, whatever else is asked', async () => {
        const first = { id: 1n, ...rex }
        await onBoth(
          async ({ pets }) => {
            expect(await pets.addOnce(rex, once)).toEqual({ pet: first, replayed: false })
          },
          async ({ pets }) => {
            const other = { ...rex, name: 'Other' }
            for (const now of [once.now, once.now + rememberedMs - 1, once.now - rememberedMs]) {
              expect(await pets.addOnce(other, { ...once, now })).toEqual({ pet: first, replayed: true })
            }
            expect(await pets.list({ limit: 10 })).toEqual([first])
          },
        )
      })

      test('are new for another caller, for another name, and once the time is over', async () => {
        await onNew(async ({ pets }) => {
          for (const other of [
            once,
            { ...once, caller: 'key_b' },
            { ...once, key: 'Name' },
            { ...once, key: 'name ' },
            { ...once, now: once.now + rememberedMs },
          ]) {
            expect(await pets.addOnce(rex, other)).toMatchObject({ replayed: false })
          }
          expect(await pets.addOnce(rex, { ...once, now: once.now + rememberedMs + 1 })).toEqual({
            pet: { id: 5n, ...rex },
            replayed: true,
          })
          expect((await pets.add(rex)).id).toBe(6n)
        })
      })

      test('share their commit with others, and with themselves', async () => {
        await onNew(async ({ pets }) => {
          const added = await Promise.all([
            ...[pets.addOnce(rex, once), pets.add(rex), pets.addOnce({ ...rex, name: 'Other' }, once)],
            ...[pets.addOnce(rex, { ...once, key: 'b' }), pets.add(rex)],
          ])
          expect(added).toEqual([
            { pet: { id: 1n, ...rex }, replayed: false },
            { id: 2n, ...rex },
            { pet: { id: 1n, ...rex }, replayed: true },
            { pet: { id: 3n, ...rex }, replayed: false },
            { id: 4n, ...rex },
          ])
        })
      })

      test('are one animal when 100 requests race in two processes', async () => {
        await onTwo(async (one, other) => {
          for (let round = 1; round <= 5; round += 1) {
            const added = await Promise.all(
              Array.from({ length: 100 }, (_, index) =>
                (index % 2 ? one : other).pets.addOnce(rex, { ...once, key: `race-${round}` }),
              ),
            )
            expect(new Set(added.map(({ pet }) => pet.id)).size).toBe(1)
            expect(added.filter(({ replayed }) => !replayed)).toHaveLength(1)
            expect(added[0]?.pet).toMatchObject(rex)
            expect(await other.pets.list({ limit: 100 })).toHaveLength(round)
          }
        })
      })

      test('are forgotten after their time, a few with each new one', async () => {
        await onNew(async ({ pets }, url) => {
          for (let index = 0; index < 10; index += 1) await pets.addOnce(rex, { ...once, key: `${index}`, now: index })
          const later = rememberedMs + 9
          for (let index = 0; index < 5; index += 1)
            await pets.addOnce(rex, { ...once, key: `new-${index}`, now: later })
          // what is left would be found by a clock that is set back
          await engine.sql(
            url,
            "DELETE FROM pets WHERE id <> (SELECT pet_id FROM idempotency_keys WHERE key = 'new-0')",
          )
          expect(await pets.addOnce(rex, { ...once, key: '9', now: 9 })).toMatchObject({ replayed: false })
          expect(await pets.addOnce(rex, { ...once, key: 'new-0', now: later })).toMatchObject({ replayed: true })
        })
      })

      test('are new when the first one is gone', async () => {
        await onNew(async ({ pets }, url) => {
          await pets.addOnce(rex, once)
          await engine.sql(url, 'DELETE FROM pets')
          expect(await pets.addOnce(rex, once)).toEqual({ pet: { id: 2n, ...rex }, replayed: false })
          expect(await pets.addOnce(rex, once)).toEqual({ pet: { id: 2n, ...rex }, replayed: true })
        })
      })
    })

    describe('keys', () => {
      test('are found by their digest, with every field', async () => {
        const custom = { perMinute: 5000, perDay: 1_000_000_000 }
        const records = [
          aKey({ createdAt: 1_800_000_000_123 }),
          aKey({ plan: 'enterprise', custom, label: 'ein Schlüssel', createdAt: 1_800_000_000_124 }),
          aKey({ createdAt: 1_800_000_000_125, revokedAt: 1_800_000_000_126 }),
          aKey({ createdAt: 1_800_000_000_127, ban: { until: 1_800_000_060_000, level: 3 } }),
        ]
        const digests = records.map(() => digestOf(newKey()))
        await onBoth(
          async ({ keys }) => {
            for (const [index, record] of records.entries()) await keys.add(record, digests[index] ?? Buffer.alloc(0))
          },
          async ({ keys }) => {
            expect(await Promise.all(digests.map((digest) => keys.find(digest)))).toEqual(records)
            expect(await keys.find(digestOf(newKey()))).toBeUndefined()
            expect(await keys.list()).toEqual(records)
          },
        )
      })

      test('are listed oldest first, and those of one time by their id', async () => {
        const records = [
          ...[3, 1, 2].map((createdAt) => aKey({ createdAt })),
          ...['key_b', 'key_Z', 'key_a', 'key_1'].map((id) => ({ ...aKey({ createdAt: 4 }), id })),
        ]
        await onBoth(
          async ({ keys }) => {
            for (const record of records) await keys.add(record, digestOf(newKey()))
          },
          async ({ keys }) => {
            const listed = await keys.list()
            expect(listed.slice(0, 3).map(({ createdAt }) => createdAt)).toEqual([1, 2, 3])
            expect(listed.slice(3).map(({ id }) => id)).toEqual(['key_1', 'key_Z', 'key_a', 'key_b'])
          },
        )
      })

      test('once revoked stay revoked, since the first time', async () => {
        const text = newKey()
        const record = aKey()
        await onBoth(
          async ({ keys }) => {
            await keys.add(record, digestOf(text))
            expect(await keys.revoke(record.id, 1000)).toBe(true)
            expect(await keys.revoke(record.id, 2000)).toBe(true)
            expect(await keys.revoke('key_unknown', 1000)).toBe(false)
          },
          async ({ keys }) => {
            expect(await keys.find(digestOf(text))).toEqual({ ...record, revokedAt: 1000 })
          },
        )
      })

      test('keep their last ban until it is lifted', async () => {
        const [banned, free] = [aKey(), aKey()]
        const until = 1_800_000_000_000
        await onBoth(
          async ({ keys }) => {
            for (const record of [banned, free]) await keys.add(record, digestOf(newKey()))
            await keys.ban(banned.id, { until: 5, level: 0 })
            await keys.ban(banned.id, { until, level: 1 })
            await keys.ban(free.id, { until, level: 2 })
            await keys.ban('key_unknown', { until, level: 0 })
            expect(await keys.unban(free.id)).toBe(true)
            expect(await keys.unban(free.id)).toBe(true)
            expect(await keys.unban('key_unknown')).toBe(false)
          },
          async ({ keys }) => {
            const found = new Map((await keys.list()).map(({ id, ban }) => [id, ban]))
            expect(found).toEqual(
              new Map([
                [banned.id, { until, level: 1 }],
                [free.id, undefined],
              ]),
            )
          },
        )
      })

      test('the first one is made once, by whichever process comes first', async () => {
        const url = await engine.newStore()
        const all = await Promise.all(Array.from({ length: 4 }, () => open(url)))
        const made = await Promise.all(all.map(({ keys }) => keys.addFirst(aKey(), digestOf(newKey()))))
        expect(made.filter((one) => one)).toHaveLength(1)
        expect(await all[0]?.keys.list()).toHaveLength(1)
        await Promise.all(all.map(({ close }) => close()))
      })

      test('the first one is not made when there is one already, revoked or not', async () => {
        await onNew(async ({ keys }) => {
          const old = aKey()
          await keys.add(old, digestOf(newKey()))
          await keys.revoke(old.id, 1)
          expect(await keys.addFirst(aKey(), digestOf(newKey()))).toBe(false)
          expect(await keys.list()).toHaveLength(1)
        })
      })

      test('do not share a digest', async () => {
        await onNew(async ({ keys }) => {
          const digest = digestOf(newKey())
          await keys.add(aKey(), digest)
          await expect(keys.add(aKey(), digest)).rejects.toHaveProperty('code', engine.duplicate)
          expect(await keys.list()).toHaveLength(1)
        })
      })
    })

    test('a store answers a ping', async () => {
      await onNew(async ({ ping }) => {
        await expect(ping()).resolves.toBeUndefined()
      })
    })
  })
}
