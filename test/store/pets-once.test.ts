import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rememberedMs, StoreRefusal } from '../../src/store/resource.ts'
import type { NewPet } from '../../src/store/tables/pets.ts'
import { testFolder } from '../support/process.ts'
import { engines, open } from '../support/servers/engines.ts'
import { storesOf } from '../support/servers/stores.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

for (const engine of engines(folder)) {
  const { onNew, onBoth, onTwo } = storesOf(engine)
  engine.describe(`animals that are added once in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    const once = { caller: 'key_a', key: 'name', digest: Buffer.alloc(32, 1), now: 1_800_000_000_000 }
    const elsewhat = Buffer.alloc(32, 2)
    const otherRequest = new StoreRefusal('other request')

    test('are given again as they were while the same request is remembered, whatever became of them', async () => {
      const first = { id: 1n, ...rex }
      await onBoth(
        async ({ pets }, url) => {
          expect(await pets.addOnce(rex, once)).toEqual({ row: first, replayed: false })
          await engine.sql(url, "UPDATE pets SET name = 'Changed'")
        },
        async ({ pets }) => {
          for (const now of [once.now, once.now + rememberedMs - 1, once.now - rememberedMs]) {
            expect(await pets.addOnce(rex, { ...once, now })).toEqual({ row: first, replayed: true })
            await expect(pets.addOnce(rex, { ...once, now, digest: elsewhat })).rejects.toEqual(otherRequest)
          }
          expect(await pets.list({ limit: 10 })).toEqual([{ ...first, name: 'Changed' }])
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
          row: { id: 5n, ...rex },
          replayed: true,
        })
        expect((await pets.add(rex)).id).toBe(6n)
      })
    })

    test('share their commit with others, and with themselves', async () => {
      await onNew(async ({ pets }) => {
        const added = await Promise.all([
          ...[pets.addOnce(rex, once), pets.add(rex), pets.addOnce(rex, once)],
          ...[
            pets.addOnce(rex, { ...once, key: 'b' }),
            pets.add(rex),
            pets.addOnce(rex, { ...once, digest: elsewhat }).catch((error: unknown) => error),
          ],
        ])
        expect(added).toEqual([
          { row: { id: 1n, ...rex }, replayed: false },
          { id: 2n, ...rex },
          { row: { id: 1n, ...rex }, replayed: true },
          { row: { id: 3n, ...rex }, replayed: false },
          { id: 4n, ...rex },
          otherRequest,
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
          expect(new Set(added.map(({ row }) => row.id)).size).toBe(1)
          expect(added.filter(({ replayed }) => !replayed)).toHaveLength(1)
          expect(added[0]?.row).toMatchObject(rex)
          expect(await other.pets.list({ limit: 100 })).toHaveLength(round)
        }
      })
    })

    test('are forgotten after their time, a few with each new one', async () => {
      await onNew(async ({ pets }) => {
        for (let index = 0; index < 10; index += 1) await pets.addOnce(rex, { ...once, key: `${index}`, now: index })
        const later = rememberedMs + 9
        for (let index = 0; index < 5; index += 1) await pets.addOnce(rex, { ...once, key: `new-${index}`, now: later })
        // what is left would be found by a clock that is set back
        expect(await pets.addOnce(rex, { ...once, key: '9', now: 9 })).toMatchObject({ replayed: false })
        expect(await pets.addOnce(rex, { ...once, key: 'new-0', now: later })).toMatchObject({ replayed: true })
      })
    })

    test('are not added anew when the first one is gone', async () => {
      const long = { name: 'Ünï 😀 "\\', categoryId: -(2n ** 63n), status: 'sold' } as const
      await onNew(async ({ pets }, url) => {
        await pets.addOnce(long, once)
        await engine.sql(url, 'DELETE FROM pets')
        expect(await pets.addOnce(long, once)).toEqual({ row: { id: 1n, ...long }, replayed: true })
        await expect(pets.addOnce(long, { ...once, digest: elsewhat })).rejects.toEqual(otherRequest)
        expect(await pets.list({ limit: 1 })).toEqual([])
      })
    })

    test('of an earlier release are still known, by what they hold now', async () => {
      const url = await engine.newStore()
      await engine.makeOlder(url, 2)
      await engine.addWithId(url, 7n, 'Rex')
      // the texts that were stored, and what they are called now, as far as they mean a string in quotes
      const names = [
        ['name', 'name'],
        ['"in-quotes"', 'in-quotes'],
        [String.raw`"in\"quotes"`, 'in"quotes'],
        [String.raw`"a\\b"`, String.raw`a\b`],
        [String.raw`"a\b"`, String.raw`"a\b"`],
        ...['"', '""', '"a"b"', '"twice"', 'twice'].map((same) => [same, same]),
      ] as const
      for (const [stored] of names) {
        await engine.sql(
          url,
          `INSERT INTO idempotency_keys (caller, key, pet_id, created_at) VALUES ('key_a', '${stored}', 7, ${once.now})`,
        )
      }
      const stores = await open(url)
      const old = { name: 'Rex', categoryId: 1n, status: 'sold' } as const
      for (const [, key] of names) {
        expect([key, await stores.pets.addOnce(old, { ...once, key })]).toEqual([
          key,
          { row: { id: 7n, ...old }, replayed: true },
        ])
        await expect(stores.pets.addOnce(rex, { ...once, key })).rejects.toEqual(otherRequest)
      }
      await stores.close()
    })
  })
}
