import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { servedOperations } from '../../src/contract/rules/coverage.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { compileContract } from '../../src/contract/contract.ts'
import { testFolder } from '../support/process.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

const folder = testFolder()
const started: TestService[] = []
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()))
})

interface Answer {
  status: number
  text: string
  headers: Headers
}

interface Mock {
  address: string
  unserved: readonly string[]
  ask: (request: string) => Promise<Answer>
}

/** A mock of a contract without security, and the way to ask it for `GET /path`. */
async function mockOf(text: string): Promise<Mock> {
  const contractFile = join(folder, `openapi-${started.length}.yaml`)
  writeFileSync(contractFile, text)
  const service = await startService({}, { contractFile, handlers: {}, mocks: true, lenient: true })
  started.push(service)
  const address = `http://127.0.0.1:${service.port}`
  return {
    address,
    unserved: service.unserved,
    ask: async (request) => {
      const [method = '', path = ''] = request.split(' ')
      const headers = { 'Content-Type': 'application/xml' }
      const sent = method === 'POST' ? { method, headers, body: '<a/>' } : { method }
      const answer = await fetch(`${address}${path}`, sent)
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    },
  }
}

const answers = (schema: string): string =>
  `responses: { '200': { description: A., content: { application/json: { schema: ${schema} } } } }`

/** A contract with these paths, below `/v1`. */
function contract(paths: string, more = ''): string {
  return `openapi: 3.0.3\ninfo: { title: T, version: '1' }\nservers: [{ url: /v1 }]\npaths:\n${paths}${more}`
}

const sound = `  /sound: { get: { operationId: getSound, ${answers('{ type: integer, example: 7 }')} } }\n`

/** Whether a service with handlers would start with a contract. */
async function starts(text: string): Promise<boolean> {
  const document = parseContract(text, 'openapi.yaml')
  return compileContract(document, { checked: false, checkResponses: true, publicUrl: '' }).then(
    () => true,
    () => false,
  )
}

describe('what no request needs', () => {
  const withTag = (tag: string): string => contract(sound, `tags: [${tag}]\n`)
  const inPath = (keys: string): string => contract(sound.replace('getSound,', `getSound, ${keys},`))
  const component = (part: string): string => contract(sound, `components: { ${part} }\n`)

  test.each<[string, string]>([
    ['null in the documents of a tag', withTag('{ name: a, externalDocs: { url: u, description: null } }')],
    ['a $ref in the description of a tag', withTag('{ name: a, description: { $ref: docs/a.md } }')],
    ['a tag that is null', withTag('null')],
    ['a key of info that there is not', contract(sound).replace("'1' }", "'1', externalDocs: { url: null } }")],
    ['a version that is a number', contract(sound).replace("'1'", '1.0')],
    ['no info', contract(sound).replace(/info: .*\n/, '')],
    ['a description that is null', inPath('description: null')],
    ['tags of an operation that are null', inPath('tags: null')],
    ['a response without a description', contract(sound.replace('description: A.,', ''))],
    ['an example and examples', contract(sound.replace('schema:', 'example: 7, examples: { a: 5 }, schema:'))],
    ['null in texts of a schema', contract(sound.replace('type: integer', 'type: integer, title: null, xml: null'))],
    ['the description of a server', contract(sound).replace('url: /v1', 'url: /v1, description: null')],
    ['a relative server', contract(sound).replace('url: /v1', 'url: ./v1')],
    ['a second server', contract(sound).replace('url: /v1 }', 'url: /v1 }, { url: null }')],
    ['a link that names nothing', contract(sound.replace('description: A.,', 'description: A., links: { a: null },'))],
    [
      'a callback that is broken',
      inPath(
        "callbacks: { a: { '{$url}': { post: { responses: { '200': { $ref: '#/components/responses/No' } } } } } }",
      ),
    ],
    ['a component that nothing uses', component('schemas: { A: { type: objct } }')],
    ['a reference to nothing in such a component', component("schemas: { A: { $ref: '#/components/schemas/B' } }")],
    ['a scheme that nothing asks for', component('securitySchemes: { a: { type: http, scheme: digest } }')],
    ['flows of OAuth', component('securitySchemes: { a: { type: oauth2, flows: null } }')],
  ])('does not keep an operation from being served: %s', async (_, text) => {
    const mock = await mockOf(text)
    expect(mock.unserved).toEqual([])
    expect(await mock.ask('GET /v1/sound')).toMatchObject({ status: 200, text: '7' })
    expect((await mock.ask('GET /docs')).status).toBe(200)
    expect((await mock.ask('GET /')).status).toBe(200)
    expect(await starts(text)).toBe(true)
    expect(servedOperations(parseContract(text, 'openapi.yaml'))).toMatchObject({ operations: 1, served: 1 })
  })
})

