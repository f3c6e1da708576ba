import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Settings } from '../../src/app.ts'
import { answering, mocked, mockedReply } from '../support/contracts/mocked.ts'
import { done, withOperation } from '../support/contracts/things.ts'
import { testFolder } from '../support/process.ts'
import { checkEveryAnswer, expectError, startService, type TestService } from '../support/service.ts'

const folder = testFolder()
const started: TestService[] = []
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()))
})

async function startMocks(contract?: string, settings: Settings = { handlers: {}, mocks: true }): Promise<TestService> {
  const contractFile = join(folder, `openapi-${started.length}.yaml`)
  if (contract !== undefined) writeFileSync(contractFile, contract)
  const service = await startService({}, { ...settings, ...(contract === undefined ? {} : { contractFile }) })
  started.push(service)
  return service
}

describe('a mocked operation', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startMocks()
  })

  test('answers the lowest success with the example of the contract, every digit of it, and says that it is a mock', async () => {
    const list = await service.call('get', '/pets').expect(200).expect('X-Mock', 'true')
    expect(list.text).toBe(
      '[{"id":1,"name":"Rex","categoryId":7,"status":"available"},' +
        '{"id":2,"name":"Mia","categoryId":9007199254740993,"status":"sold"}]',
    )
    const pet = { name: 'Mia', categoryId: 2 }
    const created = await service.call('post', '/pets').send(pet).expect(201).expect('X-Mock', 'true')
    expect(created.text).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"available"}')
    expect(await service.stores.pets.list({ limit: 1 })).toEqual([])
  })

  test.each(['get /pets', 'post /pets', 'get /pets/1'])(
    '%s answers each declared status when asked',
    async (target) => {
      const [method = 'get', path = ''] = target.split(' ')
      const call = (prefer: string): ReturnType<TestService['call']> => {
        const request = service.call(method as 'get', path).set('Prefer', prefer)
        return method === 'post' ? request.send({ name: 'Rex', categoryId: 7 }) : request
      }
      const refused = await call('code=599').expect(400)
      expectError(refused.text, 400, 'invalid_request')
      expect(refused.headers['x-mock']).toBeUndefined()
      const { message } = JSON.parse(refused.text) as { message: string }
      const statuses = /^header\.prefer asks for the code 599; declared are ([\d, ]+)\.$/
        .exec(message)?.[1]
        ?.split(', ')
      expect(statuses).toEqual(expect.arrayContaining(['400', '401', '429', '503']))
      for (const status of statuses ?? []) {
        const { headers } = await call(`code=${status}`).expect(Number(status)).expect('X-Mock', 'true')
        expect(headers['retry-after']).toBe(['429', '503'].includes(status) ? '12' : undefined)
        expect(headers['www-authenticate']).toBe(status === '401' ? 'Bearer' : undefined)
        expect(headers.deprecation).toBe(path === '/pets/1' ? '@1795737600' : undefined)
      }
    },
  )

  test.each<[prefer: string | string[], status: number]>([
    ['code=404', 404],
    ['code=404, foo', 404],
    ['respond-async, code=404', 404],
    ['wait=10; x=1,code=404', 404],
    ['CODE = "404"', 404],
    ['code=404; x="1, code=401"', 404],
    ['code=404, code=401', 404],
    [['respond-async', 'code=404'], 404],
    ['foo="1, code=404"', 200],
    ['foo; code=404', 200],
    ['mycode=404', 200],
    ['', 200],
    ['code=', 400],
    ['code', 200],
    ['code=0x194', 400],
    ['code=default', 400],
  ])('takes Prefer: %j as RFC 7240 has it', async (prefer, status) => {
    await service
      .call('get', '/pets/1')
      .set('Prefer', prefer as string)
      .expect(status)
  })

  test('is reached by requests that are authenticated and valid, and by no other', async () => {
    const anonymous = await fetch(`http://127.0.0.1:${service.port}/v1/pets`, { headers: { Prefer: 'code=200' } })
    expect({ status: anonymous.status, mock: anonymous.headers.get('x-mock') }).toEqual({ status: 401, mock: null })
    for (const path of ['/pets?limit=0', '/pets?color=red', '/pets/x']) {
      const { text, headers } = await service.call('get', path).set('Prefer', 'code=503').expect(400)
      expectError(text, 400, 'invalid_request')
      expect(headers['x-mock']).toBeUndefined()
    }
    await service.call('post', '/pets').send({ name: 'Rex' }).expect(400)
    await service.call('delete', '/pets').expect(405)
  })

  test('is counted like any other', async () => {
    const plans = 'x-plans: { free: { perMinute: 3, perDay: 1000 }, enterprise: custom }'
    const contract = answering('schema: { type: string, example: amber }').replace(/x-plans: .*/, plans)
    const own = await startMocks(contract)
    const { key } = await own.addKey({ plan: 'free' })
    const answers: Response[] = []
    for (let sent = 0; sent < 4; sent += 1) {
      answers.push(
        await fetch(`http://127.0.0.1:${own.port}/v1/things`, { headers: { Authorization: `Bearer ${key}` } }),
      )
    }
    for (const answer of answers) {
      const headers = Object.fromEntries(answer.headers)
      checkEveryAnswer({ status: answer.status, headers, text: await answer.text() })
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
  })

  test('stands beside operations that have handlers', async () => {
    const { handlers } = await import('../../generated/handlers.ts')
    const mixed = await startMocks(undefined, { handlers: { createPet: handlers.createPet }, mocks: true })
    const created = await mixed.call('post', '/pets').send({ name: 'Mia', categoryId: 2 }).expect(201)
    expect(created.headers['x-mock']).toBeUndefined()
    expect(created.text).toBe('{"id":1,"name":"Mia","categoryId":2,"status":"available"}')
    await mixed.call('get', '/pets/1').expect(200).expect('X-Mock', 'true')
  })

  test('is refused in production', async () => {
    await expect(
      startService({ NODE_ENV: 'production', LOG_LEVEL: 'silent' }, { handlers: {}, mocks: true }),
    ).rejects.toThrow(
      new Error(['listPets', 'createPet', 'getPet'].map((id) => `The operation ${id} has no handler.`).join('\n')),
    )
  })
})

