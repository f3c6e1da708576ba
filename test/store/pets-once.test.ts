import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rememberedMs, type NewPet } from '../../src/store/store.ts'
import { testFolder } from '../support/process.ts'
import { engines } from '../support/servers/engines.ts'
import { storesOf } from '../support/servers/stores.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

for (const engine of engines(folder)) {
  const { onNew, onBoth, onTwo } = storesOf(engine)
  engine.describe(`animals that are added once in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

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
        for (let index = 0; index < 5; index += 1) await pets.addOnce(rex, { ...once, key: `new-${index}`, now: later })
        // what is left would be found by a clock that is set back
        await engine.sql(url, "DELETE FROM pets WHERE id <> (SELECT pet_id FROM idempotency_keys WHERE key = 'new-0')")
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
}
