import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { animalStore, petPages } from '../examples/typescript/client.ts'
import { run } from './support/process.ts'
import { startService, type TestService } from './support/service.ts'

/** Unix time in ms, as the service sees it. */
let now = Date.UTC(2027, 0, 1, 12)
let service: TestService
let url: string
beforeAll(async () => {
  service = await startService({}, { now: () => now })
  url = `http://127.0.0.1:${service.port}/v1`
})
afterAll(() => service.stop())

describe('the TypeScript client', () => {
  test('keeps all digits of both ends of int64', async () => {
    const client = animalStore({ url, key: service.key })
    for (const categoryId of [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n, 7n]) {
      const { data } = await client.POST('/pets', { body: { name: 'Rex', categoryId, status: 'pending' } })
      expect(data).toEqual({ id: expect.any(BigInt), name: 'Rex', categoryId, status: 'pending' })
      expect(await service.stores.pets.find(data?.id ?? 0n)).toEqual(data)
    }
  })

  test('follows the pages to the last, each animal once', async () => {
    const client = animalStore({ url, key: service.key })
    const added = await Promise.all(
      Array.from({ length: 7 }, () => service.stores.pets.add({ name: 'Mia', categoryId: 1n, status: 'sold' })),
    )
    const pages: bigint[][] = []
    for await (const page of petPages(client, { status: 'sold', limit: 3 })) pages.push(page.map(({ id }) => id))
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
    expect(pages.flat()).toEqual(added.map(({ id }) => id))
  })

  test('waits for as long as Retry-After says, and a little longer, and then goes on', async () => {
    const { key } = await service.addKey({ plan: 'free' })
    const waited: number[] = []
    const client = animalStore({
      url,
      key,
      wait: async (ms) => {
        waited.push(ms)
        now += ms
      },
    })
    for (let request = 0; request < 61; request++) {
      const { response } = await client.GET('/pets')
      expect(response.status).toBe(200)
    }
    expect(waited).toHaveLength(1)
    expect(waited[0]).toBeGreaterThan(60_000)
    expect(waited[0]).toBeLessThanOrEqual(60_250)
  })

  test('does not wait for hours, and returns the refusal', async () => {
    const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 5, perDay: 1 } })
    const waited: number[] = []
    const client = animalStore({ url, key, wait: async (ms) => waited.push(ms) })
    expect((await client.GET('/pets')).response.status).toBe(200)
    const { error, response } = await client.GET('/pets')
    expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(3600)
    expect(waited).toEqual([])
  })

  test.each([
    ['a creation with a key of its own', { 'Idempotency-Key': 'one' }, 5],
    ['a plain creation', {}, 1],
  ])('retries %s as often as is safe when nobody answers', async (_, header, attempts) => {
    const waited: number[] = []
    // a port that nobody listens on
    const client = animalStore({ url: 'http://127.0.0.1:1/v1', key: 'none', wait: async (ms) => waited.push(ms) })
    const creation = client.POST('/pets', { params: { header }, body: { name: 'Rex', categoryId: 7n, status: 'sold' } })
    await expect(creation).rejects.toThrow('No answer from http://127.0.0.1:1. Does the service run there?')
    expect(waited).toHaveLength(attempts - 1)
  })

  test('returns the error of a refused request', async () => {
    const { error } = await animalStore({ url, key: 'none' }).GET('/pets')
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 })
  })

  test('takes the first steps', async () => {
    const { stdout, stderr, code } = await run(['examples/typescript/first-steps.ts'], {
      ANIMAL_STORE_URL: url,
      ANIMAL_STORE_KEY: service.key,
    })
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toMatch(
      /^Added animal (\d+) of category 9007199254740993\.\nSent again: animal \1, replayed\.\nFound 1 available animals on 1 pages\.\nRefused: 400 invalid_request: body\.name .+\n$/,
    )
  })
})
