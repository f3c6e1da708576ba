import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { parseDocument, visit } from 'yaml'

const text = readFileSync(fileURLToPath(new URL('../../openapi.yaml', import.meta.url)), 'utf8')

const patterns = new Set<string>()
visit(parseDocument(text), {
  Pair: (_, { key, value }) => {
    if (String(key) === 'pattern') patterns.add(String(value))
  },
})

/** Ends a match that takes longer than anything linear would, on any machine. */
const limitMs = 2000

function matches(pattern: string, value: string): boolean {
  return runInNewContext('new RegExp(pattern, "u").test(value)', { pattern, value }, { timeout: limitMs }) as boolean
}

test('a pattern that backtracks is found by this test', () => {
  expect(() => matches(String.raw`^(\w+\s?)*$`, `${'a'.repeat(40)}!`)).toThrow(/timed out/)
})

describe.each([...patterns])('the pattern %s of the contract', (pattern) => {
  test('takes no time that grows faster than the text', () => {
    for (const piece of ['a', ' ', '\t ', 'a ', ' a', 'a_', '0', '-', 'é', '\u0000', '\u00a0a', '😀']) {
      for (const end of ['', '!', '\u0000', ' ', '\n', 'a']) {
        expect(typeof matches(pattern, piece.repeat(100_000) + end)).toBe('boolean')
      }
    }
  })
})
