import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matcherOf } from '../../../src/contract/model/pattern/matcher.ts'
import { operationOf, reading, withBody } from '../../support/contracts/things.ts'

const element = fc.constantFrom(
  ...['a', 'b', '.', 'é', '😀', '\\d', '\\w', '\\s', '\\S', '[ab]', '[^a]', '[a-z1]', '\\p{L}', '\\.', '-', '[^\\s😀]'],
)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{0,3}', '{2,}', '{0}')
const longer = fc.constantFrom('{1,12}', '{9}', '{9,}')
const { pattern } = fc.letrec<{ pattern: string; sequence: string; part: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
  sequence: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
  part: fc.oneof(
    { maxDepth: 2 },
    {
      weight: 4,
      arbitrary: fc.tuple(element, fc.oneof({ weight: 9, arbitrary: quantifier }, longer)).map((both) => both.join('')),
    },
    { weight: 3, arbitrary: fc.tuple(tie('pattern'), quantifier).map(([inner, times]) => `(?:${inner})${times}`) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '(?=a)', '(?<!b)', '\\b', '(a)\\1') },
  ),
}))
const whole = fc.tuple(fc.constantFrom('', '^'), pattern, fc.constantFrom('', '$', 'b$')).map((all) => all.join(''))
const text = fc
  .array(fc.constantFrom('a', 'a', 'b', '1', ' ', '\n', '.', 'é', '😀', '\ud83d', '_'), { maxLength: 7 })
  .map((all) => all.join(''))

test('a pattern matches the texts that the engine matches, by code points and by code units', () => {
  let own = 0
  fc.assert(
    fc.property(whole, fc.array(text, { minLength: 1, maxLength: 6 }), fc.boolean(), (pattern, texts, byUnits) => {
      // an escape that is none by code points
      const written = byUnits ? `${pattern}|\\-\\-` : pattern
      const matcher = matcherOf(written)
      if (!(matcher instanceof RegExp)) own += 1
      const engine = byUnits ? new RegExp(written) : new RegExp(written, 'u')
      for (const one of texts) expect([one, matcher.test(one)]).toEqual([one, engine.test(one)])
    }),
    { numRuns: 400 },
  )
  expect(own).toBeGreaterThan(50)
})

describe('a text with which engines never finish is refused', () => {
  const long = 100_000
  test.each([
    ['^(a+)+$', `${'a'.repeat(long)}!`],
    ['(a|aa)*b', 'a'.repeat(long)],
    [String.raw`^(\w+\s?)*$`, `${'a b '.repeat(long / 4)}!`],
    ['^((ab)*)*c', 'ab'.repeat(long / 2)],
    ['^(?:a{1,3}){1,9}$', 'a'.repeat(long)],
    ['^(a?){30}b$', 'a'.repeat(long)],
    ['^([ab]?){8}([ab]?){8}([ab]?){8}([ab]?){8}c$', 'ab'.repeat(16)],
    [String.raw`^([_.]|\w)+(\.\w+)*@$`, '_.'.repeat(long / 2)],
    [String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, `a@${'.'.repeat(long)}@`],
    [String.raw`\s+$`, `${' '.repeat(long)}a`],
    [String.raw`.*a.*b.*c`, 'a'.repeat(long)],
    [String.raw`\-?(a+)+$`, `${'a'.repeat(long)}!`],
  ])('%s', async (pattern, text) => {
    const operation = await operationOf(withBody(`{ type: string, pattern: '${pattern}' }`))
    const body = { type: 'application/json', body: text }
    expect(reading(operation, body)).toBe('body is not in the form that the contract gives.')
  })

  test('also among the names of an object', async () => {
    const schema = "{ type: object, patternProperties: { '^(a+)+$': { type: integer } }, additionalProperties: false }"
    const text = withBody(schema).replace('3.0.3', '3.1.0')
    const operation = await operationOf(text)
    const name = `${'a'.repeat(60)}!`
    expect(reading(operation, { type: 'application/json', body: { [name]: 1 } })).toBe(
      `body["${name}"] is not a known field.`,
    )
    expect(reading(operation, { type: 'application/json', body: { aa: 1 } })).toMatchObject({ body: { aa: 1 } })
  })
})
