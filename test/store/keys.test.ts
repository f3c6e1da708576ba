import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import type { Act, Key } from '../../src/store/store.ts'
import { testFolder } from '../support/process.ts'
import { engines, open } from '../support/servers/engines.ts'
import { storesOf } from '../support/servers/stores.ts'

const folder = testFolder()

function aKey(record: Partial<Key> = {}): Key {
  return newRecord({ plan: 'free', createdAt: 1, ...record })
}

for (const engine of engines(folder)) {
  const { onNew, onBoth } = storesOf(engine)
  engine.describe(`keys in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    test('are found by their digest, with every field', async () => {
      const custom = { perMinute: 5000, perDay: 1_000_000_000 }
      const records = [
        aKey({ createdAt: 1_800_000_000_123 }),
        aKey({ plan: 'enterprise', custom, label: 'ein Schlüssel', createdAt: 1_800_000_000_124 }),
        aKey({ createdAt: 1_800_000_000_125, revokedAt: 1_800_000_000_126 }),
        aKey({ createdAt: 1_800_000_000_127, ban: { until: 1_800_000_060_000, level: 3 } }),
        aKey({ createdAt: 1_800_000_000_128, start: 'ak_0aB1cD', expiresAt: 1_900_000_000_000 }),
        aKey({ createdAt: 1_800_000_000_129, account: 'key_first', lastUsedAt: 1_799_971_200_000 }),
      ]
      const digests = records.map(() => digestOf(newKey()))
      await onBoth(
        async ({ keys }) => {
          for (const [index, record] of records.entries())
            await keys.add(record, digests[index] ?? Buffer.alloc(0), 'a test')
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
          for (const record of records) await keys.add(record, digestOf(newKey()), 'a test')
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
          await keys.add(record, digestOf(text), 'a test')
          expect(await keys.revoke(record.id, { at: 1000, by: 'a test' })).toBe(true)
          expect(await keys.revoke(record.id, { at: 2000, by: 'a test' })).toBe(true)
          expect(await keys.revoke('key_unknown', { at: 1000, by: 'a test' })).toBe(false)
        },
        async ({ keys }) => {
          expect(await keys.find(digestOf(text))).toEqual({ ...record, revokedAt: 1000 })
        },
      )
    })

    test('expire at the earliest time that was given', async () => {
      const text = newKey()
      const [free, limited] = [aKey(), aKey({ expiresAt: 5000 })]
      await onBoth(
        async ({ keys }) => {
          await keys.add(free, digestOf(text), 'a test')
          await keys.add(limited, digestOf(newKey()), 'a test')
          expect(await keys.expire(free.id, 4000, { at: 1, by: 'a test' })).toBe(true)
          expect(await keys.expire(free.id, 9000, { at: 1, by: 'a test' })).toBe(true)
          expect(await keys.expire(limited.id, 9000, { at: 1, by: 'a test' })).toBe(true)
          expect(await keys.expire('key_unknown', 4000, { at: 1, by: 'a test' })).toBe(false)
        },
        async ({ keys }) => {
          expect(await keys.find(digestOf(text))).toEqual({ ...free, expiresAt: 4000 })
          expect((await keys.list()).find(({ id }) => id === limited.id)).toEqual(limited)
        },
      )
    })

    test('keep the last day of their use, which never goes back', async () => {
      const [often, once, never] = [aKey({ createdAt: 1 }), aKey({ createdAt: 2 }), aKey({ createdAt: 3 })]
      await onBoth(
        async ({ keys }) => {
          for (const record of [often, once, never]) await keys.add(record, digestOf(newKey()), 'a test')
          await keys.used([often.id, once.id, 'key_unknown'], 86_400_000)
          await keys.used([often.id], 2 * 86_400_000)
          await keys.used([often.id, once.id], 86_400_000)
          await keys.used([], 3 * 86_400_000)
        },
        async ({ keys }) => {
          expect((await keys.list()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([172_800_000, 86_400_000, undefined])
        },
      )
    })

    test('of an older program, made before the update or beside a newer one, go on', async () => {
      const url = await engine.newStore()
      await engine.makeOlder(url)
      const insert = (id: string, byte: string): string =>
        `INSERT INTO keys (digest, id, plan, per_minute, per_day, label, created_at, revoked_at, banned_until, ban_level)
         VALUES (${engine.bytes(byte.repeat(32))}, '${id}', 'free', NULL, NULL, NULL, 1, NULL, NULL, NULL)`
      await engine.sql(url, insert('key_before', 'a1'))
      const stores = await open(url)
      await engine.sql(url, insert('key_beside', 'b2'))
      const record = { ...aKey(), start: undefined, expiresAt: undefined, lastUsedAt: undefined }
      const expected = ['key_before', 'key_beside'].map((id) => ({ ...record, id, account: id }))
      expect(await stores.keys.list()).toEqual(expected)
      expect(await stores.keys.find(Buffer.from('b2'.repeat(32), 'hex'))).toEqual(expected[1])
      await stores.close()
    })

    test('keep their last ban until it is lifted', async () => {
      const [banned, free] = [aKey(), aKey()]
      const until = 1_800_000_000_000
      await onBoth(
        async ({ keys }) => {
          for (const record of [banned, free]) await keys.add(record, digestOf(newKey()), 'a test')
          await keys.ban(banned.id, { until: 5, level: 0 }, { at: 1, by: 'a test' })
          await keys.ban(banned.id, { until, level: 1 }, { at: 1, by: 'a test' })
          await keys.ban(free.id, { until, level: 2 }, { at: 1, by: 'a test' })
          await keys.ban('key_unknown', { until, level: 0 }, { at: 1, by: 'a test' })
          expect(await keys.unban(free.id, { at: 1, by: 'a test' })).toBe(true)
          expect(await keys.unban(free.id, { at: 1, by: 'a test' })).toBe(true)
          expect(await keys.unban('key_unknown', { at: 1, by: 'a test' })).toBe(false)
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

    test('are recorded with each change, when it was made and by whom', async () => {
      const [first, other] = [aKey({ expiresAt: 9000 }), aKey({ createdAt: 2 })]
      const by = (name: string, at: number): Act => ({ at, by: name })
      const url = await engine.newStore()
      const stores = await open(url)
      const { keys } = stores
      expect(await keys.addFirst(first, digestOf(newKey()))).toBe(true)
      await keys.add(other, digestOf(newKey()), 'ann@here')
      await keys.ban(other.id, { until: 70, level: 0 }, { at: 10 })
      await keys.unban(other.id, by('ben@there', 20))
      await keys.unban(other.id, by('ben@there', 21))
      await keys.expire(first.id, 5000, by('ann@here', 30))
      await keys.revoke(other.id, by('ann@here', 40))
      await keys.revoke(other.id, by('ben@there', 50))
      await keys.revoke('key_unknown', by('ben@there', 60))
      const changes = [
        { key: first.id, change: 'created', at: 1, by: 'the service', until: 9000 },
        { key: other.id, change: 'created', at: 2, by: 'ann@here', until: undefined },
        { key: other.id, change: 'banned', at: 10, by: 'the service', until: 70 },
        { key: other.id, change: 'unbanned', at: 20, by: 'ben@there', until: undefined },
        { key: first.id, change: 'expires', at: 30, by: 'ann@here', until: 5000 },
        { key: other.id, change: 'revoked', at: 40, by: 'ann@here', until: undefined },
      ]
      expect(await keys.changes()).toEqual(changes)
      for (const statement of [`UPDATE key_changes SET made_by = 'nobody'`, 'DELETE FROM key_changes']) {
        await expect(engine.sql(url, statement)).rejects.toHaveProperty(
          'message',
          'The record of key changes is only added to.',
        )
      }
      expect(await keys.changes()).toEqual(changes)
      for (const { id } of [first, other]) {
        expect(await keys.changes(id)).toEqual(changes.filter(({ key }) => key === id))
      }
      expect(await keys.changes('key_unknown')).toEqual([])
      await stores.close()
    })

    test('have their earlier changes in the record after an update', async () => {
      const url = await engine.newStore()
      await engine.makeOlder(url)
      await engine.sql(
        url,
        `INSERT INTO keys (digest, id, plan, created_at, revoked_at) VALUES (${engine.bytes('a1'.repeat(32))}, 'key_before', 'free', 3, 4)`,
      )
      const stores = await open(url)
      expect(await stores.keys.changes()).toEqual([
        { key: 'key_before', change: 'created', at: 3, by: undefined, until: undefined },
        { key: 'key_before', change: 'revoked', at: 4, by: undefined, until: undefined },
      ])
      await stores.close()
    })

    test('the first one is made once, by whichever process comes first', async () => {
      const url = await engine.newStore()
      const all = await Promise.all(Array.from({ length: 4 }, () => open(url)))
      const made = await Promise.all(all.map(({ keys }) => keys.addFirst(aKey(), digestOf(newKey()), 'a test')))
      expect(made.filter((one) => one)).toHaveLength(1)
      expect(await all[0]?.keys.list()).toHaveLength(1)
      await Promise.all(all.map(({ close }) => close()))
    })

    test('the first one is not made when there is one already, revoked or not', async () => {
      await onNew(async ({ keys }) => {
        const old = aKey()
        await keys.add(old, digestOf(newKey()), 'a test')
        await keys.revoke(old.id, { at: 1, by: 'a test' })
        expect(await keys.addFirst(aKey(), digestOf(newKey()), 'a test')).toBe(false)
        expect(await keys.list()).toHaveLength(1)
      })
    })

    test('do not share a digest', async () => {
      await onNew(async ({ keys }) => {
        const digest = digestOf(newKey())
        await keys.add(aKey(), digest, 'a test')
        await expect(keys.add(aKey(), digest, 'a test')).rejects.toHaveProperty('code', engine.duplicate)
        expect(await keys.list()).toHaveLength(1)
      })
    })
  })
}
