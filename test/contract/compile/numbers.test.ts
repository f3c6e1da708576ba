import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { numericDefinition, type NumericRule } from '../../../src/contract/compile/schemas/numbers.ts'
import { numericKeyword } from '../../../src/contract/exchange/keywords.ts'
import { exactInteger } from '../../../src/integers.ts'

const min = -(2n ** 63n)
const max = 2n ** 63n - 1n

/** What the keyword makes of a value: the value as a handler gets it, or the fault that is told. */
type Outcome = { value: unknown } | { fault: string; message: string | undefined }

function reader(rule: NumericRule, { fromText }: { fromText: boolean }): (value: unknown) => Outcome {
  const ajv = new Ajv({ strict: true })
  ajv.addKeyword(numericDefinition({ fromText, convert: true }))
  const validate = ajv.compile({ type: 'object', properties: { value: { [numericKeyword]: rule } } })
  return (value) => {
    const data = { value }
    if (validate(data)) return { value: data.value }
    const fault = validate.errors?.[0]
    return { fault: fault?.keyword ?? '', message: fault?.message }
  }
}

const parameter = (rule: NumericRule): ((text: string) => Outcome) => reader(rule, { fromText: true })
const inBody = (rule: NumericRule): ((value: unknown) => Outcome) => reader(rule, { fromText: false })

const otherSpellings = [
  ...[
    '01',
    '-01',
    '00',
    '-0',
    '+1',
    '1.0',
    '1.',
    '.5',
    '1e1',
    '1E1',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1n',
    '1,0',
    '1 000',
  ],
  ...[
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '\t1',
    '1\u0000',
    '-',
    '--1',
    '- 1',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    'abc',
  ],
  ...['\u0661', '\uff11', '1\u00a0', '\ufeff1', '1\u200b', '[1]', '{}'],
]

describe('an int64 parameter', () => {
  const read = parameter({ type: 'integer', format: 'int64' })

  test.each([
    ['0', 0n],
    ['7', 7n],
    ['-1', -1n],
    ['9007199254740991', 9007199254740991n],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775806', max - 1n],
    ['9223372036854775807', max],
    ['-9223372036854775808', min],
  ])('is %s to the last digit', (text, value) => {
    expect(read(text)).toEqual({ value })
  })

  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '99999999999999999999',
    '-99999999999999999999',
    '9'.repeat(400),
  ])('is refused outside 64 bits: %s', (text) => {
    expect(read(text)).toEqual({ fault: 'format', message: 'must fit int64' })
  })

  test.each(otherSpellings)('is refused in another spelling: %j', (text) => {
    expect(read(text)).toEqual({ fault: 'type', message: 'must be integer' })
  })

  test('is any integer of 64 bits in its one spelling, and no other text of it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min, max }),
          fc.bigInt({ min: max - 2000n, max }),
          fc.bigInt({ min, max: min + 2000n }),
          fc.bigInt({ min: -1000n, max: 1000n }),
        ),
        (value) => {
          expect(read(`${value}`)).toEqual({ value })
          const sign = value < 0n ? '-' : ''
          const digits = `${value}`.replace('-', '')
          for (const text of [
            `${sign}0${digits}`,
            `${value}.0`,
            `${value}e0`,
            ` ${value}`,
            `${value} `,
            `+${digits}`,
          ]) {
            expect(read(text)).toEqual({ fault: 'type', message: 'must be integer' })
          }
        },
      ),
      { numRuns: 1000, seed: 20261127 },
    )
  })

  test('is refused at every distance beyond 64 bits', () => {
    const beyond = fc.oneof(fc.bigInt({ min: 1n, max: 5000n }), fc.bigInt({ min: 1n, max: 10n ** 30n }))
    fc.assert(
      fc.property(beyond, (distance) => {
        expect(read(`${max + distance}`)).toEqual({ fault: 'format', message: 'must fit int64' })
        expect(read(`${min - distance}`)).toEqual({ fault: 'format', message: 'must fit int64' })
      }),
      { numRuns: 1000, seed: 20261127 },
    )
  })
})

