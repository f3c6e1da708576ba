import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import type { NewPet } from '../../src/store/tables/pets.ts'
import { engines, open, type Engine } from '../support/servers/engines.ts'
import { describePostgres } from '../support/servers/postgres.ts'
import { run, testFolder } from '../support/process.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
const once = { caller: 'c', key: 'k', digest: Buffer.alloc(32), now: 1_800_000_000_000 }
const digest = digestOf(newKey())
const key = {
  ...newRecord({ plan: 'enterprise', custom: { perMinute: 5, perDay: 6 }, label: 'Ünï', createdAt: 1 }),
  ...{ revokedAt: 2, ban: { until: 3, level: 4 } },
}

function copy(from: string, to: string): ReturnType<typeof run> {
  return run(['scripts/store-copy.ts', from, to])
}

const counts = /^pets: (\d+) rows?, (\d+) of them copied now, checksum [0-9a-f]{64}$/m

describePostgres('npm run store:copy', () => {
  const [sqlite, postgres] = engines(folder) as [Engine, Engine]
  beforeAll(postgres.start)
  afterAll(postgres.stop)

  /** A store with 2500 animals, of which the last one was removed, a key with every field, and a remembered request. */
  async function fill(engine: Engine): Promise<string> {
    const url = await engine.newStore()
    const { pets, keys, close } = await open(url)
    await pets.addOnce({ ...rex, name: '"\\ 😀' }, once)
    await Promise.all(
      Array.from({ length: 2499 }, (_, index) =>
        pets.add({ ...rex, name: `N${index}`, categoryId: 2n ** 63n - 1n - BigInt(index) }),
      ),
    )
    await keys.add(key, digest, 'a test')
    await keys.add(newRecord({ plan: 'free', createdAt: 1 }), digestOf(newKey()), 'a test')
    await close()
    await engine.sql(url, 'DELETE FROM pets WHERE id = 2500')
    return url
  }

  test.each([
    ['SQLite', 'PostgreSQL', sqlite, postgres],
    ['PostgreSQL', 'SQLite', postgres, sqlite],
  ])('copies all of a store in %s to %s, and a second time nothing', async (_from, _to, from, to) => {
    const [source, target] = [await fill(from), await to.newStore()]
    const first = await copy(source, target)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(counts.exec(first.stdout)?.slice(1)).toEqual(['2499', '2499'])

    const [ours, theirs] = [await open(source), await open(target)]
    const all = await ours.pets.list({ limit: 10_000 })
    expect(all).toHaveLength(2499)
    expect(await theirs.pets.list({ limit: 10_000 })).toEqual(all)
    expect(await theirs.keys.list()).toEqual(await ours.keys.list())
    expect(await theirs.keys.find(digest)).toEqual(key)
    await Promise.all([ours.close(), theirs.close()])

    const second = await copy(source, target)
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(counts.exec(second.stdout)?.slice(1)).toEqual(['2499', '0'])
    const alike = (stdout: string): string =>
      stdout.replaceAll(/, \d+ of/g, ', N of').replace(/compared in \d+(\.\d+)? s\.$/m, 'compared in N s.')
    expect(alike(second.stdout)).toBe(alike(first.stdout))
    expect(alike(second.stdout)).toMatch(/\nBoth stores are equal: read and compared in N s\.\n$/)

    const after = await open(target)
    expect(await after.pets.addOnce(rex, once)).toMatchObject({ row: { id: 1n, name: '"\\ 😀' }, replayed: true })
    expect((await after.pets.add(rex)).id).toBe(2501n)
    await after.close()
  })

  test('goes on where it was interrupted', async () => {
    const [source, target] = [await fill(sqlite), await postgres.newStore()]
    await copy(source, target)
    await postgres.sql(
      target,
      `DELETE FROM pets WHERE id % 3 = 0 OR id > 2000; DELETE FROM keys WHERE id = '${key.id}'; SELECT setval('pets_id_seq', 7)`,
    )
    const again = await copy(source, target)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(counts.exec(again.stdout)?.slice(1)).toEqual(['2499', '1165'])
    const { pets, keys, close } = await open(target)
    expect(await keys.find(digest)).toEqual(key)
    expect((await pets.add(rex)).id).toBe(2501n)
    await close()
  })

  test.each([
    [
      'an animal that FROM has not',
      "INSERT INTO pets VALUES (9000, 'Other', 1, 'sold')",
      /has pets that FROM has not, 9000 for/,
    ],
    [
      'another animal of the same id',
      "UPDATE pets SET name = 'Other' WHERE id = 1200",
      /has pets that differ, 1200 for one/,
    ],
    [
      'another key',
      "UPDATE keys SET plan = 'pro' WHERE revoked_at IS NOT NULL",
      /has keys that differ, key_\w+ for one/,
    ],
  ])('refuses a TO with %s, and leaves it as it is', async (_, statement, reason) => {
    const [source, target] = [await fill(postgres), await sqlite.newStore()]
    await copy(source, target)
    await sqlite.sql(target, `${statement}; DELETE FROM pets WHERE id = 5`)
    const { code, stdout, stderr } = await copy(source, target)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^TO is left as it is, since it has .+\. Copy to a new store\.\n$/)
    expect(stderr).toMatch(reason)
    const { pets, close } = await open(target)
    expect(await pets.find(5n)).toBeUndefined()
    await close()
  })

  test('refuses what is no copy, without repeating passwords', async () => {
    const source = await fill(sqlite)
    for (const [from, to, message] of [
      [source, source, 'FROM and TO are the same store.\n'],
      [source, source.replace('sqlite:', 'sqlite:/tmp/..'), 'FROM and TO are the same store.\n'],
      [`sqlite:${folder}/nothing.db`, source, `FROM is not there: ${folder}/nothing.db.\n`],
      [source, 'postgres://user:hunter2@db', 'TO must name a database: postgres://USER:PASSWORD@HOST:PORT/DATABASE.\n'],
      [source, '', 'TO must be given.\n'],
    ] as const) {
      expect(await copy(from, to)).toEqual({ code: 1, stdout: '', stderr: message })
    }
  })
})
