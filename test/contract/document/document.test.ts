import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../../src/contract/document/document.ts'
import { withOperation } from '../../support/contracts/things.ts'

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

describe('parseContract', () => {
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