describe('a numeric parameter gives its value or its fault', () => {
  test.each<[string, NumericRule, string, Outcome]>([
    ['an int32 at its upper edge', { type: 'integer', format: 'int32' }, '2147483647', { value: 2147483647 }],
    ['an int32 at its lower edge', { type: 'integer', format: 'int32' }, '-2147483648', { value: -2147483648 }],
    [
      'an int32 above',
      { type: 'integer', format: 'int32' },
      '2147483648',
      { fault: 'format', message: 'must fit int32' },
    ],
    [
      'an int32 below',
      { type: 'integer', format: 'int32' },
      '-2147483649',
      { fault: 'format', message: 'must fit int32' },
    ],
    ['an integer that a double keeps', { type: 'integer' }, '9007199254740991', { value: 9007199254740991 }],
    [
      'an integer that a double rounds',
      { type: 'integer' },
      '9007199254740993',
      { fault: 'format', message: 'must fit a safe integer' },
    ],
    [
      'an integer below what a double keeps',
      { type: 'integer' },
      '-9007199254740992',
      { fault: 'format', message: 'must fit a safe integer' },
    ],
    ['an integer with a fraction', { type: 'integer' }, '1.5', { fault: 'type', message: 'must be integer' }],
    ['a number with a fraction', { type: 'number' }, '-1.50', { value: -1.5 }],
    ['a number with an exponent', { type: 'number' }, '1.5e+3', { value: 1500 }],
    ['a number without a fraction', { type: 'number' }, '12', { value: 12 }],
    ['a number beyond a double', { type: 'number' }, '1e400', { fault: 'type', message: 'must be number' }],
    ['a number with a leading zero', { type: 'number' }, '01.5', { fault: 'type', message: 'must be number' }],
    ['a number with a leading dot', { type: 'number' }, '.5', { fault: 'type', message: 'must be number' }],
    ['a number in hexadecimal', { type: 'number' }, '0x10', { fault: 'type', message: 'must be number' }],
    ['a number that is blank', { type: 'number' }, '', { fault: 'type', message: 'must be number' }],
    ['a number called infinite', { type: 'number' }, 'Infinity', { fault: 'type', message: 'must be number' }],
    ['a minimum met', { type: 'integer', minimum: 1, maximum: 100 }, '1', { value: 1 }],
    [
      'a minimum missed',
      { type: 'integer', minimum: 1, maximum: 100 },
      '0',
      { fault: 'minimum', message: 'must be >= 1' },
    ],
    ['a maximum met', { type: 'integer', minimum: 1, maximum: 100 }, '100', { value: 100 }],
    [
      'a maximum missed',
      { type: 'integer', minimum: 1, maximum: 100 },
      '101',
      { fault: 'maximum', message: 'must be <= 100' },
    ],
    [
      'an exclusive minimum',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      '1',
      { fault: 'minimum', message: 'must be > 1' },
    ],
    [
      'an exclusive maximum',
      { type: 'number', maximum: 2, exclusiveMaximum: true },
      '2.0',
      { fault: 'maximum', message: 'must be < 2' },
    ],
    [
      'an int64 minimum far below',
      { type: 'integer', format: 'int64', minimum: 1 },
      `${min}`,
      { fault: 'minimum', message: 'must be >= 1' },
    ],
    [
      'an int64 maximum far above',
      { type: 'integer', format: 'int64', maximum: 1 },
      `${max}`,
      { fault: 'maximum', message: 'must be <= 1' },
    ],
    ['a multiple', { type: 'integer', multipleOf: 5 }, '15', { value: 15 }],
    [
      'no multiple',
      { type: 'integer', multipleOf: 5 },
      '16',
      { fault: 'multipleOf', message: 'must be multiple of 5' },
    ],
    [
      'an int64 multiple beyond 2^53',
      { type: 'integer', format: 'int64', multipleOf: 3 },
      '9007199254740993',
      { value: 9007199254740993n },
    ],
    [
      'no int64 multiple beyond 2^53',
      { type: 'integer', format: 'int64', multipleOf: 3 },
      '9007199254740994',
      { fault: 'multipleOf', message: 'must be multiple of 3' },
    ],
    ['a multiple of a fraction', { type: 'number', multipleOf: 0.5 }, '2.5', { value: 2.5 }],
    ['one of an enumeration', { type: 'integer', enum: [1, 2] }, '2', { value: 2 }],
    [
      'none of an enumeration',
      { type: 'integer', enum: [1, 2] },
      '3',
      { fault: 'enum', message: 'must be one of the allowed values' },
    ],
    [
      'one of an exact enumeration',
      { type: 'integer', format: 'int64', enum: [9007199254740993n] },
      '9007199254740993',
      { value: 9007199254740993n },
    ],
    [
      'none of an exact enumeration',
      { type: 'integer', format: 'int64', enum: [9007199254740993n] },
      '9007199254740992',
      { fault: 'enum', message: 'must be one of the allowed values' },
    ],
  ])('%s', (_, rule, text, outcome) => {
    expect(parameter(rule)(text)).toEqual(outcome)
  })
})