describe('what an operation needs and is not sound', () => {
  const other = (keys: string): string => `  /other: { get: { operationId: getOther, ${keys} } }\n`
  const refers = "{ $ref: '#/components/schemas/A' }"

  test.each<[string, string, RegExp]>([
    ['a type that there is not', contract(sound + other(answers('{ type: objct }'))), /There is no type "objct"/],
    ['a reference to nothing', contract(sound + other(answers(refers))), /leads to nothing/],
    [
      'a broken component behind another one',
      contract(
        sound + other(answers(refers)),
        "components: { schemas: { A: { properties: { b: { $ref: '#/components/schemas/B' } } }, B: { type: x } } }\n",
      ),
      /There is no type "x"/,
    ],
    [
      'a circle of references',
      contract(
        sound + other(answers(refers)),
        "components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } } }\n",
      ),
      /leads back to itself/,
    ],
    [
      'a $ref in the place of its responses',
      contract(sound + other("responses: { $ref: '#/components/responses' }"), 'components: { responses: {} }\n'),
      /\$ref/,
    ],
    [
      'a scheme that carries no key',
      contract(
        sound + other(`security: [{ a: [] }], ${answers('{}')}`),
        'components: { securitySchemes: { a: { type: http, scheme: digest } } }\n',
      ),
      /cannot carry an API key/,
    ],
    ['a scheme that is not there', contract(sound + other(`security: [{ a: [] }], ${answers('{}')}`)), /no security/],
    [
      'a key that there is not',
      contract(sound + other(`parametrs: [], ${answers('{}')}`)),
      /Property `parametrs` is not expected/,
    ],
    ['a name that is taken', contract(sound + other(answers('{}')).replace('getOther', 'getSound')), /is taken by/],
  ])('costs that operation alone: %s', async (_, text, reason) => {
    const mock = await mockOf(text)
    expect(mock.unserved).toEqual([expect.stringMatching(/^openapi-\d+\.yaml:\d+:\d+ GET \/other is not served: /)])
    expect(mock.unserved[0]).toMatch(reason)
    expect(await mock.ask('GET /v1/sound')).toMatchObject({ status: 200, text: '7' })
    for (const method of ['GET', 'HEAD']) {
      const { status, text: body } = await mock.ask(`${method} /v1/other`)
      expect(status).toBe(501)
      if (method === 'HEAD') continue
      expectError(body, 501, 'not_implemented')
      expect((JSON.parse(body) as { message: string }).message).toMatch(reason)
    }
    expect(await starts(text)).toBe(false)
    expect(servedOperations(parseContract(text, 'openapi.yaml'))).toMatchObject({ operations: 2, served: 1 })
  })

  test('is told once for each operation, also where two need the same', async () => {
    const third = other(answers(refers)).replaceAll('ther', 'thers')
    const mock = await mockOf(contract(sound + other(answers(refers)) + third))
    expect(mock.unserved).toHaveLength(2)
    for (const path of ['/v1/other', '/v1/others']) expect((await mock.ask(`GET ${path}`)).status).toBe(501)
  })

  test('is a scheme of the whole contract only for operations without their own', async () => {
    const text = contract(
      sound.replace('getSound,', 'getSound, security: [],') + other(answers('{}')),
      'security: [{ a: [] }]\n',
    )
    const mock = await mockOf(text)
    expect((await mock.ask('GET /v1/sound')).status).toBe(200)
    expect((await mock.ask('GET /v1/other')).status).toBe(501)
  })

  test('may be a method that there is not, which is told', async () => {
    const text = contract(sound.replace('{ get:', '{ pots: {}, get:'))
    const mock = await mockOf(text)
    expect(mock.unserved).toEqual([expect.stringMatching(/Did you mean post\?$/)])
    expect((await mock.ask('GET /v1/sound')).status).toBe(200)
    expect(await starts(text)).toBe(false)
    expect(servedOperations(parseContract(text, 'openapi.yaml'))).toMatchObject({ operations: 2, served: 1 })
  })

  test('may be a value that nobody can make up, which costs that answer alone', async () => {
    const never = '{ type: string, pattern: "^(?=a)b$" }'
    const two = answers(never).replace("'200'", "'404': { description: B. }, '200'")
    const mock = await mockOf(contract(sound + other(two)))
    expect(mock.unserved).toEqual([expect.stringMatching(/^\S+ No answer 200 of getOther could be made up: /)])
    const { status, text } = await mock.ask('GET /v1/other')
    expect(status).toBe(501)
    expectError(text, 501, 'not_implemented')
  })
})

test('a body of a media type that the service cannot read is taken as it is', async () => {
  const types = '{ application/xml: { schema: { type: object } } }'
  const text = contract(
    `  /a: { post: { operationId: a, requestBody: { content: ${types} }, ${answers('{ example: 7 }')} } }\n`,
  )
  const mock = await mockOf(text)
  expect(mock.unserved).toEqual([])
  expect(await mock.ask('POST /v1/a')).toMatchObject({ status: 200, text: '7' })
  expect(await starts(text)).toBe(false)
})

