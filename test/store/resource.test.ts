import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { rememberedMs, StoreRefusal, type Once, type Refusal, type ResourceOf } from '../../src/store/resource.ts'
import { schemaOf } from '../../src/store/schema.ts'
import { pets } from '../../src/store/tables/pets.ts'
import { int64, optional, table, text } from '../../src/store/table.ts'
import { oddTables, requests, type Book, type Member } from '../support/odd-tables.ts'
import { testFolder } from '../support/process.ts'
import { engines, open } from '../support/servers/engines.ts'
import { expectTables } from '../support/servers/found-tables.ts'
import { openWith } from '../support/servers/stores.ts'

type OddStores = { [N in keyof typeof oddTables]: ResourceOf<(typeof oddTables)[N]> } & {
  ping: () => Promise<void>
  close: () => Promise<void>
}

const schema = schemaOf({ pets, ...oddTables })

/** Stores with the odd tables beside those of the service. */
const openOdd = (url: string): Promise<OddStores> => openWith(url, schema)

const book = (number: number, more: Partial<Book> = {}): Book => ({
  isbn: `isbn-${String(number).padStart(3, '0')}`,
  shelf: 'a',
  title: `Title ${number}`,
  pages: 100 + (number % 3),
  lent: number % 2 === 0,
  addedAt: `2026-01-0${1 + (number % 3)}T00:00:00.000Z`,
  kind: number % 4 === 0 ? 'atlas' : 'novel',
  details: { weights: [2n ** 63n - 1n, BigInt(number)] },
  ...more,
})
const once = (key: string, content = 1): Once => ({
  caller: 'c',
  key,
  digest: Buffer.alloc(32, content),
  now: 1_800_000_000_000,
})
const refused = (refusal: Refusal): StoreRefusal => new StoreRefusal(refusal)

