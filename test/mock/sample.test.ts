import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { answering, mocked, mockedReply } from '../support/contracts/mocked.ts'

/** A schema as it stands in a contract, in flow style, which JSON is a part of. */
function flow(schema: unknown): string {
  return JSON.stringify(schema, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)).replace(
    /"(-?\d+)n"/g,
    '$1',
  )
}

const max64 = 2n ** 63n - 1n
const integer = (more: object): object => ({ type: 'integer', ...more })

describe('a value that is made up', () => {
  test.each<[schema: object, pattern: RegExp]>([
    [integer({}), /^[1-9]\d{0,3}$/],
    [integer({ format: 'int64', maximum: -max64 }), /^-922337203685477\d{4}$/],
    [integer({ format: 'int64', minimum: 5000000000 }), /^500000\d{4}$/],
    [integer({ minimum: 0.5, maximum: 1.5 }), /^1$/],
    [integer({ minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true }), /^4$/],
    [integer({ multipleOf: 7, minimum: 701, maximum: 707 }), /^707$/],
    [integer({ multipleOf: 2.5, minimum: 11, maximum: 19 }), /^15$/],
    [integer({ multipleOf: 3, maximum: -1, minimum: -3 }), /^-3$/],
    [integer({ enum: [7, 70], minimum: 8 }), /^70$/],
    [integer({ enum: [max64], format: 'int64' }), /^9223372036854775807$/],
    [integer({ enum: [null, 3], nullable: true }), /^(3|null)$/],
    [{ type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.31 }, /^0\.3$/],
    [{ type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 1.001, exclusiveMaximum: true }, /^1\.000\d+$/],
    [{ type: 'number', maximum: -5, minimum: -5 }, /^-5$/],
    [{ type: 'number', format: 'float', minimum: 1e20 }, /^1000000000000000\d+$/],
    [{ type: 'boolean', enum: [true] }, /^true$/],
    [{ type: 'string', minLength: 40, maxLength: 40 }, /^"[\w .]{40}"$/],
    [{ type: 'string', maxLength: 0 }, /^""$/],
    [{ type: 'string', pattern: '^[A-Z]{3}-\\d{2,4}$' }, /^"[A-Z]{3}-\d{2,4}"$/],
    [{ type: 'string', pattern: '^(?<y>cat|dog)s?(?:,(?:cat|dog)s?)*$', minLength: 12 }, /^"((cat|dog)s?,?)+"$/],
    [{ type: 'string', pattern: '^[a-z0-9-]+$', minLength: 3, maxLength: 63 }, /^"[a-z0-9-]{3,63}"$/],
    [{ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 2 }, /^\[(true,false|false,true)\]$/],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 3 }, /^\["a","a","a"\]$/],
    [{ type: 'array', items: { type: 'string' }, maxItems: 0 }, /^\[\]$/],
    [
      { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 3 },
      /^\{("\w+":(true|false),?){3}\}$/,
    ],
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
    [{ allOf: [integer({}), integer({ minimum: 900, maximum: 900 })] }, /^900$/],
    [
      {
        type: 'string',
        allOf: [
          { type: 'string', minLength: 3 },
          { type: 'string', maxLength: 3 },
        ],
      },
      /^"\w{3}"$/,
    ],
  ])('keeps %j', async (schema, pattern) => {
    expect(await mocked(`schema: ${flow(schema)}`)).toMatch(pattern)
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

  test('is small, whatever the limits allow', async () => {
    const text = { type: 'string', maxLength: 16777215 }
    const list = { type: 'array', maxItems: 100000, items: text }
    const body = await mocked(`schema: ${flow({ type: 'object', properties: { text, list } })}`)
    expect(String(body).length).toBeLessThan(1000)
  })

  test('has all that it may have, to the end of a small schema', async () => {
    const inside = (depth: number): object =>
      depth === 0 ? integer({ minimum: 5, maximum: 5 }) : { type: 'object', properties: { a: inside(depth - 1) } }
    expect(await mocked(`schema: ${flow(inside(7))}`)).toBe('{"a":{"a":{"a":{"a":{"a":{"a":{"a":5}}}}}}}')
  })

  test('has only the upper levels where schemas name many others', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `P${index}`)
    const refs = names.map((name) => `${name}: { $ref: '#/components/schemas/${name}' }`).join(', ')
    const schemas = names.map(
      (name) => `    ${name}: { type: object, properties: { id: { type: integer }, ${refs} } }\n`,
    )
    const { body } = await mockedReply(
      `${answering("schema: { $ref: '#/components/schemas/P0' }")}  schemas:\n${schemas.join('')}`,
    )
    expect(Object.keys(JSON.parse(String(body)) as object)).toEqual(['id', ...names])
    expect(String(body).length).toBeLessThan(50_000)
  })

  test('fits one of alternatives that differ in optional parts alone', async () => {
    const value = (type: string): object => ({ type: 'object', properties: { value: { type } } })
    const oneOf = [value('boolean'), value('integer'), value('string')]
    expect(await mocked(`schema: ${flow({ oneOf })}`)).toMatch(/^\{"value":/)
  })

  test('follows references', async () => {
    const components = `  schemas:
    Thing: { type: object, required: [id], properties: { id: { $ref: '#/components/schemas/Id' }, owner: { $ref: '#/components/schemas/Id' } } }
    Id: { type: integer, format: int64, minimum: 7, maximum: 7 }
`
    const { body } = await mockedReply(answering("schema: { $ref: '#/components/schemas/Thing' }") + components)
    expect(body).toBe('{"id":7,"owner":7}')
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

  test.each([
    '^\\s*[^\\s\\x00][^\\x00]*$',
    '^[A-Za-z0-9_-]{11}$',
    '^(a|b|c){3,5}?$',
    '^[^a-z]+$',
    '^\\+?[1-9]\\d{1,14}$',
    '^#(?:[0-9a-fA-F]{3}){1,2}$',
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
    '^[\\]\\\\]$',
    '^\\/\\{x\\}\\.\\*$',
    '^.{5}$',
    '^[é]$',
    '^$',
    'a|b',
    '\\bword\\b',
    '^[+\\-*/]$',
  ])('keeps the pattern %s', async (pattern) => {
    expect(JSON.parse(String(await mocked(`schema: ${flow({ type: 'string', pattern })}`)))).toMatch(
      new RegExp(pattern, 'u'),
    )
  })

  test.each<[schema: object, fault: string]>([
    [integer({ format: 'int64', minimum: max64 }), 'body must be >= 9223372036854775807.'],
    [{ type: 'string', format: 'date', pattern: '^1' }, 'body is not in the form that the contract gives.'],
    [{ type: 'string', pattern: '^\\p{Lu}+\\p{Nd}$' }, 'body is not in the form that the contract gives.'],
    [{ type: 'string', pattern: '^[A-Z]{2,}$', minLength: 10 }, 'body is not in the form that the contract gives.'],
  ])('is not found for %j, which needs an example', async (schema, fault) => {
    await expect(mocked(`schema: ${flow(schema)}`)).rejects.toThrow(
      `openapi.yaml:11:9 No answer 200 of getThing could be made up: getThing answered 200 with a wrong body: ${fault} Give it an example.`,
    )
  })

  test('is found for every plain schema that has values', async () => {
    const text = fc
      .tuple(fc.nat(60), fc.nat(60))
      .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more }))
    const whole = fc
      .tuple(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.nat(1e6), fc.integer({ min: 1, max: 50 }), fc.boolean())
      .map(([minimum, more, multipleOf, isWide]) => ({
        ...{ type: 'integer', format: 'int64', minimum, multipleOf },
        ...(isWide ? {} : { maximum: minimum + more + multipleOf }),
      }))
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
          .tuple(fc.dictionary(fc.stringMatching(/^[a-zA-Z_][\w-]{0,8}$/), tie('schema'), { maxKeys: 4 }), fc.nat(4))
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
})

