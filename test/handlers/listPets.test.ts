import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PetStatus } from '../../src/store/tables/pets.ts'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { expectError, type TestService } from '../support/service.ts'

const statuses: PetStatus[] = ['available', 'pending', 'sold']

/** Adds animals with the three statuses in turn. Animals that are added together get ids in their order. */
async function fill({ stores }: TestService, count: number): Promise<void> {
  const added = Array.from({ length: count }, (_, index) =>
    stores.pets.add({ name: `N${index}`, categoryId: 1n, status: statuses[index % 3] ?? 'sold' }),
  )
  await Promise.all(added)
}

interface Page {
  ids: number[]
  statuses: string[]
  /** Of `rel="next"`, relative to the API root. */
  next: string | undefined
  link: string | undefined
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

onEachEngine(({ startService }) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    await fill(service, 130)
  })
  afterAll(() => service.stop())

  async function list(path: string, from = service): Promise<Page> {
    const { text, headers } = await from.call('get', path).expect(200)
    const pets = JSON.parse(text) as { id: number; status: string }[]
    const { link, 'x-next-cursor': cursor } = headers as { link?: string; 'x-next-cursor'?: string }
    const next = link === undefined ? undefined : /^<(?:https?:\/\/[^/]+)?\/v1([^>]+)>; rel="next"$/.exec(link)?.[1]
    expect(new URLSearchParams(next?.split('?')[1]).get('cursor') ?? undefined).toBe(cursor)
    return { ids: pets.map(({ id }) => id), statuses: pets.map(({ status }) => status), next, link }
  }

  /** Follows the links to the end; `between` runs before each of them. */
  async function listAll(path: string, from: TestService, between: () => Promise<unknown>): Promise<Page[]> {
    const pages: Page[] = []
    for (let next: string | undefined = path; next !== undefined; next = pages.at(-1)?.next) {
      pages.push(await list(next, from))
      await between()
    }
    return pages
  }

  describe('listPets', () => {
    test('answers the 20 oldest animals by id when nothing is asked for', async () => {
      expect((await list('/pets')).ids).toEqual(range(1, 20))
    })

    test('answers all fields of an animal, in the order of the contract', async () => {
      const { text } = await service.call('get', '/pets?limit=2')
      expect(text).toBe(
        '[{"id":1,"name":"N0","categoryId":1,"status":"available"},{"id":2,"name":"N1","categoryId":1,"status":"pending"}]',
      )
    })

    test('answers an empty array, without a link, when there is no animal', async () => {
      const empty = await startService()
      const { text, headers } = await empty.call('get', '/pets').expect(200)
      expect(text).toBe('[]')
      expect(headers).not.toHaveProperty('link')
      await empty.stop()
    })

    test.each([
      ['1', 1],
      ['2', 2],
      ['99', 99],
      ['100', 100],
      ['%35', 5],
    ])('answers at most limit=%s animals', async (limit, count) => {
      expect((await list(`/pets?limit=${limit}`)).ids).toEqual(range(1, count))
    })

    test.each(statuses)('answers only the animals whose status is %s', async (status) => {
      const page = await list(`/pets?status=${status}&limit=100`)
      expect(new Set(page.statuses)).toEqual(new Set([status]))
      expect(page.ids).toEqual(range(1, 130).filter((id) => statuses[(id - 1) % 3] === status))
      expect(page.next).toBeUndefined()
    })

    test('answers If-None-Match with the list: there is no 304', async () => {
      await service.call('get', '/pets').set('If-None-Match', '*').expect(200)
    })
  })

  describe('the pages', () => {
    test('are linked while more follows, and keep the other parameters', async () => {
      expect((await list('/pets')).link).toBe('</v1/pets?limit=20&cursor=AAAAAAAAABQ>; rel="next"')
      const { link } = await list('/pets?status=sold&limit=3')
      expect(link).toMatch(/^<\/v1\/pets\?[^>]+>; rel="next"$/)
      const query = new URLSearchParams(/\?([^>]+)>/.exec(link ?? '')?.[1])
      expect(Object.fromEntries(query)).toEqual({ limit: '3', status: 'sold', cursor: 'AAAAAAAAAAk' })
    })

    test('are linked in answers to HEAD too', async () => {
      const { headers } = await service.call('head', '/pets?limit=1').expect(200)
      expect(headers).toMatchObject({ link: '</v1/pets?limit=1&cursor=AAAAAAAAAAE>; rel="next"' })
    })

    test('end without a link when exactly as many animals are left as are asked for', async () => {
      const exact = await startService()
      await fill(exact, 6)
      expect(await list('/pets?limit=6', exact)).toMatchObject({ ids: range(1, 6), next: undefined, link: undefined })
      const pages = await listAll('/pets?limit=3', exact, async () => undefined)
      expect(pages.map(({ ids }) => ids)).toEqual([
        [1, 2, 3],
        [4, 5, 6],
      ])
      await exact.stop()
    })

    test.each(['', '&status=available', '&status=pending', '&status=sold'])(
      'have no gaps and no repeats while animals are added, with limit=7%s',
      async (filter) => {
        const busy = await startService()
        await fill(busy, 50)
        let added = 0
        const pages = await listAll(`/pets?limit=7${filter}`, busy, async () => {
          // at first more animals than a page holds, later none
          if (added < 60) await fill(busy, 12)
          added += 12
        })
        const status = filter.split('=')[1]
        const all = await busy.stores.pets.list({ limit: 1000 })
        const fitting = all.filter((pet) => status === undefined || pet.status === status).map(({ id }) => Number(id))
        const seen = pages.flatMap(({ ids }) => ids)
        // animals that were added after the last page are on no page
        expect(seen).toEqual(fitting.filter((id) => id <= (seen.at(-1) ?? 0)))
        expect(seen.length).toBeGreaterThan(fitting.filter((id) => id <= 50).length)
        expect(pages.slice(0, -1).every(({ ids }) => ids.length === 7)).toBe(true)
        await busy.stop()
      },
    )

    test('are linked by PUBLIC_URL when it is set, and never by what the request says of itself', async () => {
      const known = await startService({ PUBLIC_URL: 'https://api.example.com/store/' })
      await fill(known, 2)
      const { headers } = await known
        .call('get', '/pets?limit=1')
        .set('Host', 'evil.example')
        .set('X-Forwarded-Host', 'evil.example')
        .set('X-Forwarded-Proto', 'https')
        .set('X-Forwarded-Prefix', '/evil')
        .set('Forwarded', 'host=evil.example;proto=https')
        .expect(200)
      const address = 'https://api.example.com/store/v1/pets?limit=1&cursor=AAAAAAAAAAE'
      expect(headers).toMatchObject({ link: `<${address}>; rel="next"` })
      await known.stop()
    })

    test('a cursor can be used with another limit and another status', async () => {
      const { next } = await list('/pets?limit=10')
      const cursor = /cursor=([\w-]+)/.exec(next ?? '')?.[1] ?? ''
      expect((await list(`/pets?limit=2&cursor=${cursor}`)).ids).toEqual([11, 12])
      expect((await list(`/pets?limit=2&status=sold&cursor=${cursor}`)).ids).toEqual([12, 15])
    })

    test.each([
      ['nothing', ''],
      ['too few characters', 'AAAAAAAAAB'],
      ['too many characters', 'AAAAAAAAABQA'],
      ['padding', 'AAAAAAAAABQ='],
      ['base64 that is not for addresses', '%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F8'],
      ['a white space', 'AAAAAAAAA%20Q'],
      ['a number', '20'],
      ['another alphabet', '%D0%90AAAAAAAAAB'],
    ])('a cursor with %s is refused', async (_, cursor) => {
      const { text } = await service.call('get', `/pets?cursor=${cursor}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('"query.cursor must be taken from an X-Next-Cursor header."')
    })

    test.each([
      ['the id 0', 'AAAAAAAAAAA'],
      ['the id -1', '__________8'],
      ['the lowest int64', 'gAAAAAAAAAA'],
    ])('a forged cursor of %s leads to the first page', async (_, cursor) => {
      const { text } = await service.call('get', '/pets').expect(200)
      expect((await service.call('get', `/pets?cursor=${cursor}`).expect(200)).text).toBe(text)
    })

    test('a cursor beyond all animals leads to an empty page without a link', async () => {
      const { text, headers } = await service.call('get', '/pets?cursor=f_________8').expect(200)
      expect(text).toBe('[]')
      expect(headers).not.toHaveProperty('link')
    })
  })

  describe('the parameters', () => {
    test.each([
      '0',
      '-1',
      '-0',
      '101',
      '1000',
      '9007199254740993',
      '99999999999999999999',
      '1e1',
      '5.0',
      '5.',
      '05',
      '005',
      '0x10',
      '0b1',
      '1_0',
      '+5',
      '%2B5',
      '%205',
      '5%20',
      '5%00',
      '5%0a',
      '%D9%A5',
      '%EF%BC%95',
      '',
      'ten',
      'NaN',
      'Infinity',
      'null',
      'true',
      '5,6',
      '[5]',
      '%225%22',
    ])('limit=%s is no integer from 1 to 100 in its one spelling', async (limit) => {
      const { text } = await service.call('get', `/pets?limit=${limit}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('query.limit must ')
    })

    test.each([
      '',
      'SOLD',
      'Sold',
      'sold%20',
      '+sold',
      'gone',
      'sold,pending',
      '%00',
      'sold%00',
      'null',
      '1',
      'constructor',
    ])('status=%s is none of the three', async (status) => {
      const { text } = await service.call('get', `/pets?status=${status}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('query.status must be one of available, pending, sold')
    })

    test.each([
      'limit=5&limit=50',
      'limit=5&limit=5',
      'limit=5&l%69mit=6',
      'limit&limit=5',
      'status=sold&status=available',
      'status=sold&status=sold',
      'cursor=AAAAAAAAABQ&cursor=AAAAAAAAABQ',
      'limit=5&status=sold&limit=5',
      'foo=1&foo=2',
      '__proto__=1&__proto__=2',
    ])('%s gives a parameter more than once', async (query) => {
      const { text } = await service.call('get', `/pets?${query}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('must not be given more than once')
    })

    test.each([
      'limit[]=5',
      'limit[a]=5',
      'limit%5B%5D=5',
      'limit.a=5',
      '__proto__[x]=1',
      '__proto__=1',
      '__proto__',
      'constructor=x',
      'constructor[prototype]=x',
      'prototype=x',
      'toString=x',
      'hasOwnProperty=1',
      'LIMIT=5',
      'Status=sold',
      'foo=1',
      'foo',
      '_=1',
      '=1',
      '%20limit=5',
      'limit%00=5',
      'page=2',
      'offset=20',
      'api_key=x',
      '?limit=5',
      'limit=5&foo=1',
    ])('%s is an unknown parameter', async (query) => {
      const { text } = await service.call('get', `/pets?${query}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('is not a parameter of this operation')
    })

    test.each(['limit=5;status=sold', 'limit=%', 'limit=%zz', '%=1', 'status=%c3%28', 'status=sold%'])(
      '%s cannot be decoded',
      async (query) => {
        expectError((await service.call('get', `/pets?${query}`).expect(400)).text, 400, 'invalid_request')
      },
    )

    test('a message names every fault and its place', async () => {
      const { text } = await service.call('get', '/pets?limit=101&status=gone&foo=1').expect(400)
      for (const place of [
        'query.limit must be <= 100',
        'query.status must be one of',
        'query.foo is not a parameter',
      ]) {
        expect(text).toContain(place)
      }
    })

    test.each(['?', '?&', '?&limit=5&&', '?l%69mit=5', '?limit=5&'])('%s is readable', async (query) => {
      await service.call('get', `/pets${query}`).expect(200)
    })
  })
})
