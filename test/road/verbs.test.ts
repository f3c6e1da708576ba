import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { notFound } from '../../src/api-error.ts'
import { etag } from '../../src/contract/etag.ts'
import type { RawReply } from '../../src/contract/compiled.ts'
import type { Handlers } from '../../src/contract/operation.ts'
import type { Station } from '../../src/road/stations.ts'
import { schemaOf } from '../../src/store/schema.ts'
import type { MergePatch, ResourceOf } from '../../src/store/resource.ts'
import { json, optional, table, text } from '../../src/store/table.ts'
import { pets } from '../../src/store/tables/pets.ts'
import { booksContract } from '../support/contracts/books.ts'
import { requests } from '../support/odd-tables.ts'
import { testFolder } from '../support/process.ts'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { openWith } from '../support/servers/stores.ts'
import { expectError, type TestService } from '../support/service.ts'

interface Book {
  isbn: string
  title: string
  note?: string
  details: { weights: bigint[]; by?: string }
}

const books = table<Book>()({
  name: 'books',
  called: 'books',
  columns: { isbn: text, title: text, note: optional(text), details: json<Book['details']>() },
  key: 'isbn',
  lock: 911,
  steps: {
    sqlite: {
      8: `CREATE TABLE books (isbn TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, note TEXT, details TEXT NOT NULL)
            STRICT, WITHOUT ROWID;
          ${requests('books', 'TEXT', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: `CREATE TABLE books (isbn text COLLATE "C" PRIMARY KEY, title text NOT NULL, note text, details text NOT NULL);
          ${requests('books', 'text COLLATE "C"', ['bytea', 'text', 'bigint'])}`,
    },
  },
})

type Asked = Parameters<Station['handle']>[0]

/** Handlers as a person writes them for a table whose keys clients give. */
function handlersOf(stored: ResourceOf<typeof books>): Handlers {
  const replay = (replayed: boolean): object => (replayed ? { 'Idempotency-Replayed': true } : {})
  const isbnOf = ({ path }: Asked): string => String(path.isbn)
  const found = <T>(row: T | undefined): T => {
    if (row === undefined) throw notFound('No book has this isbn.')
    return row
  }
  const handlers: Record<string, (request: Asked) => Promise<RawReply>> = {
    getBook: async (request) => {
      const row = found(await stored.find(isbnOf(request)))
      const headers = { ETag: etag(row) }
      return request.when?.(row) === false ? { status: 304, headers } : { status: 200, body: row, headers }
    },
    putBook: async (request) => {
      const { once, when } = request
      const { row, created, replayed } = await stored.put(request.body as Book, { once, when })
      return { status: created ? 201 : 200, body: row, headers: { ETag: etag(row), ...replay(replayed) } }
    },
    patchBook: async (request) => {
      const { once, when, allows } = request
      const fits = (row: Book): boolean => allows(200, row)
      const { row, replayed } = found(
        await stored.patch(isbnOf(request), request.body as MergePatch<Book>, { once, when, fits }),
      )
      return { status: 200, body: row, headers: { ETag: etag(row), ...replay(replayed) } }
    },
    deleteBook: async (request) => {
      const { once, when } = request
      const { replayed } = found(await stored.remove(isbnOf(request), { once, when }))
      return { status: 204, headers: replay(replayed) as Record<string, unknown> }
    },
  }
  return handlers as unknown as Handlers
}

const contractFile = join(testFolder(), 'books.yaml')
writeFileSync(contractFile, booksContract)

onEachEngine(({ newStore, startService }) => {
  let stores: { books: ResourceOf<typeof books>; close: () => Promise<void> }
  let service: TestService
  beforeAll(async () => {
    const url = await newStore()
    stores = await openWith(url, schemaOf({ pets, books }))
    service = await startService({}, { contractFile, handlers: handlersOf(stores.books) })
  })
  afterAll(async () => {
    await service.stop()
    await stores.close()
  })

  const ask = async (
    method: 'get' | 'head' | 'put' | 'patch' | 'delete',
    isbn: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const request = service.call(method, `/books/${isbn}`).set(headers)
    if (body === undefined) return request
    const type = method === 'patch' ? 'application/merge-patch+json' : 'application/json'
    return request.set('Content-Type', type).send(JSON.stringify(body))
  }
  const tagOf = ({ headers }: Response): string => (headers as Record<string, string>).etag ?? ''
  const atlas = (isbn: string): object => ({ isbn, title: 'Atlas', details: { weights: [1] } })

  describe('PUT, PATCH and DELETE', () => {
    test('add, replace, merge and remove, and what is not there is 404', async () => {
      for (const method of ['get', 'delete'] as const) expect((await ask(method, 'a')).status).toBe(404)
      expect((await ask('patch', 'a', { title: 'B' })).status).toBe(404)
      const added = await ask('put', 'a', atlas('a'))
      expect([added.status, added.text]).toEqual([201, '{"isbn":"a","title":"Atlas","details":{"weights":[1]}}'])
      const replaced = await ask('put', 'a', { ...atlas('a'), note: 'n' })
      expect([replaced.status, JSON.parse(replaced.text)]).toEqual([200, { ...atlas('a'), note: 'n' }])
      const patched = await ask('patch', 'a', { note: null, details: { by: 'me', weights: [2, 3] } })
      expect([patched.status, JSON.parse(patched.text)]).toEqual([
        ...[200, { isbn: 'a', title: 'Atlas', details: { weights: [2, 3], by: 'me' } }],
      ])
      expect(JSON.parse((await ask('get', 'a')).text)).toEqual(JSON.parse(patched.text))
      const removed = await ask('delete', 'a')
      expect([removed.status, removed.text]).toEqual([204, ''])
      expect((await ask('get', 'a')).status).toBe(404)
    })

    test('a patch that would leave a wrong row is refused, and changes nothing', async () => {
      await ask('put', 'b', atlas('b'))
      for (const patch of [
        { title: null },
        { details: null },
        { details: { weights: null } },
        { details: { other: 1 } },
      ]) {
        const { status, text } = await ask('patch', 'b', patch)
        expectError(text, 400, 'invalid_request')
        expect([patch, status]).toEqual([patch, 400])
      }
      expect(JSON.parse((await ask('get', 'b')).text)).toEqual(atlas('b'))
    })

    test('a body of another media type is 415, also JSON where a merge patch is declared', async () => {
      const { status } = await service.call('patch', '/books/b').type('json').send('{"title":"x"}')
      expect(status).toBe(415)
    })

    test('text with U+0000 is refused alike wherever it stands, and the others of its batch are stored', async () => {
      const results = await Promise.all([
        ask('put', 'nul', { ...atlas('nul'), title: 'a\0b' }),
        ask('put', 'c', atlas('c')),
        ask('patch', 'b', { note: '\0' }),
        ask('get', '%00'),
        ask('delete', 'b%00'),
        ask('put', 'd', { ...atlas('d'), details: { weights: [], by: 'a\0b' } }),
      ])
      expect(results.map(({ status }) => status)).toEqual([400, 201, 400, 400, 400, 201])
      expectError(results[0].text, 400, 'invalid_request')
      expect(results[0].text).toContain('U+0000')
      expect(JSON.parse((await ask('get', 'd')).text)).toMatchObject({ details: { by: 'a\0b' } })
    })
  })

  describe('a conditional request', () => {
    test('with If-Match changes only what is as it was read, and nothing else', async () => {
      const first = tagOf(await ask('put', 'm', atlas('m')))
      expect(first).toMatch(/^"[\w-]{22}"$/)
      expect(tagOf(await ask('get', 'm'))).toBe(first)
      const second = tagOf(await ask('patch', 'm', { title: 'B' }, { 'If-Match': `"other", ${first}` }))
      expect(second).not.toBe(first)
      for (const [method, body] of [
        ['put', atlas('m')],
        ['patch', { title: 'C' }],
        ['delete', undefined],
      ] as const) {
        for (const tag of [first, `W/${second}`, second.slice(1, -1), '"', '']) {
          const { status, text, headers } = await ask(method, 'm', body, { 'If-Match': tag })
          expect([method, tag, status]).toEqual([method, tag, 412])
          expectError(text, 412, 'precondition_failed')
          expect((headers as Record<string, string>).etag).toBeUndefined()
        }
      }
      expect(JSON.parse((await ask('get', 'm')).text)).toMatchObject({ title: 'B' })
      expect((await ask('delete', 'm', undefined, { 'If-Match': '*' })).status).toBe(204)
      // what is not there is 404, since it would be so without the condition (RFC 9110 section 13.2.1)
      expect((await ask('delete', 'm', undefined, { 'If-Match': '*' })).status).toBe(404)
      expect((await ask('put', 'm', atlas('m'), { 'If-Match': '*' })).status).toBe(412)
    })

    test('with If-None-Match: * adds and never replaces, also when many race', async () => {
      const condition = { 'If-None-Match': '*' }
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ask('put', 'n', { ...atlas('n'), title: `T${index}` }, condition)),
      )
      const statuses = results.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 412)])
      const [winner] = results.filter(({ status }) => status === 201)
      expect((await ask('get', 'n')).text).toBe(winner?.text)
    })

    test('one of many writers that saw the same wins', async () => {
      const tag = tagOf(await ask('put', 'o', atlas('o')))
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ask('patch', 'o', { title: `T${index}` }, { 'If-Match': tag })),
      )
      expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(results.filter(({ status }) => status === 412)).toHaveLength(19)
    })

    test('that reads gets 304 without a body for what it has, and a write never does', async () => {
      const tag = tagOf(await ask('put', 'r', atlas('r')))
      for (const condition of [tag, `W/${tag}`, `"x",${tag}`, '*']) {
        for (const method of ['get', 'head'] as const) {
          const answer = await ask(method, 'r', undefined, { 'If-None-Match': condition })
          expect([condition, answer.status, tagOf(answer)]).toEqual([condition, 304, tag])
          expect(answer.text || '').toBe('')
          expect(answer.headers).not.toHaveProperty('content-type')
        }
        const put = await ask('put', 'r', atlas('r'), { 'If-None-Match': condition })
        expect([condition, put.status]).toEqual([condition, 412])
      }
      expect((await ask('get', 'r', undefined, { 'If-None-Match': '"x"' })).status).toBe(200)
      expect((await ask('get', 'r', undefined, { 'If-Match': '"x"' })).status).toBe(412)
    })
  })

  describe('a repeated request with an Idempotency-Key', () => {
    const isReplay = ({ headers }: Response): boolean =>
      (headers as Record<string, string>)['idempotency-replayed'] === 'true'

    test('gets its first answer with its status, whatever became of the book', async () => {
      const once = (key: string): Record<string, string> => ({ 'Idempotency-Key': key })
      const tag = tagOf(await ask('put', 's', atlas('s'), once('put')))
      const patch = { ...once('patch'), 'If-Match': tag }
      const patched = await ask('patch', 's', { title: 'B' }, patch)
      await ask('delete', 's', undefined, once('delete'))
      const again = [
        await ask('put', 's', atlas('s'), once('put')),
        await ask('patch', 's', { title: 'B' }, patch),
        await ask('delete', 's', undefined, once('delete')),
      ]
      expect(again.map(({ status }) => status)).toEqual([201, 200, 204])
      expect(again.every(isReplay)).toBe(true)
      expect(tagOf(again[0] as Response)).toBe(tag)
      expect(again[1]?.text).toBe(patched.text)
      expect((await ask('get', 's')).status).toBe(404)
      for (const other of [
        await ask('put', 's', { ...atlas('s'), title: 'C' }, once('put')),
        await ask('patch', 's', { title: 'C' }, once('patch')),
        await ask('delete', 'other', undefined, once('delete')),
        await ask('delete', 's', undefined, once('put')),
      ]) {
        expectError(other.text, 409, 'idempotency_conflict')
      }
      expect((await ask('put', 's', atlas('s'), once('put 2'))).status).toBe(201)
      expect((await ask('put', 's', atlas('s'), once('put 3'))).status).toBe(200)
      expect((await ask('put', 's', atlas('s'), once('put 3'))).status).toBe(200)
    })
  })
})
