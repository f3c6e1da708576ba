import { int64Max, int64Min } from '../../integers.ts'
import type { Path } from '../model/node.ts'
import { type Report, rule } from './rule.ts'

const numeric = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'default',
  'enum',
  'const',
  'example',
]

/**
 * No integer is one that the author cannot mean: beyond 2^53 - 1 and written with an exponent or a fraction, so that
 * digits are lost, or outside 64 bits where the schema says int64.
 */
export const exactIntegers = rule({
  id: 'exact-integers',
  on: 'written',
  level: 'wrong',
  check: ({ kind, node, at }, report) => {
    const isInt64 = kind === 'schema' && node.format === 'int64' && [node.type].flat().includes('integer')
    for (const [key, value] of Object.entries(node)) {
      if (numeric.includes(key) && typeof value === 'number' && !Number.isFinite(value)) {
        const fix = 'Write a smaller one, or take it away.'
        report([...at, key], 'The number is one that JSON does not have.', { fix })
      }
      const isExample =
        key === 'example' || (key === 'examples' && kind === 'schema') || (key === 'value' && kind === 'example')
      if (isInt64 && numeric.includes(key)) check(value, [...at, key], report, true)
      else if (isExample) check(value, [...at, key], report, false)
    }
  },
})

function check(value: unknown, at: Path, report: Report, isInt64: boolean): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) check(child, [...at, key], report, isInt64)
  } else if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const fix = 'Write all its digits, without exponent and fraction.'
    report(at, `The number is rounded to ${BigInt(value)}.`, { fix })
  } else if (isInt64 && typeof value === 'bigint' && (value < int64Min || value > int64Max)) {
    report(at, `${value} is outside 64 bits.`, { fix: `Write a number from ${int64Min} to ${int64Max}.` })
  }
}
