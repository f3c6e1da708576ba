import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { int64Max, int64Min } from '../../../src/contract/integers.ts'
import { walk } from '../../../src/contract/model/tree.ts'
import type { Report } from './rule.ts'

const numeric = ['minimum', 'maximum', 'multipleOf', 'default', 'enum', 'example']

/**
 * Reports integers that cannot be what the author meant: beyond 2^53 - 1 and written with an exponent or a fraction, so
 * that digits are lost, or outside 64 bits where the schema says int64.
 */
export function exactIntegers({ root }: ContractDocument, report: Report): void {
  walk({ at: [], value: root }, (node, path) => {
    const isInt64 = [node.type].flat().includes('integer') && node.format === 'int64'
    for (const [key, value] of Object.entries(node)) {
      if (numeric.includes(key) && typeof value === 'number' && !Number.isFinite(value))
        report([...path, key], 'The number is one that JSON does not have.', 'Write a smaller one, or take it away.')
      if (isInt64 && numeric.includes(key)) check(value, [...path, key], report, true)
      else if (key === 'example' || key === 'examples') check(value, [...path, key], report, false)
    }
  })
}

function check(value: unknown, at: readonly string[], report: Report, isInt64: boolean): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) check(child, [...at, key], report, isInt64)
  } else if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    report(at, `The number is rounded to ${BigInt(value)}.`, 'Write all its digits, without exponent and fraction.')
  } else if (isInt64 && typeof value === 'bigint' && (value < int64Min || value > int64Max)) {
    report(at, `${value} is outside 64 bits.`, `Write a number from ${int64Min} to ${int64Max}.`)
  }
}
