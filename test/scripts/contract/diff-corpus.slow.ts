import { beforeAll, describe, expect, test } from '@jest/globals'
import type { DiffReport } from '../../../scripts/contract/diff/diff.ts'
import { compare } from '../../support/contracts/diff.ts'
import { edited, pairs, store, type Pair } from '../../support/contracts/pairs.ts'

const reports = new Map<Pair, DiffReport>()
beforeAll(async () => {
  const open = [...pairs]
  const work = async (): Promise<void> => {
    for (let pair = open.shift(); pair; pair = open.shift()) {
      reports.set(pair, await compare(store, edited(store, pair.edits)))
    }
  }
  await Promise.all([work(), work()])
})

describe('the verdict on one edit of a contract', () => {
  test.each(pairs)('$change: $right', (pair) => {
    expect(reports.get(pair)?.changes[0]?.level ?? 'none').toBe(pair.right)
  })

  test('names the place in the new contract, what has changed, and every operation it reaches', () => {
    expect(change('narrow `maximum`, query')).toMatchObject({
      message: 'GET /pets, query parameter limit: upper bound changed from <= 100 to <= 50.',
      place: { file: 'head.yaml', line: 9, column: 74 },
      operations: ['GET /pets'],
      rule: 'schema-constraint-changed',
      bump: 'major',
    })
    expect(change('add enum value to a response')).toMatchObject({
      message: 'schema Pet in responses, property state: enum gained values: lost.',
      place: { file: 'head.yaml', line: 65, column: 32 },
      operations: ['GET /pets', 'POST /pets', 'GET /pets/{petId}'],
    })
  })

  test('places what was removed at the nearest parent that is left', () => {
    expect(change('remove optional response field')).toMatchObject({
      message: 'schema Pet in responses, property home: removed, though it was never deprecated.',
      place: { file: 'head.yaml', line: 61, column: 7 },
    })
    expect(change('remove an operation')).toMatchObject({
      message: 'DELETE /pets/{petId}: removed, though it was never deprecated.',
      place: { file: 'head.yaml', line: 37, column: 3 },
    })
  })

  test('counts edits of texts for people, and asks no version of them', () => {
    const report = reportOf('description only')
    expect(report).toMatchObject({ editorial: 1, passed: true, version: { needed: 'none', enough: true } })
  })
})

function reportOf(name: string): DiffReport | undefined {
  return reports.get(pairs.find(({ change }) => change === name) as Pair)
}

function change(name: string): unknown {
  return reportOf(name)?.changes[0]
}
