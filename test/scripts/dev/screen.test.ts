import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import type { Finding } from '../../../scripts/workshop/finding.ts'
import type { Verdict } from '../../../scripts/dev/protocol.ts'
import { screen, verdictLines } from '../../../scripts/dev/screen.ts'

test('a terminal gets columns, a new screen for each save, and what was there stays above it', () => {
  let text = ''
  const output = { isTTY: true, rows: 3, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream
  const { clear, print } = screen(output)
  clear()
  print([
    { label: 'diff', text: 'one', color: 'red' },
    { label: 'diff', text: 'two' },
    { label: 'verdict', text: 'three', color: 'green' },
  ])
  expect(text.startsWith('\n\n\n\u001b[H\u001b[J')).toBe(true)
  expect(stripVTControlCharacters(text)).toBe('\n\n\ndiff       one\n           two\nverdict    three\n')
})

describe('a verdict', () => {
  const verdict: Verdict = {
    findings: [],
    sound: true,
    diff: { changes: [] },
    files: ['openapi.yaml'],
    written: [],
    faults: [],
    missing: [],
  }
  const place = { file: 'openapi.yaml', line: 1, column: 1 }
  const finding = (rule: string, message: string): Finding => ({
    rule,
    severity: 'error',
    place,
    message,
    fix: 'Mend it.',
  })
  const told = (part: Partial<Verdict>): string[] =>
    verdictLines({ ...verdict, ...part }, 0).map(({ label, text }) => `${label}: ${text}`)

  test('tells an edit before the examples that it breaks, one line for each', () => {
    const change = {
      rule: 'property-removed' as const,
      level: 'breaking' as const,
      operations: ['GET /pets'],
      message: 'schema Pet in responses, property name: removed.',
      place,
      bump: 'major' as const,
      fingerprint: '0123456789ab',
    }
    const findings = [
      finding('no-invalid-schema-examples', 'An example\n\n  is wrong.'),
      finding('schemas', 'A type is wrong.'),
    ]
    expect(told({ findings, diff: { changes: [change] } })).toEqual([
      'contract: openapi.yaml:1:1 error A type is wrong. Mend it. (schemas)',
      'diff: openapi.yaml:1:1 breaking schema Pet in responses, property name: removed.',
      'contract: openapi.yaml:1:1 error An example is wrong. Mend it. (no-invalid-schema-examples)',
      'verdict: breaking, 2 errors of the contract (0.00 s)',
    ])
  })

  test('says when only texts for readers changed', () => {
    expect(told({ diff: { changes: [], editorial: 1 } })).toEqual(['verdict: only texts for readers changed (0.00 s)'])
    expect(told({ diff: { changes: [], editorial: 0 } })).toEqual(['verdict: contract as committed (0.00 s)'])
  })
})
