import { rmSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Settings } from '../../src/app.ts'
import { compileContract, type CompiledOperation } from '../../src/contract/contract.ts'
import { parseContract } from '../../src/contract/document/document.ts'
import { textMatching } from '../../src/mock/pattern.ts'
import { randomNumbers } from '../../src/mock/random.ts'
import { sample } from '../../src/mock/sample.ts'
import type { Schema } from '../../src/contract/compile/schema.ts'
import { checkEveryAnswer, expectError, startService, type TestService } from '../support/service.ts'

const head = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v1' }]
security: [{ bearerAuth: [] }]
x-plans: { free: { perMinute: 3, perDay: 1000 }, enterprise: custom }
paths:
  /things:
    get:
      operationId: getThing
`
const tail = `components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`

/** A contract of one operation; its first line is line 10, and each line is a key of it. */
function withOperation(...lines: string[]): string {
  return head + lines.map((line) => `      ${line}\n`).join('') + tail
}

/** An operation that answers 200 with this media type, in YAML; `responses` is line 10 and `200` line 11. */
function answering(media: string, more = ''): string {
  return withOperation(
    'responses:',
    `  '200': { description: Done., content: { application/json: { ${media} } }${more} }`,
  )
}

async function operationOf(text: string): Promise<CompiledOperation> {
  const { operations } = await compileContract(parseContract(text, 'openapi.yaml'), {
    checked: true,
    checkResponses: true,
    publicUrl: '',
  })
  const [operation] = operations.values()
  if (!operation) throw new Error('The contract has no operation.')
  return operation
}

/** The body of the mocked 200. */
async function mocked(media: string): Promise<unknown> {
  return (await operationOf(answering(media))).mocks().get('200')?.body
}

let folder: string
const started: TestService[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
})
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true })
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
    const own = await startMocks(answering('schema: { type: string, example: amber }'))
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
    ).rejects.toThrow(new Error('The operation listPets has no handler.'))
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
    expect(await mocked(parts('Maximilian'))).toMatch(/^\{"name":"[a-z]{1,5}","age":\d+\}$/)
  })

  test('is the same at every start', async () => {
    const media =
      'schema: { type: array, items: { type: object, properties: { a: { type: string, format: uuid }, b: { type: number } } } }'
    const first = await mocked(media)
    expect(first).toMatch(/^\[\{"a":"[-0-9a-f]{36}","b":[\d.]+\},\{/)
    expect(await mocked(media)).toBe(first)
  })

  test('is missing when the answer declares none', async () => {
    const operation = await operationOf(withOperation(`responses: { '204': { description: Done. } }`))
    expect([...operation.mocks()]).toEqual([['204', { status: 204, headers: { 'X-Mock': 'true' }, body: undefined }]])
  })

  test('is looked for at the start; when there is none, the answer is named with its place', async () => {
    const hopeless = 'schema: { type: object, required: [a], properties: { a: { type: string, pattern: "^(?=b)a$" } } }'
    await expect(startMocks(answering(hopeless))).rejects.toThrow(
      /^openapi-\d+\.yaml:11:9 No answer 200 of getThing could be made up: no value was found that body\.a can have\. Give it an example\.$/,
    )
    await expect(startMocks(answering(`${hopeless}, example: { a: b }`))).rejects.toThrow('Give it an example.')
    await expect(startMocks(withOperation(`responses: { default: { description: Done. } }`))).rejects.toThrow(
      /^openapi-\d+\.yaml:10:7 getThing cannot be mocked, since it declares no status to answer\.$/,
    )
  })
})

describe('the headers of a mock', () => {
  const declaring = (headers: string): string =>
    answering('schema: { type: string, example: amber }', `, headers: { ${headers} }`)
  const headersOf = async (headers: string): Promise<unknown> =>
    (await operationOf(declaring(headers))).mocks().get('200')?.headers

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
    await expect(headersOf('X-A: { required: true, schema: { type: string, pattern: "^\\\\n$" } }')).rejects.toThrow(
      'openapi.yaml:11:9 No answer 200 of getThing could be made up: the header X-A has no value that can be sent. Give it an example.',
    )
  })
})

/** A schema as it stands in a contract, in flow style, which JSON is a part of. */
function flow(schema: unknown): string {
  return JSON.stringify(schema, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)).replace(
    /"(-?\d+)n"/g,
    '$1',
  )
}

describe('a value that is made up', () => {
  const max64 = 2n ** 63n - 1n
  const integer = (more: object): object => ({ type: 'integer', ...more })

  test.each<[schema: object, pattern: RegExp]>([
    [integer({ format: 'int64', minimum: max64 }), /^9223372036854775807$/],
    [integer({ format: 'int64', maximum: -max64 }), /^-922337203685477\d{4}$/],
    [integer({ format: 'int64', minimum: 9007199254740993n, maximum: 9007199254740993n }), /^9007199254740993$/],
    [integer({ format: 'int64', minimum: max64 - 1n, exclusiveMinimum: true }), /^9223372036854775807$/],
    [integer({ format: 'int32', minimum: 2147483647 }), /^2147483647$/],
    [integer({ minimum: 0.5, maximum: 1.5 }), /^1$/],
    [integer({ minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true }), /^4$/],
    [integer({ multipleOf: 7, minimum: 701, maximum: 707 }), /^707$/],
    [integer({ multipleOf: 2.5, minimum: 11, maximum: 19 }), /^15$/],
    [integer({ multipleOf: 3, maximum: -1, minimum: -3 }), /^-3$/],
    [integer({ enum: [7, 70], minimum: 8 }), /^70$/],
    [integer({ enum: [max64], format: 'int64' }), /^9223372036854775807$/],
    [integer({ enum: [null, 3], nullable: true }), /^3$/],
    [{ type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.31 }, /^0\.3$/],
    [{ type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 1.001, exclusiveMaximum: true }, /^1\.000\d+$/],
    [{ type: 'number', maximum: -5, minimum: -5 }, /^-5$/],
    [{ type: 'number', format: 'float', minimum: 1e20 }, /^1000000000000000\d+$/],
    [{ type: 'boolean', enum: [true] }, /^true$/],
    [{ type: 'string', enum: [null, 'only'], nullable: true }, /^"only"$/],
    [{ type: 'string', minLength: 40, maxLength: 40 }, /^"[a-z ]{40}"$/],
    [{ type: 'string', maxLength: 0 }, /^""$/],
    [{ type: 'string', format: 'date' }, /^"2026-\d\d-\d\d"$/],
    [{ type: 'string', format: 'date-time' }, /^"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/],
    [{ type: 'string', format: 'email', minLength: 50 }, /^"[a-z]+@example\.com"$/],
    [{ type: 'string', format: 'byte', minLength: 21, maxLength: 27 }, /^"[\w+/]{24}"$/],
    [{ type: 'string', format: 'date', pattern: '^1' }, /^never$/],
    [{ type: 'string', pattern: '^[A-Z]{3}-\\d{2,4}$' }, /^"[A-Z]{3}-\d{2,4}"$/],
    [{ type: 'string', pattern: '^\\p{Lu}\\p{Ll}+$', minLength: 9, maxLength: 9 }, /^"[A-Z][a-z]{8}"$/],
    [{ type: 'string', pattern: '^(?<y>cat|dog)s?(?:,(?:cat|dog)s?)*$', minLength: 12 }, /^"((cat|dog)s?,?)+"$/],
    [{ type: 'string', pattern: '^\\uD83D\\uDC3E[\\u{1F400}-\\u{1F401}]{2}$' }, /^"🐾[🐀🐁]{2}"$/u],
    [{ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 2 }, /^\[(true,false|false,true)\]$/],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 3 }, /^\["a","a","a"\]$/],
    [{ type: 'array', items: { type: 'string' }, maxItems: 0 }, /^\[\]$/],
    [
      { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 3 },
      /^\{("key\d":(true|false),?){3}\}$/,
    ],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, /^\{"key1":(true|false)\}$/],
    [
      {
        type: 'object',
        required: ['b'],
        properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
        maxProperties: 1,
      },
      /^\{"b":(true|false)\}$/,
    ],
    [
      { type: 'object', properties: { a: { type: 'boolean', writeOnly: true }, b: { type: 'boolean' } } },
      /^\{"b":(true|false)\}$/,
    ],
    [
      { type: 'object', properties: { constructor: { type: 'boolean' } }, required: ['constructor'] },
      /^\{"constructor":(true|false)\}$/,
    ],
    [
      {
        allOf: [
          { type: 'string', enum: ['a', 'b'] },
          { type: 'string', enum: ['b', 'c'] },
        ],
      },
      /^"b"$/,
    ],
    [{ allOf: [integer({ minimum: 5 }), integer({ minimum: 3, maximum: 5, exclusiveMinimum: true })] }, /^5$/],
    [
      {
        type: 'string',
        allOf: [
          { type: 'string', minLength: 3 },
          { type: 'string', maxLength: 3 },
        ],
      },
      /^"[a-z]{3}"$/,
    ],
  ])('keeps %j', async (schema, pattern) => {
    const body = mocked(`schema: ${flow(schema)}`)
    if (pattern.source === '^never$') await expect(body).rejects.toThrow('could be made up')
    else expect(await body).toMatch(pattern)
  })

  test('keeps the parts of an allOf together', async () => {
    const parts = [
      { type: 'object', required: ['a'], properties: { a: integer({ minimum: 10 }), b: { type: 'boolean' } } },
      {
        type: 'object',
        required: ['b'],
        properties: { a: integer({ maximum: 10 }), c: { type: 'string', enum: ['c'] } },
      },
    ]
    expect(await mocked(`schema: ${flow({ allOf: parts })}`)).toMatch(/^\{"a":10,"b":(true|false),"c":"c"\}$/)
  })

  test.each([
    'date',
    'date-time',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uuid',
    'byte',
    'binary',
    'password',
  ])('keeps the format %s', async (format) => {
    const list = { type: 'array', minItems: 20, items: { type: 'string', format } }
    expect(await mocked(`schema: ${flow(list)}`)).toMatch(/^\[("[^"]+",){19}"[^"]+"\]$/)
  })

  test('is found for every schema that has values', async () => {
    const text = fc
      .tuple(fc.nat(60), fc.nat(60))
      .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more }))
    const whole = fc
      .tuple(fc.bigInt(-(2n ** 63n), max64), fc.bigInt(0n, 2n ** 62n), fc.integer({ min: 1, max: 50 }), fc.boolean())
      .map(([from, more, multipleOf, isWide]) => {
        const minimum = from - BigInt(multipleOf) < -(2n ** 63n) ? from + BigInt(multipleOf) : from
        const maximum = minimum + more + BigInt(multipleOf) > max64 ? max64 : minimum + more + BigInt(multipleOf)
        return maximum - minimum < BigInt(multipleOf)
          ? { type: 'integer', format: 'int64' }
          : { type: 'integer', format: 'int64', minimum, ...(isWide ? {} : { maximum }), multipleOf }
      })
    const real = fc
      .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }))
      .map(([from, more]) => ({
        type: 'number',
        minimum: from / 100,
        maximum: (from + more) / 100,
        exclusiveMinimum: true,
      }))
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        text,
        whole,
        real,
        fc.constant({ type: 'boolean', nullable: true }),
        fc
          .tuple(tie('schema'), fc.nat(3), fc.nat(3))
          .map(([items, minItems, more]) => ({ type: 'array', items, minItems, maxItems: minItems + more })),
        fc
          .tuple(fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('schema'), { maxKeys: 4 }), fc.nat(4))
          .map(([properties, needed]) => ({
            type: 'object',
            properties,
            ...(Object.keys(properties).length > 0 && needed > 0
              ? { required: Object.keys(properties).slice(0, needed) }
              : {}),
          })),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(schema, async (one) => {
        expect(await mocked(`schema: ${flow(one)}`)).not.toBe('')
      }),
      { numRuns: 200 },
    )
  }, 120_000)

  test('ends where a schema contains itself', () => {
    const options = { seed: '', examples: false, name: 'body' }
    const node: Schema = { type: 'object', required: ['id'] }
    node.properties = { id: { type: 'boolean' }, parent: node, children: { type: 'array', items: node } }
    expect(sample(node, options)).toEqual({ id: expect.any(Boolean), children: [] })
    const endless: Schema = { type: 'object', required: ['next'] }
    endless.properties = { other: { type: 'string' }, next: endless }
    expect(() => sample(endless, options)).toThrow(new Error('no value was found that body.next can have.'))
    const chain: Schema = { type: 'object', required: ['next'], nullable: true }
    chain.properties = { next: chain }
    expect(sample(chain, options)).toEqual({ next: null })
  })
})

describe('a text for a pattern', () => {
  test.each([
    '^\\s*[^\\s\\x00][^\\x00]*$',
    '^[A-Za-z0-9_-]{11}$',
    '^[a-z][a-z0-9_]*$',
    '^(a|b|c){3,5}?$',
    '^[^a-z]+$',
    '^\\+?[1-9]\\d{1,14}$',
    '^#(?:[0-9a-fA-F]{3}){1,2}$',
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
    '^[\\p{L}\\p{N}]{2,}$',
    '[A-Z]',
    'a{0}b',
    '^[\\]\\\\]$',
    '^\\/\\{x\\}\\.\\*$',
    '^.{5}$',
    '^[é]$',
    '^\\u{1F600}$',
    '',
    '^$',
    'a|b',
    '(?:)',
    '\\bword\\b',
    '^[+\\-*/]$',
    '^(?!x)[xy]$',
    '^(a)\\1?$',
  ])('is found for %s', (pattern) => {
    for (let seed = 0; seed < 20; seed += 1) {
      expect(textMatching(pattern, { min: 0, max: 255, random: randomNumbers(String(seed)) })).toMatch(
        new RegExp(pattern, 'u'),
      )
    }
  })

  test.each([
    ['^[a-z]*$', 200, 200],
    ['^[a-z]{0,50}$', 50, 50],
    ['^[a-z]+-[a-z]+$', 63, 63],
    ['^\\w+(?:,\\w+)*$', 30, 40],
    ['x', 10, 10],
  ])('has the length that is asked for: %s', (pattern, min, max) => {
    const text = textMatching(pattern, { min, max, random: randomNumbers('') }) ?? ''
    expect(text).toMatch(new RegExp(pattern, 'u'))
    expect(text.length).toBeGreaterThanOrEqual(min)
    expect(text.length).toBeLessThanOrEqual(max)
  })

  test('is not found when there is none', () => {
    expect(textMatching('^(?=b)a$', { min: 0, max: 9, random: randomNumbers('') })).toBeUndefined()
    expect(textMatching('^a$', { min: 2, max: 9, random: randomNumbers('') })).toBeUndefined()
  })
})
