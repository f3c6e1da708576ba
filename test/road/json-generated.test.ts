import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { empty, half, notUtf8, parse, tooFine, tooLarge } from './json-bodies.ts'
import { run } from '../support/process.ts'

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
    const own = [tooLarge, tooFine, 'The body has the key', half, empty, notUtf8]
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
            const { message } = error as Error
            seen = own.some((one) => message.startsWith(one)) ? expected : 'refused'
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

/**
 * The least processor time of each body, as multiples of the first one. In a process of its own, since what Jest runs has
 * slow globals.
 */
const costs = `
  import { parseJson } from './src/road/json.ts'
  const bodies = process.argv.slice(1).map((number) =>
    Buffer.from('[' + Array(Math.floor(99_998 / (number.length + 1))).fill(number).join(',') + ']'))
  const least = bodies.map(() => Infinity)
  for (let round = 0; round < 20; round += 1) {
    for (const [index, body] of bodies.entries()) {
      const before = process.cpuUsage()
      parseJson(body)
      const { user, system } = process.cpuUsage(before)
      least[index] = Math.min(least[index], user + system)
    }
  }
  console.log(JSON.stringify(least.map((time) => time / least[0])))`

test('a body of 100 kB takes about as long with large numbers as with small ones', async () => {
  const numbers = ['12345', '9e307', '-9e307', '1.5e307', '1e22', '1.0', '0e9', '9'.repeat(300), `1${'0'.repeat(9)}e-9`]
  const { stdout, stderr } = await run(['--input-type=module', '--eval', costs, '--', ...numbers])
  expect(stderr).toBe('')
  const multiples = JSON.parse(stdout) as number[]
  expect(multiples).toHaveLength(numbers.length)
  for (const [index, number] of numbers.entries()) {
    expect({ number, slow: (multiples[index] ?? Infinity) > 9 }).toEqual({ number, slow: false })
  }
})