test('an alternative has the value with which the discriminator chooses it', async () => {
  const alternatives = `Cat: { type: object, required: [kind], properties: { kind: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }`
  const choice =
    "oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind }"
  const text = `${answering(`schema: { ${choice} }`)}  schemas:\n    ${alternatives}\n`
  const { kind } = JSON.parse(String((await mockedReply(text)).body)) as { kind: string }
  expect(['Cat', 'Dog']).toContain(kind)
})

test('an alternative deep in a value has the property that its discriminator asks for, and is not null', async () => {
  const kinds = ['Cat', 'Dog'].map(
    (kind) => `${kind}: { type: object, properties: { kind: { type: string, enum: [${kind}] } } }`,
  )
  const choice =
    "{ nullable: true, oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }"
  const levels = Array.from({ length: 14 })
  const deep = levels.reduce<string>((inner) => `{ type: object, required: [a], properties: { a: ${inner} } }`, choice)
  const reply = await mockedReply(`${answering(`schema: ${deep}`)}  schemas:\n    ${kinds.join('\n    ')}\n`)
  expect(String(reply.body).replaceAll('{"a":', '').replaceAll('}', '')).toMatch(/^\{"kind":"(Cat|Dog)"$/)
})

test('a property that is required and not described is answered', async () => {
  const body = String(await mocked('schema: { type: object, required: [z], properties: { a: { type: string } } }'))
  expect(Object.keys(JSON.parse(body) as object)).toContain('z')
})

test('content without a schema is empty, and headers of each message are not made up', async () => {
  const csv = answering('schema: {}', ', headers: { Content-Length: { required: true, schema: { type: integer } } }')
  const reply = await mockedReply(csv.replace('application/json: { schema: {} }', 'text/csv: {}'))
  expect(reply).toEqual({
    status: 200,
    headers: { 'X-Mock': 'true', 'Preference-Applied': 'code=200' },
    body: '',
  })
})