for (const engine of engines(testFolder())) {
  engine.describe(`a declared table in ${engine.name}`, () => {
    let stores: OddStores
    let other: OddStores
    let url: string
    beforeAll(async () => {
      await engine.start()
      url = await engine.newStore()
      // a store of the service, which gets the tables when it is opened with them
      const before = await open(url)
      await before.pets.add({ name: 'Rex', categoryId: 7n, status: 'sold' })
      await before.close()
      stores = await openOdd(url)
      other = await openOdd(url)
      await stores.shelves.add({ code: 'a' })
    })
    afterAll(async () => {
      await stores.close()
      await other.close()
      await engine.stop()
    })

    test('is as it is declared', async () => {
      expectTables(await engine.tables(url), schema)
    })

    test('is ready, and leaves what was there', async () => {
      await stores.ping()
      expect((stores as unknown as { pets: unknown }).pets).toBeDefined()
      const rows = await (stores as unknown as { pets: ResourceOf<typeof pets> }).pets.list({ limit: 10 })
      expect(rows).toEqual([{ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' }])
    })

    test('gives every value as it was added, and nothing for one that is absent', async () => {
      const rows: Book[] = [
        book(900, { details: { weights: [], by: { name: 'U+0000 \0 😀' }, 'odd name': '\0i7' }, rating: 0.1 }),
        book(901, { pages: Number.MAX_SAFE_INTEGER, rating: -1.5e300, title: 'Ünï "\\' }),
        book(902, { pages: -1, lent: true }),
      ]
      for (const row of rows) {
        expect(await stores.books.add(row)).toEqual(row)
        expect(await other.books.find(row.isbn)).toEqual(row)
      }
      expect(await stores.books.find('isbn-999')).toBeUndefined()
      for (const value of [{ text: 'x' }, ['a', 'b'], 2n ** 62n, null]) {
        const { id } = await stores.notes.add({ value })
        expect(await other.notes.find(id)).toEqual({ id, value })
      }
      for (const { isbn } of rows) await stores.books.remove(isbn)
    })

    test('stores times in UTC, so that they are ordered', async () => {
      const row = await stores.books.add(book(903, { addedAt: '2026-01-01T02:00:00+02:00' }))
      expect(row.addedAt).toBe('2026-01-01T00:00:00.000Z')
      expect((await stores.books.replace({ ...row, addedAt: '2016-12-31T23:59:60Z' }))?.row.addedAt).toBe(
        '2016-12-31T23:59:59.000Z',
      )
      await stores.books.remove(row.isbn)
    })

    test('lists by the key, by filters and by columns whose values repeat, page by page', async () => {
      const all = Array.from({ length: 30 }, (_, number) => book(number))
      await Promise.all(all.toReversed().map((row, index) => (index % 2 ? stores : other).books.add(row)))
      const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)
      for (const [where, holds] of [
        [{}, () => true],
        [{ kind: 'novel' }, ({ kind }: Book) => kind === 'novel'],
        [{ lent: true }, ({ lent }: Book) => lent],
        [{ kind: 'novel', lent: false }, ({ kind, lent }: Book) => kind === 'novel' && !lent],
        [{ kind: 'atlas', lent: false }, () => false],
      ] as const) {
        const wanted = all.filter(holds)
        const byKey: Book[] = []
        for (let after: string | undefined; ; after = byKey.at(-1)?.isbn) {
          const page = await stores.books.list({ limit: 4, ...where, after })
          byKey.push(...page)
          if (page.length < 4) break
        }
        expect(byKey).toEqual(wanted)
        for (const order of ['addedAt', 'pages'] as const) {
          const found: Book[] = []
          for (;;) {
            const last = found.at(-1)
            const page = await stores.books.list(
              order === 'pages'
                ? { limit: 4, ...where, order, ...(last && { after: [last.pages, last.isbn] as const }) }
                : { limit: 4, ...where, order, ...(last && { after: [last.addedAt, last.isbn] as const }) },
            )
            found.push(...page)
            if (page.length < 4) break
          }
          expect(found).toEqual(wanted.toSorted((a, b) => compare(a[order], b[order]) || compare(a.isbn, b.isbn)))
        }
      }
      // several in one turn, each as it would be alone
      const lists = await Promise.all([
        stores.books.list({ limit: 1, lent: false }),
        stores.books.list({ limit: 2, after: 'isbn-020' }),
        stores.books.list({ limit: 1, kind: 'atlas', after: 'isbn-000' }),
      ])
      expect(lists.map((list) => list.map(({ isbn }) => isbn))).toEqual([
        ['isbn-001'],
        ['isbn-021', 'isbn-022'],
        ['isbn-004'],
      ])
    })

    test('lists by a key that the client gives from the lowest one on', async () => {
      const numbers = [5n, -(2n ** 63n), 0n, 2n ** 63n - 1n, -1n]
      const rows: Member[] = numbers.map((number) => ({ number, name: `M${number}` }))
      for (const row of rows) await stores.members.add(row)
      const sorted = rows.toSorted((a, b) => (a.number < b.number ? -1 : 1))
      expect(await stores.members.list({ limit: 9 })).toEqual(sorted)
      expect(await stores.members.list({ limit: 2, after: -1n })).toEqual(sorted.slice(2, 4))
    })

    test('refuses what is taken, what points to nothing, and to remove what is pointed to', async () => {
      await stores.members.add({ number: 11n, name: 'A', nickname: 'Al' })
      const attempts: [() => Promise<unknown>, Refusal][] = [
        [() => stores.members.add({ number: 11n, name: 'B' }), 'taken'],
        [() => stores.members.add({ number: 12n, name: 'B', nickname: 'Al' }), 'taken'],
        [() => stores.members.patch(5n, { nickname: 'Al' }), 'taken'],
        [() => stores.books.add(book(40, { shelf: 'nowhere' })), 'dangling'],
        [() => stores.books.patch('isbn-001', { shelf: 'nowhere' }), 'dangling'],
        [() => stores.shelves.remove('a'), 'referenced'],
        [() => stores.loans.add({ isbn: 'none', dueAt: '2026-01-01T00:00:00Z', member: 1n }), 'dangling'],
      ]
      // alone, and beside others that are stored all the same
      for (const [attempt, refusal] of attempts) {
        await expect(attempt()).rejects.toEqual(refused(refusal))
      }
      const results = await Promise.allSettled([
        ...attempts.map(([attempt]) => attempt()),
        stores.members.add({ number: 13n, name: 'C' }),
        stores.members.add({ number: 14n, name: 'D', nickname: 'Di' }),
      ])
      expect(
        results.map((result) => (result.status === 'rejected' ? (result.reason as StoreRefusal).refusal : 'done')),
      ).toEqual([...attempts.map(([, refusal]) => refusal), ...['done', 'done']])
      const loan = { isbn: 'isbn-001', dueAt: '2026-02-01T00:00:00.000Z', member: 11n }
      const { id } = await stores.loans.add(loan)
      await expect(stores.loans.add(loan)).rejects.toEqual(refused('taken'))
      expect(await stores.loans.list({ limit: 9, isbn: 'isbn-001' })).toEqual([{ id, ...loan }])
      expect(await other.members.find(12n)).toBeUndefined()
    })

    test('replaces, patches and removes rows, in the order of the requests', async () => {
      const row = { number: 21n, name: 'A', nickname: 'Ann' }
      expect(await stores.members.replace(row)).toBeUndefined()
      expect(await stores.members.patch(21n, { name: 'B' })).toBeUndefined()
      expect(await stores.members.remove(21n)).toBeUndefined()
      const results = await Promise.all([
        stores.members.add(row),
        stores.members.patch(21n, { name: 'B' }),
        stores.members.patch(21n, { nickname: null }),
        stores.members.replace({ number: 21n, name: 'C', nickname: 'Cy' }),
        stores.members.remove(21n),
        stores.members.patch(21n, { name: 'D' }),
        stores.members.add({ number: 21n, name: 'E' }),
      ])
      expect(results).toEqual([
        row,
        { row: { number: 21n, name: 'B', nickname: 'Ann' }, replayed: false },
        { row: { number: 21n, name: 'B' }, replayed: false },
        { row: { number: 21n, name: 'C', nickname: 'Cy' }, replayed: false },
        { row: { number: 21n, name: 'C', nickname: 'Cy' }, replayed: false },
        undefined,
        { number: 21n, name: 'E' },
      ])
      expect(await other.members.find(21n)).toEqual({ number: 21n, name: 'E' })
    })

    test('puts a row whether it is there or not, and tells', async () => {
      const row = { number: 71n, name: 'A' }
      const results = await Promise.all([
        stores.members.put(row),
        stores.members.put({ number: 71n, name: 'B', nickname: 'Bo' }),
        stores.members.remove(71n),
        stores.members.put(row, { when: (there) => there === undefined }),
      ])
      expect(results).toEqual([
        { row, replayed: false, created: true },
        { row: { number: 71n, name: 'B', nickname: 'Bo' }, replayed: false, created: false },
        { row: { number: 71n, name: 'B', nickname: 'Bo' }, replayed: false },
        { row, replayed: false, created: true },
      ])
      await expect(other.members.put(row, { when: (there) => there === undefined })).rejects.toEqual(refused('changed'))
      await expect(stores.members.put({ ...row, nickname: 'Al' })).rejects.toEqual(refused('taken'))
      expect(await stores.members.put(row, { once: once('put 71') })).toMatchObject({ created: false, replayed: false })
      expect(await stores.members.remove(71n)).toMatchObject({ row })
      expect(await other.members.put(row, { once: once('put again') })).toMatchObject({ created: true })
      for (const [name, created] of [
        ['put 71', false],
        ['put again', true],
      ] as const) {
        expect(await stores.members.put(row, { once: once(name) })).toEqual({ row, created, replayed: true })
      }
    })

    test('refuses a patch that takes away what must be there, or that does not fit', async () => {
      await stores.members.put({ number: 81n, name: 'A' })
      const attempts = [
        stores.members.patch(81n, { name: null }),
        stores.members.patch(81n, { name: 'Z' }, { fits: ({ name }) => name !== 'Z' }),
      ]
      for (const attempt of attempts) await expect(attempt).rejects.toEqual(refused('unfit'))
      expect(await stores.members.find(81n)).toEqual({ number: 81n, name: 'A' })
    })

    test('refuses text with U+0000 before it comes to a statement, and keeps it in nested values', async () => {
      const attempts: [() => Promise<unknown>][] = [
        [() => stores.shelves.add({ code: '\0' })],
        [() => stores.shelves.addOnce({ code: 'x', note: 'a\0' }, once('nul'))],
        [() => stores.shelves.put({ code: 'a\0' })],
        [() => stores.shelves.replace({ code: 'a', note: '\0' })],
        [() => stores.shelves.patch('a', { note: '\0' })],
        [() => stores.shelves.patch('\0', { note: 'a' })],
        [() => stores.shelves.remove('\0')],
        [() => stores.shelves.find('\0')],
        [() => stores.shelves.list({ limit: 1, after: '\0' })],
        [() => stores.loans.list({ limit: 1, isbn: '\0' })],
      ]
      for (const [attempt] of attempts) await expect(attempt()).rejects.toEqual(refused('unstorable'))
      expect(await stores.shelves.list({ limit: 9 })).toEqual([{ code: 'a' }])
    })

    test('changes and removes rows whose key the engine gave', async () => {
      await stores.books.add(book(42))
      const { id } = await stores.loans.add({ isbn: 'isbn-042', dueAt: '2026-03-01T00:00:00.000Z', member: 42n })
      const due = '2026-04-01T00:00:00.000Z'
      expect(await other.loans.patch(id, { dueAt: due })).toMatchObject({ row: { id, dueAt: due, member: 42n } })
      const row = { id, isbn: 'isbn-042', dueAt: due, member: 43n }
      expect(await stores.loans.replace(row)).toEqual({ row, replayed: false })
      expect(await other.loans.find(id)).toEqual(row)
      expect(await stores.loans.remove(id)).toEqual({ row, replayed: false })
      expect(await other.loans.find(id)).toBeUndefined()
    })

    test('a text that is too long for an index fails for its own request alone', async () => {
      // random, since PostgreSQL compresses what repeats
      const code = Array.from({ length: 300 }, () => randomUUID()).join('')
      const [long, short] = await Promise.allSettled([stores.shelves.add({ code }), stores.shelves.add({ code: 'b' })])
      expect(short).toMatchObject({ status: 'fulfilled' })
      if (engine.name === 'SQLite') expect(long).toMatchObject({ status: 'fulfilled' })
      else expect(long).toMatchObject({ reason: { refusal: 'unstorable' } })
      for (const one of [code, 'b']) await stores.shelves.remove(one)
    })

    test('merges a patch into nested values', async () => {
      const { isbn } = await stores.books.add(book(41, { details: { weights: [1n], by: { name: 'A' } } }))
      await stores.books.patch(isbn, { details: { by: null, weights: [2n, 3n], 'odd name': 'x' } })
      expect((await stores.books.find(isbn))?.details).toEqual({ weights: [2n, 3n], 'odd name': 'x' })
    })

    test('changes a row only when it is as expected', async () => {
      await stores.members.add({ number: 31n, name: 'A' })
      const when = ({ name }: Member): boolean => name === 'A'
      const [first, second] = await Promise.allSettled([
        stores.members.patch(31n, { name: 'B' }, { when }),
        other.members.patch(31n, { name: 'C' }, { when }),
      ])
      const names = [first, second].map((result) =>
        result.status === 'fulfilled' ? result.value?.row.name : 'changed',
      )
      expect(names).toContain('changed')
      expect(names).toContain((await stores.members.find(31n))?.name)
      await expect(stores.members.remove(31n, { when })).rejects.toEqual(refused('changed'))
    })

    test('gives a request with a name what it got before, whatever became of the row', async () => {
      const row = { number: 51n, name: 'A', nickname: 'Abe' }
      const added = { row, replayed: false }
      expect(await stores.members.addOnce(row, once('add'))).toEqual(added)
      const patched = { number: 51n, name: 'B', nickname: 'Abe' }
      expect(await stores.members.patch(51n, { name: 'B' }, { once: once('patch') })).toEqual({
        row: patched,
        replayed: false,
      })
      const replaced = { number: 51n, name: 'C' }
      expect(await other.members.replace(replaced, { once: once('put') })).toEqual({ row: replaced, replayed: false })
      expect(await other.members.remove(51n, { once: once('delete') })).toEqual({ row: replaced, replayed: false })
      for (const { members } of [stores, other]) {
        expect(await members.addOnce(row, once('add'))).toEqual({ row, replayed: true })
        expect(await members.patch(51n, { name: 'B' }, { once: once('patch') })).toEqual({
          row: patched,
          replayed: true,
        })
        expect(await members.replace(replaced, { once: once('put') })).toEqual({ row: replaced, replayed: true })
        expect(await members.remove(51n, { once: once('delete') })).toEqual({ row: replaced, replayed: true })
        await expect(members.remove(51n, { once: once('put', 2) })).rejects.toEqual(refused('other request'))
        expect(await members.find(51n)).toBeUndefined()
      }
      // what found nothing is not remembered, and a name is free after its time
      expect(await stores.members.remove(51n, { once: once('nothing') })).toBeUndefined()
      expect(await stores.members.addOnce(row, once('nothing', 3))).toEqual(added)
      const later = { ...once('put', 4), now: once('').now + rememberedMs }
      expect(await stores.members.patch(51n, { name: 'Z' }, { once: later })).toMatchObject({ replayed: false })
    })

    test('makes one change of 60 requests with one name that race in two processes', async () => {
      await stores.members.add({ number: 61n, name: 'A' })
      const all = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          (index % 2 ? stores : other).members.patch(
            61n,
            { name: 'B' },
            { once: once('race'), when: ({ name }) => name === 'A' },
          ),
        ),
      )
      expect(all.filter((one) => one?.replayed === false)).toHaveLength(1)
      expect(new Set(all.map((one) => one?.row.name))).toEqual(new Set(['B']))
    })
  })
}

