import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { duplicate, empty, half, notUtf8, parse, tooFine, tooLarge } from './json-bodies.ts'

describe('parseJson, on generated values', () => {
  /** As `JSON.parse` gives them: every number a double. */
  function rounded(value: unknown): unknown {
    if (typeof value === 'bigint') return Number(value)
    if (Array.isArray(value)) return value.map(rounded)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, rounded(child)]))
  }

  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 })

  test('reads the output of JSON.stringify, in any layout, as the same value', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (written, space) => {
        const text = JSON.stringify(written, undefined, space)
        expect(rounded(parse(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 1000, seed: 20261127 },
    )
  })

  test('reads an integer of any length as that integer, also as a fraction or with an exponent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat({ max: 30 }), (integer, zeros) => {
        for (const text of [
          `${integer}`,
          `${integer}.${'0'.repeat(zeros + 1)}`,
          `${integer}${'0'.repeat(zeros)}e-${zeros}`,
          `${integer}.${'0'.repeat(zeros + 1)}E+0`,
        ]) {
          const read = parse(text) as number | bigint
          expect(BigInt(read)).toBe(integer)
          expect(typeof read).toBe(Number.isSafeInteger(Number(integer)) ? 'number' : 'bigint')
        }
        expect(BigInt(parse(`${integer}e${zeros}`) as number | bigint)).toBe(integer * 10n ** BigInt(zeros))
      }),
      { numRuns: 1000, seed: 20261127 },
    )
  })

  test('reads or refuses damaged bodies as JSON.parse does, except where it has a sentence of its own', () => {
    const own = [tooLarge, tooFine, duplicate, half, empty, notUtf8]
    fc.assert(
      fc.property(
        value,
        fc.nat(),
        fc.string({ maxLength: 2, unit: 'binary' }),
        fc.nat({ max: 2 }),
        (written, at, added, removed) => {
          const whole = JSON.stringify(written)
          const start = at % (whole.length + 1)
          const text = (whole.slice(0, start) + added + whole.slice(start + removed)).toWellFormed()
          let expected: unknown
          try {
            expected = { read: JSON.parse(text) as unknown }
          } catch {
            expected = 'refused'
          }
          let seen: unknown
          try {
            seen = { read: rounded(parse(text)) }
          } catch (error) {
            seen = own.includes((error as Error).message) ? expected : 'refused'
          }
          expect(seen).toEqual(expected)
        },
      ),
      { numRuns: 2000, seed: 20261127 },
    )
  })
})

describe('a number with very many zeros', () => {
  test('is refused quickly', async () => {
    for (let run = 0; run < 20; run += 1) {
      for (const text of [`0.${'0'.repeat(90_000)}1`, `1${'0'.repeat(98_000)}1e-97990`]) {
        expect(() => parse(text)).toThrow(/more decimal places than can be kept exactly/)
        await new Promise(setImmediate)
      }
    }
  })
})
