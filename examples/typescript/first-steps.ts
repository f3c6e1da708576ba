/*
 * npm start    takes the first steps with the client
 */
import { randomUUID } from 'node:crypto'
import { AnimalStoreError, animalStore, petPages } from './client.ts'

const { ANIMAL_STORE_URL: url = 'http://127.0.0.1:8080/v1', ANIMAL_STORE_KEY: key } = process.env

try {
  await firstSteps()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function firstSteps(): Promise<void> {
  if (!key) throw new Error('Set ANIMAL_STORE_KEY to an API key.')
  const client = animalStore({ url, key })

  // with an Idempotency-Key, a creation can be sent again if its answer was lost
  const creation = {
    params: { header: { 'Idempotency-Key': randomUUID() } },
    body: { name: 'Rex', categoryId: 9007199254740993n, status: 'available' },
  } as const
  const added = await client.POST('/pets', creation)
  if (added.error) throw new AnimalStoreError(added.error, added.response)
  console.log(`Added animal ${added.data.id} of category ${added.data.categoryId}.`)

  const again = await client.POST('/pets', creation)
  if (again.error) throw new AnimalStoreError(again.error, again.response)
  const replayed = again.response.headers.get('Idempotency-Replayed') === 'true'
  console.log(`Sent again: animal ${again.data.id}, ${replayed ? 'replayed' : 'added again'}.`)

  let [pages, animals] = [0, 0]
  for await (const page of petPages(client, { status: 'available', limit: 2 })) {
    pages++
    animals += page.length
  }
  console.log(`Found ${animals} available animals on ${pages} pages.`)

  const { error, response } = await client.POST('/pets', { body: { name: '', categoryId: 7n } })
  if (error) console.log(`Refused: ${new AnimalStoreError(error, response).message}`)
}
