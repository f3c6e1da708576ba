import { describe, expect, test } from '@jest/globals'
import { compare, contract, listed, textAt } from '../../support/contracts/diff.ts'

const answer = "responses: { '204': { description: Done. } }"
const whole = (parameters: string, item = ''): string =>
  contract({ '/a/{id}': `{ ${item}get: { parameters: [${parameters}], ${answer} } }` })
const parameter = (name: string, maximum: number, more = ''): string =>
  `{ name: ${name}, in: query, ${more}schema: { type: integer, maximum: ${maximum} } }`
const id = '{ name: id, in: path, required: true, schema: { type: string } }'

test('parameters are compared by their names, however alike two of them are', async () => {
  const head = whole(
    [parameter('offset', 50, 'description: Where it starts., '), parameter('first', 100), id].join(', '),
  )
  const report = await compare(whole([id, parameter('limit', 100), parameter('offset', 100)].join(', ')), head)
  expect(listed(report)).toEqual([
    'breaking: GET /a/{id}, query parameter offset: upper bound changed from <= 100 to <= 50.',
    'breaking: GET /a/{id}, query parameter limit: seems renamed to first; keep both, the old one deprecated with a sunset.',
  ])
  const [narrowed, renamed] = report.changes.map(({ place }) => textAt(head, place))
  expect(narrowed).toMatch(/^maximum: 50/)
  expect(renamed).toMatch(/^\{ name: first/)
  expect(report.editorial).toBe(1)
})

test('it is the same to clients whether parameters and security stand in the operation or above it', async () => {
  const base = contract(
    { '/a/{id}': `{ get: { security: [{ x-key: [] }], parameters: [${id}], ${answer} } }` },
    '{ securitySchemes: { x-key: { type: http, scheme: bearer } } }',
  )
  const head = contract(
    { '/a/{id}': `{ parameters: [{ $ref: '#/components/parameters/Id' }], get: { ${answer} } }` },
    `{ parameters: { Id: ${id} }, securitySchemes: { x-key: { type: http, scheme: bearer } } }`,
    'security: [{ x-key: [] }]\n',
  )
  expect(listed(await compare(base, head))).toEqual([])
})

test('a shared parameter that breaks is told once, with all its operations', async () => {
  const side = (more: string): string =>
    contract(
      {
        '/a': `{ get: { parameters: [{ $ref: '#/components/parameters/Page' }], ${answer} } }`,
        '/b': `{ parameters: [{ $ref: '#/components/parameters/Page' }], get: { ${answer} }, put: { ${answer} } }`,
      },
      `{ parameters: { Page: { name: page, in: query, ${more}schema: { type: string } } } }`,
    )
  const head = side('required: true, ')
  const report = await compare(side(''), head)
  expect(listed(report)).toEqual(['breaking: query parameter page: became required.'])
  expect(report.changes[0]?.operations).toEqual(['GET /a', 'GET /b', 'PUT /b'])
  expect(report.changes.map(({ place }) => textAt(head, place))).toEqual([expect.stringMatching(/^required: true/)])
})

test('a shared parameter that an operation begins or ceases to use is a change of that operation alone', async () => {
  const side = (a: string, b: string): string =>
    contract(
      {
        '/a': `{ get: { parameters: [${a}], ${answer} } }`,
        '/b': `{ get: { parameters: [${b}], ${answer} } }`,
        '/c': `{ get: { parameters: [${page}], ${answer} } }`,
      },
      '{ parameters: { Page: { name: page, in: query, schema: { type: string } } } }',
    )
  const page = "{ $ref: '#/components/parameters/Page' }"
  const report = await compare(side(page, ''), side('', page))
  expect(report.changes.map(({ message, operations }) => [message, operations])).toEqual([
    ['GET /a, query parameter page: removed, though it was never deprecated.', ['GET /a']],
    ['GET /b, query parameter page: added.', ['GET /b']],
  ])
})

test('security of all operations is told once, that of one operation as its own', async () => {
  const side = (all: string, own: string): string =>
    contract(
      { '/a': `{ get: { ${answer} } }`, '/b': `{ get: { ${answer} } }`, '/c': `{ get: { ${own}${answer} } }` },
      '{ securitySchemes: { one: { type: http, scheme: bearer }, two: { type: http, scheme: basic } } }',
      `security: ${all}\n`,
    )
  const report = await compare(
    side('[{ one: [] }, { two: [] }]', ''),
    side('[{ one: [] }]', 'security: [{ two: [] }], '),
  )
  expect(report.changes.map(({ message, operations }) => [message, operations])).toEqual([
    ['security: security requirement two is no longer accepted.', ['GET /a', 'GET /b']],
    ['GET /c, security: security requirement one is no longer accepted.', ['GET /c']],
  ])
})

test('what has another name was removed and added, however similar it is', async () => {
  const side = (code: string, property: string, header: string, type: string): string =>
    contract({
      '/a': `{ get: { responses: { '${code}': { description: Fine., headers: { ${header}: { schema: { type: string } } }, content: { application/json: { schema: { type: ${type} } } } }, '400': { description: No., content: { application/json: { schema: { type: object, properties: { ${property}: { type: ${type} } } } } } } } } }`,
    })
  const report = await compare(
    side('200', 'message', 'X-Total', 'string'),
    side('201', 'messages', 'x-total', 'integer'),
  )
  expect(listed(report).sort()).toEqual([
    'breaking: GET /a, response 200: removed.',
    'breaking: GET /a, response 400, property message: removed, though it was never deprecated.',
    'compatible: GET /a, response 400, property messages: added.',
    'risky: GET /a, response 201: added.',
  ])
})

test('integers beyond 2^53 are compared to the last digit', async () => {
  const side = (maximum: string, fallback: string, allowed: string): string =>
    whole(
      `${id}, { name: n, in: query, schema: { type: integer, format: int64, maximum: ${maximum}, default: ${fallback}, enum: [1, ${allowed}] } }`,
    )
  const report = await compare(
    side('9223372036854775807', '9007199254740993', '9007199254740995'),
    side('9223372036854775806', '9007199254740992', '9007199254740996'),
  )
  expect(listed(report)).toEqual([
    'breaking: GET /a/{id}, query parameter n: upper bound changed from <= 9223372036854775807 to <= 9223372036854775806.',
    'breaking: GET /a/{id}, query parameter n: enum lost values: 9007199254740995.',
    'risky: GET /a/{id}, query parameter n: default changed from 9007199254740993 to 9007199254740992.',
  ])
})

test('contracts that others wrote are understood: no operationId, references into operations, explicit defaults', async () => {
  const side = (more: string, values: string): string =>
    contract({
      '/a': `{ get: { deprecated: false, parameters: [{ name: q, in: query, ${more}schema: { type: string, enum: [${values}] } }], responses: { '200': { description: Fine., content: { application/json: { schema: { type: string, enum: [${values}] } } } } } } }`,
      '/b': `{ get: { responses: { '200': { description: Fine., content: { application/json: { schema: { $ref: '#/paths/~1a/get/responses/200/content/application~1json/schema' } } } } } } }`,
    })
  const report = await compare(side('', 'x, y'), side('required: false, ', 'y, x, z'))
  expect(listed(report)).toEqual([
    'risky: GET /a, response 200: enum gained values: z.',
    'compatible: GET /a, query parameter q: enum gained z.',
  ])
  expect(report.changes[0]?.operations).toEqual(['GET /a', 'GET /b'])
})

test('what only the default answer uses is compared like the rest', async () => {
  const side = (properties: string): string =>
    contract(
      { '/a': "{ get: { responses: { default: { $ref: '#/components/responses/Failed' } } } }" },
      `{ responses: { Failed: { description: Failed., content: { application/json: { schema: { type: object, properties: { ${properties} } } } } } } }`,
    )
  const report = await compare(side('code: { type: string }, why: { type: string }'), side('code: { type: string }'))
  expect(listed(report)).toEqual(['breaking: response Failed, property why: removed, though it was never deprecated.'])
  expect(report.changes[0]?.operations).toEqual(['GET /a'])
})

test.each([
  ["$ref: '#/components/schemas/None'", 'The $ref "#/components/schemas/None" leads to nothing.'],
  [
    "$ref: '#/components/schemas/Round'",
    'The $ref "#/components/schemas/Round" leads back to itself, so it stands for nothing.',
  ],
  ["$ref: 'other.yaml'", 'The $ref "other.yaml" leads to a file that is not there. Add the file, or correct its name.'],
])('%s is refused with its place', async (reference, message) => {
  const text = (schema: string): string =>
    contract(
      {
        '/a': `{ get: { responses: { '200': { description: Fine., content: { application/json: { schema: { ${schema} } } } } } } }`,
      },
      reference.includes('Round') ? "{ schemas: { Round: { $ref: '#/components/schemas/Round' } } }" : '{}',
    )
  const fault = await compare(contract({}), text(reference)).catch((error: unknown) => (error as Error).message)
  expect(fault).toMatch(/^head\.yaml:\d+:\d+ /)
  expect(fault).toContain(message)
})

describe('a reference that changes', () => {
  const answers = (schema: string): string =>
    `responses: { '200': { description: Fine., content: { application/json: { schema: ${schema} } } } }`
  const side = (a: string, b: string, mark = ''): string =>
    contract(
      {
        '/a': `{ get: { ${mark}${answers(a)} } }`,
        '/b': `{ get: { ${answers(b)} } }`,
        '/c': `{ get: { ${answers(car)} } }`,
      },
      `{ schemas: { Car: ${open('doors')}, Van: ${open('load')}, Either: { oneOf: [${car}, ${van}] } } }`,
    )
  const open = (property: string): string => `{ type: object, properties: { ${property}: { type: integer } } }`
  const [car, van] = ['Car', 'Van'].map((name) => `{ $ref: '#/components/schemas/${name}' }`) as [string, string]

  test('is told where it stands, for the operation that uses it, with a fingerprint of its own', async () => {
    const head = side(van, van)
    const { changes } = await compare(side(car, car), head)
    const removed = changes.filter(({ level }) => level === 'breaking')
    expect(removed.map(({ message, operations, place }) => [message, operations, textAt(head, place)])).toEqual([
      [
        'GET /a, response 200, property doors: removed, though it was never deprecated.',
        ['GET /a'],
        expect.stringMatching(/^\$ref: .*Van/),
      ],
      [
        'GET /b, response 200, property doors: removed, though it was never deprecated.',
        ['GET /b'],
        expect.stringMatching(/^\$ref: .*Van/),
      ],
    ])
    expect(new Set(removed.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  })

  test('keeps the excuse of an experimental operation', async () => {
    const { changes } = await compare(side(car, car, 'x-stability: beta, '), side(van, car, 'x-stability: beta, '))
    expect(changes.filter(({ level }) => level === 'breaking').map(({ excused }) => excused)).toEqual(['beta'])
  })

  test('to a oneOf is no change of the component', async () => {
    const { changes } = await compare(side(car, car), side("{ $ref: '#/components/schemas/Either' }", car))
    expect(changes.map(({ message, operations }) => [message, operations])).toEqual([
      ['GET /a, response 200: oneOf of Car, Van was added.', ['GET /a']],
    ])
  })
})

test('servers of a path are named by the path, and texts by their quotes where only the type differs', async () => {
  const side = (server: string, value: string): string =>
    contract({
      '/a': `{ servers: [{ url: ${server} }], get: { parameters: [{ name: q, in: query, schema: { default: ${value} } }], ${answer} } }`,
    })
  expect(listed(await compare(side('https://a.test', '10'), side('https://b.test', "'10'")))).toEqual([
    'breaking: /a, server: https://a.test became https://b.test.',
    'risky: GET /a, query parameter q: default changed from 10 to "10".',
  ])
})

test('schemas that each name the next one twice take no time', async () => {
  const last = 40
  const schemas = Array.from({ length: last }, (_, index) => {
    const next = `{ $ref: '#/components/schemas/S${index + 1}' }`
    return `S${index}: { type: object, properties: { a: ${next}, b: ${next} } }`
  })
  const side = (end: string): string =>
    contract(
      {
        '/a': "{ get: { responses: { '200': { description: Fine., content: { application/json: { schema: { $ref: '#/components/schemas/S0' } } } } } } }",
      },
      `{ schemas: { ${schemas.join(', ')}, S${last}: { type: ${end} } } }`,
    )
  expect(listed(await compare(side('integer'), side('number')))).toEqual([
    `breaking: schema S${last} in responses: type widened from integer to number.`,
  ])
})

test('in a callback the service sends the requests', async () => {
  const side = (schema: string, reply: string): string =>
    contract({
      '/a': `{ post: { ${answer}, callbacks: { done: { '{$request.query.url}': { post: { requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { '200': { description: Heard., content: { application/json: { schema: ${reply} } } } } } } } } } }`,
    })
  expect(
    listed(await compare(side('{ type: integer }', '{ type: integer }'), side('{ type: number }', '{ type: number }'))),
  ).toEqual([
    'breaking: POST /a, callback done, {$request.query.url}, post, request body: type widened from integer to number.',
    'compatible: POST /a, callback done, {$request.query.url}, post, response 200: type changed from integer to number.',
  ])
})

test('a contract without what OpenAPI requires is compared as far as it goes', async () => {
  const bare = 'openapi: 3.0.3\n'
  expect(listed(await compare(bare, bare))).toEqual([])
  expect(listed(await compare(contract({ '/a': `{ get: { ${answer} } }` }), bare))).toEqual([
    'breaking: GET /a: removed, though it was never deprecated.',
  ])
})

test('an alternative is told by its name, and null where it stands beside a reference', async () => {
  const side = (list: string, home: string): string =>
    contract(
      {
        '/a': `{ get: { responses: { '200': { description: Fine., content: { application/json: { schema: { type: object, properties: { pet: { oneOf: [${list}] }, home: ${home} } } } } } } } }`,
      },
      '{ schemas: { Cat: { type: object, properties: { c: {} } }, Dog: { type: object, properties: { d: {} } }, Eel: { type: object, properties: { e: {} } }, Home: { oneOf: [{ type: string }, { type: array, items: {} }] } } }',
    ).replace('3.0.3', '3.1.0')
  const [cat, dog, eel, home] = ['Cat', 'Dog', 'Eel', 'Home'].map((name) => `{ $ref: '#/components/schemas/${name}' }`)
  const report = await compare(
    side(`${cat}, ${dog}`, String(home)),
    side(`${cat}, ${eel}`, `{ oneOf: [${home}, { type: 'null' }] }`),
  )
  expect(listed(report)).toEqual([
    'breaking: GET /a, response 200, property pet, oneOf 2: schema Eel was added.',
    'breaking: GET /a, response 200, property home: null was added.',
    'compatible: GET /a, response 200, property pet, oneOf 2: schema Dog was removed.',
  ])
})

test('keywords whose effect cannot be known are told with their names', async () => {
  const side = (first: string): string =>
    contract({
      '/a': `{ post: { requestBody: { content: { application/json: { schema: { type: object, properties: { p: { if: { required: [${first}] }, then: { required: [b] } } } } } } }, ${answer} } }`,
    }).replace('3.0.3', '3.1.0')
  expect(listed(await compare(side('a'), side('c')))).toEqual([
    'risky: POST /a, request body, property p: if changed, so then and else hold for other values.',
  ])
})

test('a change far behind references that lead back to themselves is told for each operation that reaches it', async () => {
  const reference = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`
  const answers = (name: string): string =>
    `{ get: { responses: { '200': { description: Done., content: { application/json: { schema: ${reference(name)} } } } } } }`
  const side = (type: string): string =>
    contract(
      { '/a': answers('A'), '/b': answers('B') },
      `{ schemas: { A: { properties: { b: ${reference('B')}, c: ${reference('C')} } }, B: { properties: { a: ${reference('A')} } }, C: { type: ${type} } } }`,
    )
  const { changes } = await compare(side('integer'), side('string'))
  expect(changes.map(({ operations }) => operations)).toEqual([['GET /a', 'GET /b']])
})

test('a change in one of many components that refer to each other in a ring is found', async () => {
  const side = (type: string): string => {
    const schemas = Array.from({ length: 3000 }, (_, index) => {
      const next = `{ $ref: '#/components/schemas/S${(index + 1) % 3000}' }`
      return `S${index}: { properties: { next: ${next}${index === 1500 ? `, a: { type: ${type} }` : ''} } }`
    })
    const content = `{ application/json: { schema: { $ref: '#/components/schemas/S0' } } }`
    return contract(
      { '/a': `{ get: { responses: { '200': { description: Done., content: ${content} } } } }` },
      `{ schemas: { ${schemas.join(', ')} } }`,
    )
  }
  const { changes } = await compare(side('integer'), side('string'))
  expect(changes.map(({ rule, operations }) => [rule, operations])).toEqual([['schema-type-changed', ['GET /a']]])
})

test('operations of the methods that OpenAPI 3.2 adds are compared', async () => {
  const operation = (id: string): string => `{ operationId: ${id}, responses: { '200': { description: Done. } } }`
  const side = (id: string, more: string): string => {
    const others = `{ COPY: ${operation('copyA')}${more} }`
    return contract({ '/a': `{ query: ${operation(id)}, additionalOperations: ${others} }` }).replace('3.0.3', '3.2.0')
  }
  const { changes } = await compare(side('askA', `, LINK: ${operation('linkA')}`), side('queryA', ''))
  expect(changes.map(({ rule, level, operations }) => [rule, level, ...operations])).toEqual([
    ['operation-id-changed', 'breaking', 'QUERY /a'],
    ['operation-removed', 'breaking', 'LINK /a'],
  ])
})
