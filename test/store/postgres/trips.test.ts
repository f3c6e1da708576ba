import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Once, ResourceOf } from '../../../src/store/resource.ts'
import { schemaOf } from '../../../src/store/schema.ts'
import { pets } from '../../../src/store/tables/pets.ts'
import { oddTables } from '../../support/odd-tables.ts'
import { testFolder } from '../../support/process.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { openWith } from '../../support/servers/stores.ts'
import { weather, type Weather } from '../../support/servers/weather.ts'

testFolder()

type Stores = {
  pets: ResourceOf<typeof pets>
  shelves: ResourceOf<typeof oddTables.shelves>
  close: () => Promise<void>
}

describePostgres('round trips to PostgreSQL', () => {
  let server: TestPostgres
  let network: Weather
  let stores: Stores
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
    network = await weather(server.port)
    const url = Object.assign(new URL(await server.newDatabase()), { port: String(network.port) })
    stores = await openWith<Stores>(url.href, schemaOf({ pets, ...oddTables }))
    await stores.pets.add({ name: 'Rex', categoryId: 7n, status: 'sold' })
    await stores.shelves.add({ code: 'a' })
    // more than a statement takes to be written
    network.delayMs.back = 100
  })
  afterAll(async () => {
    await stores.close()
    await network.close()
    await server.stop()
  })

  const once: Once = { caller: 'c', key: 'k', digest: Buffer.alloc(32), now: 1_800_000_000_000 }
  const pet = { id: 1n, name: 'Max', categoryId: 7n, status: 'sold' } as const
  test.each<[what: string, trips: number, run: () => Promise<unknown>]>([
    ['a row by its key', 1, () => stores.pets.find(1n)],
    ['a list', 1, () => stores.pets.list({ limit: 3 })],
    ['a row whose key the engine gives', 1, () => stores.pets.add({ name: 'Rex', categoryId: 7n, status: 'sold' })],
    ['a row whose key the client gives', 2, () => stores.shelves.add({ code: 'b' })],
    ['a row that is replaced', 2, () => stores.pets.replace(pet)],
    ['a row that is patched, of a request with a name', 2, () => stores.pets.patch(1n, { name: 'Kim' }, { once })],
    [
      'three changes of a turn',
      2,
      () => Promise.all([1, 2, 3].map((number) => stores.pets.replace({ ...pet, name: `${number}` }))),
    ],
    ['a row that is removed', 2, () => stores.pets.remove(1n)],
  ])('%s: %i', async (_, trips, run) => {
    const before = network.trips()
    await run()
    expect(network.trips() - before).toBe(trips)
  })
})
