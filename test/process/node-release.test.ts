import { expect, test } from '@jest/globals'
import { supportEnd, warnOfOldNode } from '../../src/process/node-release.ts'

test.each([
  ['v20.20.2', '2026-04-30T23:59:59Z', undefined],
  ['v20.20.2', '2026-05-01T00:00:00Z', '2026-04-30'],
  ['v20.19.0', '2030-01-01T00:00:00Z', '2026-04-30'],
  ['v22.23.0', '2026-11-28T00:00:00Z', undefined],
  ['v22.23.0', '2027-05-01T00:00:00Z', '2027-04-30'],
  ['v24.17.0', '2026-11-28T00:00:00Z', undefined],
  ['v25.8.2', '2026-11-28T00:00:00Z', '2026-06-01'],
  ['v26.3.1', '2026-11-28T00:00:00Z', undefined],
  ['v99.0.0', '2099-01-01T00:00:00Z', undefined],
])('%s at %s had its last day on %s', (version, now, day) => {
  expect(supportEnd(version, Date.parse(now))).toBe(day)
})

test('a Node.js without security fixes is told once in the log', () => {
  const logged: unknown[] = []
  const log = { warn: (...line: unknown[]) => logged.push(line) }
  warnOfOldNode(log, Date.parse('2000-01-01'))
  expect(logged).toEqual([])
  warnOfOldNode(log, Date.parse('2040-01-01'))
  expect(logged).toEqual([
    [
      { node: process.version, ended: supportEnd(process.version, Date.parse('2040-01-01')) },
      'this version of Node.js gets no more security fixes, use a newer one',
    ],
  ])
})
