import { describe, expect, test } from '@jest/globals'
import { mocked } from '../support/contracts/mocked.ts'

/** What a mock answers for a schema in flow style. */
async function made(schema: string): Promise<unknown> {
  return JSON.parse(String(await mocked(`schema: ${schema}`)))
}

async function madeOf(name: string, more = ''): Promise<unknown> {
  const value = (await made(`{ type: object, properties: { ${name}: { type: string${more} } } }`)) as object
  return Object.values(value)[0]
}

const properName = /^\p{Lu}\p{Ll}+$/u
const sentence = /^\p{Lu}[\p{Ll} ]+\.$/u
const day = /^2026-\d\d-\d\d$/

describe('a made-up text reads like what its property is called', () => {
  test.each([
    ['name', properName],
    ['Name', properName],
    ['first_name', properName],
    ['lastName', properName],
    ['fullName', /^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+$/u],
    ['username', /^[a-z]+\.[a-z]+$/],
    ['company-name', /^\p{Lu}\p{Ll}+ Ltd$/u],
    ['contactEmail', /^[a-z]+\.[a-z]+@example\.com$/],
    ['homepage', /^https:\/\/example\.com\/[a-z]+$/],
    ['avatarURL', /^https:\/\/example\.com\/[a-z]+\.png$/],
    ['phone', /^\+1 555 01\d\d$/],
    ['street', /^\d+ Garden Street$/],
    ['city', properName],
    ['countryCode', /^[A-Z]{2}$/],
    ['currency', /^[A-Z]{3}$/],
    ['description', sentence],
    ['error_message', sentence],
    ['title', /^The [a-z]+ [a-z]+$/],
    ['created_at', /^2026-\d\d-\d\dT\d\d:\d\d:00Z$/],
    ['birthDate', day],
    ['orderId', /^[0-9a-f]{8}$/],
    ['shape', /^[a-z]+ [a-z]+$/],
  ])('%s', async (name, pattern) => {
    expect(await madeOf(name)).toMatch(pattern)
  })

  test.each([
    ['date', day],
    ['date-time', /^2026-\d\d-\d\dT\d\d:30:00Z$/],
    ['email', /^[a-z]+\.[a-z]+@example\.com$/],
    ['uri', /^https:\/\/example\.com\/[a-z]+$/],
    ['uuid', /^[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}$/],
    ['hostname', /^[a-z]+\.example\.com$/],
    ['ipv4', /^192\.0\.2\.\d+$/],
    ['phone', /^\+1 555 01\d\d$/],
    ['int64', /^\d{1,3}$/],
    ['ipv6', /^2001:db8::[0-9a-f]+$/],
  ])('with the format %s', async (format, pattern) => {
    expect(await madeOf('x', `, format: ${format}`)).toMatch(pattern)
  })

  test('what changes something comes after what began it', async () => {
    const times = 'createdAt: { type: string, format: date-time }, updatedAt: { type: string, format: date-time }'
    const { createdAt, updatedAt } = (await made(`{ type: object, properties: { ${times} } }`)) as Record<
      string,
      string
    >
    expect(String(createdAt) < String(updatedAt)).toBe(true)
  })

  test('numbers have two digits after the point', async () => {
    expect(String(await made('{ type: number }'))).toMatch(/^-?\d+(\.\d{1,2})?$/)
  })
})

describe('a made-up text is as its schema asks', () => {
  test.each([
    [', maxLength: 4', /^.{1,4}$/],
    [', minLength: 60, maxLength: 70', /^[\w. ]{60,70}$/],
    [", pattern: '^[a-z]+$'", /^[a-z]+$/],
    [", pattern: '^[A-Z]{3}$', maxLength: 3", /^[A-Z]{3}$/],
    [', enum: [red, blue]', /^(red|blue)$/],
    [", pattern: '^X-[0-9]{4}$'", /^X-\d{4}$/],
    [', example: Rex', /^Rex$/],
    [', default: Tom', /^Tom$/],
  ])('name%s', async (more, pattern) => {
    expect(await madeOf('name', more)).toMatch(pattern)
  })

  test('items differ where they must', async () => {
    const tags = (await made('{ type: array, minItems: 3, uniqueItems: true, items: { type: string } }')) as string[]
    expect(new Set(tags).size).toBe(tags.length)
    const pets = (await made(
      '{ type: array, minItems: 3, items: { type: object, properties: { name: { type: string } } } }',
    )) as { name: string }[]
    expect(new Set(pets.map(({ name }) => name)).size).toBe(3)
  })
})

test('the same contract has the same values at every start', async () => {
  const owner = 'owner: { type: object, properties: { email: { type: string, format: email } } }'
  const schema = `{ type: object, properties: { name: { type: string }, born: { type: string, format: date }, ${owner} } }`
  const first = await made(schema)
  expect(await made(schema)).toEqual(first)
  expect(first).toEqual({ name: 'Jasper', born: '2026-02-02', owner: { email: 'elsa.silva@example.com' } })
})
