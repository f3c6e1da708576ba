import { beforeAll, describe, expect, test } from '@jest/globals'
import { standings, type Standing } from './json-schema.ts'
import { jsonSchemaSuite } from './json-schema-suite.ts'

describe('the JSON Schema Test Suite', () => {
  let all: Standing[] = []
  beforeAll(async () => {
    all = await standings(jsonSchemaSuite())
  }, 300_000)

  test('has no case that is wrong, but for what is refused by name or different on purpose', () => {
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
  })

  test('is passed as the documents say', () => {
    expect(all.map(({ draft, cases, passed }) => [draft, cases, passed])).toEqual([
      ['draft2020-12', 1257, 1097],
      ['draft4', 610, 397],
    ])
  })

  test('has no schema that is refused for another reason than one that is documented', () => {
    const reasons = new Set(all.flatMap(({ refused }) => [...refused.keys()]))
    expect([...reasons].sort()).toEqual([
      '`$dynamicRef`',
      '`$id` or `id` around references',
      'a `$ref` relative to an `$id`',
      'a `$ref` to an `$anchor`, or to a refused part',
      'a `$ref` to an address',
      'a keyword or form that OpenAPI 3.0 does not have',
      'a property named `__proto__`',
      'another dialect',
    ])
  })
})