describe('the body of a mock', () => {
  const schema = `schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } }, example: { id: 3 } }`

  test('is the example, else the first of the examples, else the one of the schema', async () => {
    const examples = 'examples: { a: { summary: A., value: { id: 2 } }, b: { value: { id: 4 } } }'
    expect(await mocked(`${schema}, example: { id: 9223372036854775807 }`)).toBe('{"id":9223372036854775807}')
    expect(await mocked(`${schema}, ${examples}`)).toBe('{"id":2}')
    expect(await mocked(schema)).toBe('{"id":3}')
  })

  test('passes over examples that the schema refuses', async () => {
    expect(await mocked(`${schema}, example: { id: '1' }`)).toBe('{"id":3}')
    expect(await mocked(`${schema}, example: { id: 1, more: 2 }`)).toBe('{"id":3}')
    expect(await mocked(`${schema}, examples: { a: { value: {} }, b: { value: { id: 4 } } }`)).toBe('{"id":4}')
    const body = await mocked(schema.replace('id: 3', 'id: 9223372036854775808'))
    expect(body).toMatch(/^\{"id":\d{1,4}\}$/)
  })

  test('is made up when there is no example, from the examples of its parts as far as they fit', async () => {
    const parts = (name: string): string =>
      `schema: { type: object, properties: { name: { type: string, maxLength: 5, example: ${name} }, age: { type: integer } } }`
    expect(await mocked(parts('Mia'))).toMatch(/^\{"name":"Mia","age":\d+\}$/)
    expect(await mocked(parts('Maximilian'))).toMatch(/^\{"name":"\w{1,5}","age":\d+\}$/)
  })

  test('is the same at every start', async () => {
    const media =
      'schema: { type: array, items: { type: object, properties: { a: { type: string, format: uuid }, b: { type: number } } } }'
    const first = await mocked(media)
    expect(first).toMatch(/^\[\{"a":"[-0-9a-f]{36}","b":[\d.]+\},\{/)
    expect(await mocked(media)).toBe(first)
  })

  test('is missing when the answer declares none', async () => {
    const contract = withOperation(done)
    expect(await mockedReply(contract, 204)).toEqual({
      status: 204,
      headers: { 'X-Mock': 'true', 'Preference-Applied': 'code=204' },
      body: undefined,
    })
  })

  test('is looked for at the start; when there is none, the answer is named with its place', async () => {
    const hopeless = 'schema: { type: object, required: [a], properties: { a: { type: string, pattern: "^(?=b)a$" } } }'
    await expect(startMocks(answering(hopeless))).rejects.toThrow(
      /^openapi-\d+\.yaml:11:9 No answer 200 of getThing could be made up: getThing answered 200 with a wrong body: body\.a is not in the form that the contract gives\. Give it an example\.$/,
    )
    const two = `responses: { '200': { description: Done., content: { application/json: { ${hopeless} } } }, '201': { description: Done., content: { application/json: { ${hopeless} } } } }`
    await expect(startMocks(withOperation(two))).rejects.toThrow(
      /No answer 200 of .+ example\.\n.+No answer 201 of .+ example\.$/,
    )
    await expect(startMocks(answering(`${hopeless}, example: { a: b }`))).rejects.toThrow('Give it an example.')
    await expect(startMocks(withOperation(`responses: { '100': { description: Done. } }`))).rejects.toThrow(
      /^openapi-\d+\.yaml:10:7 getThing cannot be mocked, since it declares no status to answer\.$/,
    )
  })
})

test('a mock answers a range by its first free status, and default where no success is declared', async () => {
  const range = withOperation("responses: { '200': { description: A. }, 2XX: { description: B. } }")
  expect(await mockedReply(range, 201)).toMatchObject({ status: 201 })
  const only = withOperation('responses: { default: { description: Done. } }')
  expect(await mockedReply(only, 200)).toMatchObject({ status: 200, body: undefined })
})

describe('the headers of a mock', () => {
  const declaring = (headers: string): string =>
    answering('schema: { type: string, example: amber }', `, headers: { ${headers} }`)
  const headersOf = async (headers: string): Promise<unknown> => (await mockedReply(declaring(headers))).headers

  test('are the required ones that the road does not set, from their examples and schemas', async () => {
    const headers = await headersOf(
      [
        'X-A: { required: true, schema: { type: integer, minimum: 7, maximum: 7 } }',
        'X-B: { required: true, example: two, schema: { type: string } }',
        'X-C: { required: true, examples: { c: { value: 3 } }, schema: { type: integer } }',
        'X-D: { required: true, schema: { type: array, items: { type: string }, example: [a, b] } }',
        'X-O: { required: true, schema: { type: object, properties: { o: { type: integer, enum: [1] } } } }',
        'X-E: { schema: { type: string, example: optional } }',
        'X-F: { required: true, schema: { type: string, example: "two\\nlines", enum: [one] } }',
        'X-G: { required: true, schema: { oneOf: [{ type: string, enum: [g] }, { type: string, enum: [g] }] } }',
        'X-RateLimit-Limit: { required: true, schema: { type: integer, example: 60 } }',
        'Retry-After: { schema: { type: integer, example: 5 } }',
      ].join(', '),
    )
    expect(headers).toEqual({
      'Preference-Applied': 'code=200',
      'X-A': '7',
      'X-B': 'two',
      'X-C': '3',
      'X-D': 'a,b',
      'X-O': 'o,1',
      'X-F': 'one',
      'X-G': 'g',
      'Retry-After': '5',
      'X-Mock': 'true',
    })
  })

  test('are named with their place when they can have no value', async () => {
    await expect(headersOf('X-A: { required: true, schema: { type: string, enum: ["a\\nb"] } }')).rejects.toThrow(
      'openapi.yaml:11:9 No answer 200 of getThing could be made up: the header X-A has no value that can be sent. Give it an example.',
    )
  })
})

describe('what a client prefers', () => {
  const texts = `schema: { type: object, required: [word], properties: { word: { type: string, maxLength: 20 } } }, examples: {
                cat: { value: { word: cat } }, 'a "dog"': { value: { word: dog } }, wrong: { value: { word: 7 } } }`
  let service: TestService
  beforeAll(async () => {
    service = await startMocks(
      withOperation(
        `responses: { '200': { description: A., content: { application/json: { ${texts} } } }, '202': { description: B., content: { application/json: { ${texts} } } }, '409': { description: C. } }`,
      ),
    )
  })
  const ask = (prefer: string): ReturnType<TestService['call']> => service.call('get', '/things').set('Prefer', prefer)

  test.each([
    ['example=cat', 200, { word: 'cat' }, 'example=cat'],
    ['EXAMPLE = "cat"', 200, { word: 'cat' }, 'example=cat'],
    [String.raw`example="a \"dog\""`, 200, { word: 'dog' }, String.raw`example="a \"dog\""`],
    ['code=202, example=cat', 202, { word: 'cat' }, 'code=202, example=cat'],
    ['respond-async, example=cat;foo="a,b", code="202"', 202, { word: 'cat' }, 'code=202, example=cat'],
    ['code=202', 202, { word: 'cat' }, 'code=202'],
    ['example=cat, example=none', 200, { word: 'cat' }, 'example=cat'],
    ['dynamic=false', 200, { word: 'cat' }, undefined],
    ['dynamic=true, example=cat', 200, { word: 'cat' }, 'example=cat'],
    ['wait=100', 200, { word: 'cat' }, undefined],
  ])('by %s is answered, and told what counted', async (prefer, status, body, applied) => {
    const answer = await ask(prefer).expect(status).expect('X-Mock', 'true')
    expect(answer.body).toEqual(body)
    expect(answer.headers['preference-applied']).toBe(applied)
  })

  test('by dynamic=true is made up from the schema, where there are examples', async () => {
    const answer = await ask('code=202, dynamic=true')
      .expect(202)
      .expect('Preference-Applied', 'code=202, dynamic=true')
    const { word } = answer.body as { word: string }
    expect(word).toMatch(/^[a-z ]{1,20}$/)
    expect(['cat', 'dog']).not.toContain(word)
    expect((await ask('code=202, dynamic=true')).body).toEqual(answer.body)
  })

  test.each([
    ['example=bird', 'header.prefer asks for the example bird; the answer 200 has these: cat, "a \\"dog\\"", wrong.'],
    ['code=409, example=cat', 'header.prefer asks for the example cat; the answer 409 has no examples with names.'],
    ['example=wrong', 'header.prefer asks for the example wrong, which is no valid answer: '],
    ['code=500', 'header.prefer asks for the code 500; declared are 200, 202, 409.'],
  ])('by %s is refused with what there is', async (prefer, message) => {
    const { text, headers } = await ask(prefer).expect(400)
    expectError(text, 400, 'invalid_request')
    expect((JSON.parse(text) as { message: string }).message).toContain(message)
    expect(headers['preference-applied']).toBeUndefined()
  })
})