describe('of a number in a body', () => {
  test.each<[string, NumericRule, unknown, Outcome]>([
    ['an int64 given as a number is a bigint', { type: 'integer', format: 'int64' }, 7, { value: 7n }],
    ['an int64 given as a bigint stays exact', { type: 'integer', format: 'int64' }, max, { value: max }],
    ['an int64 of minus zero is zero', { type: 'integer', format: 'int64' }, -0, { value: 0n }],
    [
      'an int64 beyond 64 bits is refused',
      { type: 'integer', format: 'int64' },
      max + 1n,
      { fault: 'format', message: 'must fit int64' },
    ],
    [
      'an int64 below 64 bits is refused',
      { type: 'integer', format: 'int64' },
      min - 1n,
      { fault: 'format', message: 'must fit int64' },
    ],
    [
      'an int64 with a fraction is refused',
      { type: 'integer', format: 'int64' },
      1.5,
      { fault: 'type', message: 'must be integer' },
    ],
    ['an integer of minus zero is zero', { type: 'integer' }, -0, { value: 0 }],
    [
      'an integer beyond a double is refused',
      { type: 'integer' },
      9007199254740993n,
      { fault: 'format', message: 'must fit a safe integer' },
    ],
    ['a number stays a number', { type: 'number' }, 1.5, { value: 1.5 }],
    ['a number given as a bigint is a number', { type: 'number' }, 10n ** 20n, { value: 1e20 }],
    [
      'a text of digits is refused',
      { type: 'integer', format: 'int64' },
      '7',
      { fault: 'type', message: 'must be integer' },
    ],
    ['true is refused', { type: 'integer' }, true, { fault: 'type', message: 'must be integer' }],
    ['null is refused', { type: 'integer' }, null, { fault: 'type', message: 'must be integer' }],
    ['a list is refused', { type: 'number' }, [1], { fault: 'type', message: 'must be number' }],
    ['an object is refused', { type: 'number' }, {}, { fault: 'type', message: 'must be number' }],
    ['no number is refused', { type: 'number' }, NaN, { fault: 'type', message: 'must be number' }],
    ['infinity is refused', { type: 'number' }, Infinity, { fault: 'type', message: 'must be number' }],
    ['null is taken where it is allowed', { type: 'integer', nullable: true }, null, { value: null }],
    [
      'null is taken beside an enumeration',
      { type: 'integer', nullable: true, enum: [1, null] },
      null,
      { value: null },
    ],
  ])('%s', (_, rule, value, outcome) => {
    expect(inBody(rule)(value)).toEqual(outcome)
  })
})

describe('exactInteger', () => {
  test('is a number when that is exact, and a bigint otherwise', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }), fc.bigInt({ min, max }), fc.bigInt()),
        (integer) => {
          const value = exactInteger(`${integer}`)
          expect(BigInt(value)).toBe(integer)
          expect(typeof value).toBe(integer > -(2n ** 53n) && integer < 2n ** 53n ? 'number' : 'bigint')
        },
      ),
      { numRuns: 2000, seed: 20261127 },
    )
  })
})

test('an enum compares by value, exactly', () => {
  const enumOf = (...values: (number | bigint | null)[]): ((value: unknown) => unknown) => {
    const read = inBody({ type: 'number', nullable: true, enum: values })
    return (value) => 'value' in read(value)
  }
  expect([10n ** 22n, 1e22, 10n ** 22n + 1n].map(enumOf(1e22))).toEqual([true, true, false])
  expect([9007199254740993n, 9007199254740992, 9007199254740994n].map(enumOf(9007199254740993n))).toEqual([
    true,
    false,
    false,
  ])
  expect([0, null, 1n].map(enumOf(null, 1))).toEqual([false, true, true])
})
