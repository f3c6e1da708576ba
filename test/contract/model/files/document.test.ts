import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../../../src/contract/model/files/document.ts'
import { withOperation } from '../../../support/contracts/things.ts'

describe('place', () => {
  const { place } = parseContract(
    withOperation(
      'parameters:',
      '  - { name: a, in: query, schema: { type: string } }',
      'responses: { 204: { description: Done. } }',
    ),
    'openapi.yaml',
  )

  test.each([
    [['paths', '/things', 'get'], '8:5'],
    [['paths', '/things', 'get', 'parameters', '0', 'schema'], '11:33'],
    [['paths', '/things', 'get', 'responses', '204'], '12:20'],
    [['paths', '/things', 'get', 'nothing', 'here'], '8:5'],
    [['nothing'], '1:1'],
  ])('of %j is the nearest position in the text', (path, expected) => {
    expect(place(path)).toBe(`openapi.yaml:${expected}`)
  })
})

describe('aliases and merge keys', () => {
  const contract = parseContract(
    `openapi: 3.0.3
x-a: &a { n: 9007199254740993, list: &l [1] }
x-b: *a
x-c:
  <<: *a
  n: 2
x-d: { <<: [{ n: 3 }, *a], m: *l }
x-e: { &k key: 1 }
x-f: { *k : 2, '<<': 4 }
`,
    'openapi.yaml',
  )

  test('stand for what they name, with every digit, as objects of their own', () => {
    const { 'x-a': a, 'x-b': b, ...others } = contract.root as unknown as Record<string, object>
    expect(b).toEqual({ n: 9007199254740993n, list: [1] })
    expect(a).toEqual(b)
    expect(a).not.toBe(b)
    expect((a as { list: unknown }).list).not.toBe((b as { list: unknown }).list)
    expect(others).toEqual({
      openapi: '3.0.3',
      'x-c': { n: 2, list: [1] },
      'x-d': { n: 3, list: [1], m: [1] },
      'x-e': { key: 1 },
      'x-f': { key: 2, '<<': 4 },
    })
  })

  test.each([
    [['x-b'], '3:1'],
    [['x-b', 'list', '0'], '2:42'],
    [['x-c', 'n'], '6:3'],
    [['x-c', 'list'], '2:32'],
    [['x-d', 'n'], '7:15'],
    [['x-d', 'list'], '2:32'],
    [['x-d', 'm', '0'], '2:42'],
    [['x-f', 'key'], '9:8'],
  ])('have their parts at the anchor: %j', (path, expected) => {
    expect(contract.place(path)).toBe(`openapi.yaml:${expected}`)
  })
})

describe('parseContract', () => {
  test('reads JSON as it reads YAML', () => {
    const text = `{ "openapi": "3.0.3", "x-a": [9007199254740993, 1.0, 1e2, -0, "\\u00e9\\n"], "paths": { "/a": null } }`
    const [json, yaml] = [parseContract(text, 'a.json'), parseContract(`# YAML\n${text}`, 'a.json')]
    expect(json.root).toEqual(yaml.root)
    expect(json.digest).toBe(yaml.digest)
    expect(json.place(['paths', '/a'])).toBe('a.json:1:87')
  })

  test.each([
    [
      'a key that stands twice',
      '{ "openapi": "3.0.3", "info": { "a": 1, "a": 2 } }',
      '1:41 The key a is not unique. Take one away, or join them.',
    ],
    [
      'a missing bracket',
      '{ "openapi": "3.0.3"',
      '1:1 What begins here with { does not end. Add the } that is missing.',
    ],
  ])('tells of %s in JSON', (_, text, message) => {
    expect(() => parseContract(text, 'a.json')).toThrow(new Error(`a.json:${message}`))
  })

  test('keeps every digit of a large integer', () => {
    const { root } = parseContract(
      'openapi: 3.0.3\nx-a: [9007199254740993, 9007199254740991, -1, 0x10, 1.5]\n',
      'a.yaml',
    )
    expect(root).toEqual({ openapi: '3.0.3', 'x-a': [9007199254740993n, 9007199254740991, -1, 16, 1.5] })
  })

  test('gives the same digest to files that differ only in layout, and another one when a value differs', () => {
    const digest = (text: string): string => parseContract(`openapi: 3.0.3\n${text}`, 'a.yaml').digest
    expect(digest('x-a: { b: 1, c: [2] } # note\n')).toBe(digest('x-a:\n  b: 1\n  "c":\n    - 2\n'))
    const others = [
      '{ b: 2, c: [2] }',
      '{ b: "1", c: [2] }',
      '{ c: [2], b: 1 }',
      '{ b: 9007199254740993 }',
      '{ b: 9007199254740992 }',
    ]
    expect(new Set(['{ b: 1, c: [2] }', ...others].map((value) => digest(`x-a: ${value}\n`))).size).toBe(6)
  })
})
