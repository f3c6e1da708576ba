import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { stringify } from 'lossless-json'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'
import { compileContract } from '../../../src/contract/contract.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { contracts, type Generated } from '../../support/contracts/grammar/contracts.ts'
import { reading } from '../../support/contracts/things.ts'
import { testFolder } from '../../support/process.ts'

jest.setTimeout(300_000)

const file = join(testFolder(), 'contract.json')

/** A contract with an operation more, whose body has a property of this schema with this default. */
function withDefault({ document }: Generated, schema: unknown, value: unknown): string {
  const planted = {
    operationId: 'planted',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { planted: { allOf: [schema], default: value } } },
        },
      },
    },
    responses: { '204': { description: 'Done.' } },
  }
  const paths = { ...(document.paths as object), '/planted': { post: planted } }
  return stringify({ ...document, paths }, undefined, 2) ?? ''
}

/** The schema of the JSON body of the first operation that has one, with values that it may have or not. */
function bodyOf({ document, operations }: Generated): { schema: unknown; values: fc.Arbitrary<unknown> } | undefined {
  for (const { body, at } of operations) {
    if (body?.type !== 'application/json') continue
    const operation = at.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document)
    const { requestBody } = operation as { requestBody: { content: Record<string, { schema: unknown }> } }
    const { schema } = requestBody.content['application/json'] ?? {}
    return { schema, values: fc.oneof(body.model.values, fc.jsonValue({ maxDepth: 2 })) }
  }
  return undefined
}

test('lint says of a default what the service does with it', async () => {
  const seed = 20261129
  let [right, wrong] = [0, 0]
  for (const contract of fc.sample(contracts, { numRuns: 150, seed })) {
    const body = bodyOf(contract)
    if (!body) continue
    for (const sampled of fc.sample(body.values, { numRuns: 4, seed })) {
      const value = withoutBigints(sampled)
      if (value === undefined) continue
      const text = withDefault(contract, body.schema, value)
      writeFileSync(file, text)
      const findings = await lintContract(file, { today: '2026-11-28', house: false })
      const isWrong = findings.some(({ rule }) => rule === 'defaults')
      const { operations } = await compileContract(parseContract(text, 'contract.json'), {
        checked: true,
        checkResponses: true,
        publicUrl: '',
      })
      const operation = operations.get('planted')
      const read = operation && reading(operation, { body: {}, type: 'application/json' })
      expect({ value, isWrong, read }).toEqual({ value, isWrong: typeof read === 'string', read })
      if (isWrong) wrong += 1
      else right += 1
    }
  }
  expect(right).toBeGreaterThan(10)
  expect(wrong).toBeGreaterThan(10)
})

/** A value with numbers in place of `bigint`; undefined if that loses digits, which is refused in a default. */
function withoutBigints(value: unknown): unknown {
  const lost: bigint[] = []
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'bigint') return part
    if (!Number.isSafeInteger(Number(part))) lost.push(part)
    return Number(part)
  })
  const read: unknown = JSON.parse(text)
  return lost.length === 0 ? read : undefined
}
