/*
 * npx tsx examples/typescript/first-steps.ts
 */
import { randomUUID } from 'node:crypto'
import { animalStore, failureOf, petPages } from './client.ts'

const { ANIMAL_STORE_URL: url = 'http://127.0.0.1:8080/v1', ANIMAL_STORE_KEY: key } = process.env
if (!key) throw new Error('Set ANIMAL_STORE_KEY to an API key.')
const client = animalStore({ url, key })

// with an Idempotency-Key, a creation can be sent again if its answer was lost
const creation = {
  params: { header: { 'Idempotency-Key': randomUUID() } },
  body: { name: 'Rex', categoryId: 9007199254740993n, status: 'available' },
} as const
const added = await client.POST('/pets', creation)
if (added.error) throw failureOf(added.error)
console.log(`Added animal ${added.data.id} of category ${added.data.categoryId}.`)

const again = await client.POST('/pets', creation)
if (again.error) throw failureOf(again.error)
const replayed = again.response.headers.get('Idempotency-Replayed') === 'true'
console.log(`Sent again: animal ${again.data.id}, ${replayed ? 'replayed' : 'added again'}.`)

let [pages, animals] = [0, 0]
for await (const page of petPages(client, { status: 'available', limit: 2 })) {
  pages++
  animals += page.length
}
console.log(`Found ${animals} available animals on ${pages} pages.`)

const { error } = await client.POST('/pets', { body: { name: '', categoryId: 7n, status: 'available' } })
if (error) console.log(`Refused: ${failureOf(error).message}`)
