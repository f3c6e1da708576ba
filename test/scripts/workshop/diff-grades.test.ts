import { describe, expect, test } from '@jest/globals'
import type { DiffReport } from '../../../scripts/workshop/diff/diff.ts'
import { compare } from '../../support/contracts/diff.ts'
import { grades } from '../../support/contracts/grades/all.ts'
import { edited, pairs, store } from '../../support/contracts/pairs.ts'

describe.each(Object.entries(grades))('the grade of a change: %s', (_, all) => {
  test.each(all)('$change: $right', async ({ base, head, right }) => {
    const { changes } = await compare(base, head)
    expect(changes[0]?.level ?? 'none').toBe(right)
  })
})

describe('the report of one edit', () => {
  test('names the place in the new contract, what has changed, and every operation it reaches', async () => {
    expect(await change('narrow `maximum`, query')).toMatchObject({
      message: 'GET /pets, query parameter limit: upper bound changed from <= 100 to <= 50.',
      place: { file: 'head.yaml', line: 9, column: 74 },
      operations: ['GET /pets'],
      rule: 'schema-constraint-changed',
      bump: 'major',
    })
    expect(await change('add enum value to a response')).toMatchObject({
      message: 'schema Pet in responses, property state: enum gained values: lost.',
      place: { file: 'head.yaml', line: 65, column: 32 },
      operations: ['GET /pets', 'POST /pets', 'GET /pets/{petId}'],
    })
  })

  test('places what was removed at the nearest parent that is left', async () => {
    expect(await change('remove optional response field')).toMatchObject({
      message: 'schema Pet in responses, property home: removed, though it was never deprecated.',
      place: { file: 'head.yaml', line: 61, column: 7 },
    })
    expect(await change('remove an operation')).toMatchObject({
      message: 'DELETE /pets/{petId}: removed, though it was never deprecated.',
      place: { file: 'head.yaml', line: 37, column: 3 },
    })
  })

  test('counts edits of texts for people, and asks no version of them', async () => {
    const report = await reportOf('description only')
    expect(report).toMatchObject({ editorial: 1, passed: true, version: { needed: 'none', enough: true } })
  })
})

function reportOf(name: string): Promise<DiffReport> {
  const pair = pairs.find(({ change }) => change === name)
  return compare(store, edited(store, pair?.edits ?? []))
}

async function change(name: string): Promise<unknown> {
  return (await reportOf(name)).changes[0]
}