describe('a table with twenty filters', () => {
  const names = Array.from({ length: 20 }, (_, index) => `f${index}`)
  const columns = Object.fromEntries(names.map((name) => [name, optional(text)]))
  const indexes = names.map((name) => `CREATE INDEX things_by_${name} ON things (${name}, id);`).join(' ')
  const made = (id: string, words: string, rest: string[]): string =>
    `CREATE TABLE things (id ${id}, ${names.map((name) => `${name} ${words}`).join(', ')}) ${rest[0] === 'BLOB' ? 'STRICT' : ''};
     ${indexes} ${requests('things', rest[2] ?? '', rest)}`
  const things = table<{ id: bigint } & Record<`f${number}`, string | undefined>>()({
    name: 'things',
    called: 'things',
    columns: { id: int64, ...columns },
    key: 'id',
    generated: true,
    filters: names as `f${number}`[],
    lock: 921,
    steps: {
      sqlite: { 8: made('INTEGER PRIMARY KEY AUTOINCREMENT', 'TEXT', ['BLOB', 'TEXT', 'INTEGER']) },
      postgres: {
        6: made('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'text COLLATE "C"', ['bytea', 'text', 'bigint']),
      },
    },
  })
  for (const engine of engines(testFolder())) {
    engine.describe(`in ${engine.name}`, () => {
      beforeAll(engine.start)
      afterAll(engine.stop)
      test('lists by any of them together', async () => {
        const stores = await openWith<{ things: ResourceOf<typeof things>; close: () => Promise<void> }>(
          await engine.newStore(),
          schemaOf({ pets, things }),
        )
        const rows = Array.from({ length: 16 }, (_, number) =>
          Object.fromEntries(
            names.flatMap((name, bit) => (bit % 5 === 4 ? [] : [[name, String((number >> (bit % 4)) & 1)]])),
          ),
        )
        await Promise.all(rows.map((row) => stores.things.add(row)))
        const idsOf = async (query: object): Promise<number[]> =>
          (await stores.things.list({ limit: 20, ...query })).map(({ id }) => Number(id))
        expect(await idsOf({})).toHaveLength(16)
        expect(await idsOf({ f0: '1' })).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
        expect(await idsOf({ f19: '1' })).toEqual([])
        expect(await idsOf({ f18: '1' })).toEqual(await idsOf({ f2: '1' }))
        expect(await idsOf({ f0: '1', f1: '1', f2: '0', f3: '1' })).toEqual([12])
        expect(await idsOf({ f0: '1', f1: '1', f5: '0' })).toEqual([])
        expect(await idsOf({ f2: '1', f16: '1', after: 6n })).toEqual([8, 14, 16])
        await stores.close()
      })
    })
  }
})

test('tables that share a name or a lock, or point to nothing, are refused with a sentence', () => {
  const { members, notes, loans } = oddTables
  expect(() => schemaOf({ members, notes: { ...notes, lock: 903 } })).toThrow(
    'The table notes has 903, as members has. Give it another one.',
  )
  expect(() => schemaOf({ members, other: { ...notes, name: 'members' } })).toThrow('The table members has members, as')
  expect(() => schemaOf({ loans })).toThrow('The table loans points to books, which is none.')
})