test('an enum without values, which OpenAPI 3.1 allows, costs nothing but its parameter', async () => {
  const none = 'parameters: [{ name: a, in: query, schema: { type: string, enum: [] } }]'
  const text = contract(sound.replace('getSound,', `getSound, ${none},`)).replace('3.0.3', '3.1.0')
  const mock = await mockOf(text)
  expect(mock.unserved).toEqual([])
  expect(await mock.ask('GET /v1/sound')).toMatchObject({ status: 200, text: '7' })
  expect((await mock.ask('GET /v1/sound?a=b')).status).toBe(400)
})

test('a wrong default is not filled in, so that a request may leave its value out', async () => {
  const parameter = (name: string, schema: string): string => `{ in: query, name: ${name}, schema: ${schema} }`
  const body = `{ content: { application/json: { schema: { type: object, properties: { a: { type: string, default: 5 }, b: { $ref: '#/components/schemas/B' } } } } } }`
  const mock = await mockOf(
    contract(
      `  /a: { get: { operationId: a, parameters: [${parameter('on', "{ type: boolean, default: 'no' }")}, ${parameter('n', '{ type: integer, default: null }')}], ${answers('{ type: integer, example: 7 }')} }, ` +
        `post: { operationId: b, requestBody: ${body}, ${answers('{ type: integer, example: 8 }')} } }\n`,
      'components: { schemas: { B: { type: integer, maximum: 3, default: 4 } } }\n',
    ),
  )
  const post = async (json: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json' }
    return (await fetch(`${mock.address}/v1/a`, { method: 'POST', headers, body: json })).status
  }
  expect((await mock.ask('GET /v1/a')).status).toBe(200)
  expect((await mock.ask('GET /v1/a?on=no')).status).toBe(400)
  expect((await mock.ask('GET /v1/a?n=1.5')).status).toBe(400)
  expect(await post('{}')).toBe(200)
  expect(await post('{"a":5}')).toBe(400)
  expect(await post('{"b":4}')).toBe(400)
})

test('an integer without a format may have any size, which the service refuses', async () => {
  const schema = '{ type: integer, minimum: 3 }'
  const text = contract(
    `  /a: { get: { operationId: a, parameters: [{ in: query, name: n, schema: ${schema} }], ${answers('{ type: integer, example: 9007199254740993 }')} } }\n`,
  )
  const mock = await mockOf(text)
  expect(await mock.ask('GET /v1/a?n=-9007199254740993')).toMatchObject({ status: 400 })
  for (const n of ['9007199254740993', '18446744073709551615'])
    expect(await mock.ask(`GET /v1/a?n=${n}`)).toMatchObject({ status: 200, text: '9007199254740993' })
  expect((await mock.ask('GET /v1/a?n=1.5')).status).toBe(400)
})

describe('HEAD and OPTIONS', () => {
  const head = (header: string): string =>
    `responses: { '204': { description: A., headers: { X-A: { required: true, schema: { type: string, example: ${header} } } } } }`

  test('are served where they are operations, and HEAD is its GET elsewhere', async () => {
    const mock = await mockOf(
      contract(
        sound +
          `  /both: { get: { operationId: a, ${head('get')} }, head: { operationId: b, ${head('head')} } }\n` +
          `  /alone: { head: { operationId: c, ${head('alone')} }, options: { operationId: d, ${answers('{ type: integer, example: 9 }')} } }\n`,
      ),
    )
    const given = async (request: string): Promise<unknown[]> => {
      const { status, headers, text } = await mock.ask(request)
      return [status, headers.get('x-a') ?? headers.get('allow'), text]
    }
    expect(await given('HEAD /v1/both')).toEqual([204, 'head', ''])
    expect(await given('GET /v1/both')).toEqual([204, 'get', ''])
    expect(await given('HEAD /v1/alone')).toEqual([204, 'alone', ''])
    expect(await given('OPTIONS /v1/alone')).toEqual([200, null, '9'])
    expect((await given('GET /v1/alone')).slice(0, 2)).toEqual([405, 'HEAD, OPTIONS'])
    expect(await given('HEAD /v1/sound')).toEqual([200, null, ''])
    expect(await given('OPTIONS /v1/sound')).toEqual([204, 'GET, HEAD, OPTIONS', ''])
  })
})

test('an operation takes the place of a page of the service, and of no other', async () => {
  const text = contract(sound.replace('/sound', '/metrics')).replace('/v1', '/')
  const mock = await mockOf(text)
  expect(await mock.ask('GET /metrics')).toMatchObject({ status: 200, text: '7' })
  for (const page of ['/docs', '/readyz', '/openapi.json']) expect((await mock.ask(`GET ${page}`)).status).toBe(200)
  expect(await starts(text)).toBe(false)
  expect(servedOperations(parseContract(text, 'openapi.yaml'))).toMatchObject({ operations: 1, served: 0 })
})
