import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { CompiledOperation } from '../../../src/contract/compiled.ts'
import { work } from '../../support/contracts/counted.ts'
import { compile, contractText, done } from '../../support/contracts/things.ts'

/** An operation whose body has the schema Rule. */
async function operationOf(schemas: string, version = '3.0.3'): Promise<CompiledOperation> {
  const body = `requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Rule' } } } }`
  const text = contractText(`  /a: { post: { operationId: addRule, ${body}, ${done} } }\n`, schemas)
  const { operations } = await compile(text.replace('3.0.3', version))
  const operation = operations.get('addRule')
  if (!operation) throw new Error('There is no operation.')
  return operation
}

const rules = "rules: { type: array, items: { $ref: '#/components/schemas/Rule' } }"
const alternatives = ['Group', 'Negation'].map((name) => `{ $ref: '#/components/schemas/${name}' }`).join(', ')
const union = `    Rule: { oneOf: [${alternatives}, { type: string }] }
    Group: { type: object, required: [rules, name], properties: { ${rules}, name: { type: string } } }
    Negation: { type: object, required: [rules, not], properties: { ${rules}, not: { type: boolean } } }
`
const list = `    Rule: { oneOf: [{ type: integer }, { type: array, items: { $ref: '#/components/schemas/Rule' } }] }\n`
const unique = `    Rule: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Rule' } }\n`

function nested(levels: number, leaf: unknown): unknown {
  return levels === 0 ? leaf : { rules: [nested(levels - 1, leaf)], name: 'a' }
}

function listed(levels: number, leaf: unknown): unknown {
  return levels === 0 ? leaf : [listed(levels - 1, leaf)]
}

describe('a body of twice the size costs about twice as much', () => {
  const cases: [string, string, (size: number) => unknown, RegExp | undefined][] = [
    ['alternatives that contain themselves', union, (size) => nested(size, 'a'), undefined],
    ['a wrong value deep in such alternatives', union, (size) => nested(size, 7), /^body\.rules\.0\.rules\.0/],
    ['a wrong value deep in a list of lists', list, (size) => listed(size, 'x'), /^body\.0\.0/],
    ['lists without equal items in each other', unique, (size) => listed(size, []), undefined],
  ]
  test.each(cases.flatMap(([name, ...rest]) => ['3.0.3', '3.1.0'].map((version) => [name, version, ...rest] as const)))(
    '%s, OpenAPI %s',
    async (_, version, schemas, body, fault) => {
      const operation = await operationOf(schemas, version)
      const told = work(operation, body(8)).fault
      if (fault) expect(told).toMatch(fault)
      else expect(told).toBeUndefined()
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 8, max: 60 }), async (size) => {
          const [once, twice] = [work(operation, body(size)).reads, work(operation, body(2 * size)).reads]
          expect(twice / once).toBeLessThan(2.5)
          return Promise.resolve()
        }),
        { numRuns: 10 },
      )
    },
  )
})

describe('a wrong body costs no more than a valid one', () => {
  const many = (value: unknown): unknown[] => Array.from({ length: 5000 }, () => value)
  const named = (value: unknown): object => Object.fromEntries(many(value).map((one, index) => [`k${index}`, one]))
  const values = Array.from({ length: 2000 }, (_, index) => `v${index}`).join(', ')
  test.each<[string, string, unknown, unknown]>([
    ['items of another type', '    Rule: { type: array, items: { type: integer } }\n', many(1), many('x')],
    [
      'items beside first ones',
      '    Rule: { type: array, items: { type: string, minLength: 1 } }\n',
      many('a'),
      many(''),
    ],
    [
      'values of an enum',
      `    Rule: { type: array, items: { type: string, enum: [${values}] } }\n`,
      many('v9'),
      many('z'),
    ],
    [
      'properties of a map',
      '    Rule: { type: object, additionalProperties: { type: integer } }\n',
      named(1),
      named('x'),
    ],
  ])('%s', async (_, schemas, valid, wrong) => {
    const operation = await operationOf(schemas)
    const [good, bad] = [work(operation, valid), work(operation, wrong)]
    expect(good.fault).toBeUndefined()
    expect(bad.fault).toMatch(/and more\.$/)
    expect(bad.reads).toBeLessThanOrEqual(good.reads)
  })

  test('fields that are not known end after some faults', async () => {
    const operation = await operationOf('    Rule: { type: object, additionalProperties: false }\n')
    const { reads, fault } = work(operation, named(1))
    expect(fault?.split('; ')).toHaveLength(11)
    expect(reads).toBeLessThan(100)
  })
})

test('what an alternative left unchecked after many faults is checked in the next one', async () => {
  const operation = await operationOf(`    Rule:
      anyOf:
        - { type: array, items: { type: string } }
        - { type: array, items: { anyOf: [{ type: array, items: { type: string } }, { type: array, contains: { type: boolean } }] } }
`)
  const item = [...Array.from({ length: 50 }, () => 1), true]
  expect(work(operation, [item, item]).fault).toBeUndefined()
  expect(work(operation, [item, [1]]).fault).toMatch(/^body/)
})

describe('a pattern that the engine would never end with', () => {
  const schemas = `    Rule: { type: string, maxLength: 20, pattern: '^(?=(a+)+b)', x-pattern-message: must have a b }\n`

  test.each([
    ['is not tried on a text that is too long', 'a'.repeat(60), 'body must have at most 20 characters.'],
    ['is tried on others', 'aaac', 'body must have a b.'],
    ['allows what it matches', 'aaab', undefined],
  ])('%s', async (_, body, fault) => {
    for (const version of ['3.0.3', '3.1.0']) expect(work(await operationOf(schemas, version), body).fault).toBe(fault)
  })
})
