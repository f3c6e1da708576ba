import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { components, pairs, samplesOf, validatorOf, type Json } from '../../support/contracts/alternatives.ts'
import { compare } from '../../support/contracts/diff.ts'

/** A contract of OpenAPI 3.1 with a schema in the body of a request, or of an answer. */
function contractOf(schema: Json, direction: 'request' | 'response'): string {
  const content = { content: { 'application/json': { schema } } }
  const answer = { description: 'Done.', ...(direction === 'response' ? content : {}) }
  const operation = { responses: { '200': answer }, ...(direction === 'request' ? { requestBody: content } : {}) }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1.0.0' },
    paths: { '/things': { post: operation } },
    components: { schemas: components },
  })
}

async function gradeOf([before, after]: [Json, Json], direction: 'request' | 'response'): Promise<string> {
  const { changes } = await compare(contractOf(before, direction), contractOf(after, direction))
  return changes[0]?.level ?? 'none'
}

/** Whether a value is valid in one schema and not in the other, or the other way round. */
function differences([one, other]: [Json, Json], isUnion: boolean): { lost: boolean; gained: boolean } {
  const [isOld, isNew] = [validatorOf(one, isUnion), validatorOf(other, isUnion)]
  const samples = samplesOf(one, other)
  return {
    lost: samples.some((value) => isOld(value) && !isNew(value)),
    gained: samples.some((value) => isNew(value) && !isOld(value)),
  }
}

/** Whether a `oneOf` refuses a value that two of its alternatives accept. */
function isOverlapping(schema: Json): boolean {
  const [accepts, accepted] = [validatorOf(schema), validatorOf(schema, true)]
  return samplesOf(schema).some((value) => accepts(value) !== accepted(value))
}

const runs = { seed: 26, numRuns: 250 }

describe('the grade of a change of a schema with alternatives', () => {
  test('is breaking for a request if a value is refused that was accepted, and not if nothing else is valid', async () => {
    const property = fc.asyncProperty(pairs, async (pair) => {
      const { lost, gained } = differences(pair, false)
      const grade = await gradeOf(pair, 'request')
      if (lost) expect(grade).toBe('breaking')
      else if (!gained && !pair.some(isOverlapping)) expect(grade).not.toBe('breaking')
    })
    await fc.assert(property, runs)
  })

  test('is risky or breaking for an answer if a value is new, and not breaking if nothing else is valid', async () => {
    const property = fc.asyncProperty(pairs, async (pair) => {
      const { lost, gained } = differences(pair, true)
      const grade = await gradeOf(pair, 'response')
      if (gained) expect(['risky', 'breaking']).toContain(grade)
      else if (!lost && !pair.some(isOverlapping)) expect(grade).not.toBe('breaking')
    })
    await fc.assert(property, runs)
  })
})
