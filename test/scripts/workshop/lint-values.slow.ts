import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { stringify } from 'lossless-json'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'
import type { CompiledOperation } from '../../../src/contract/compiled.ts'
import { compileContract } from '../../../src/contract/contract.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { contracts, type Generated } from '../../support/contracts/grammar/contracts.ts'
import { reading } from '../../support/contracts/things.ts'
import { testFolder } from '../../support/process.ts'

jest.setTimeout(300_000)

const file = join(testFolder(), 'contract.json')

/** A planted operation, and what the service does of a value of its property `planted`. */
interface Planted {
  operation: CompiledOperation
  value: unknown
  /** What the service said of answers that it has cut. */
  faults: unknown[]
}

/** A place of a contract that has a value. */
interface Place {
  /** The keywords beside the schema of the property `planted`. */
  keywords?: (value: unknown) => object
  /** The keywords beside the schema of the body, and of the answer. */
  ofBody?: (value: unknown) => object
  ofAnswer?: (value: unknown) => object
  /** The versions of OpenAPI that have it. */
  versions?: RegExp
  /** Whether a finding says that the value is wrong. */
  isWrong: (finding: { rule: string; message: string }) => boolean
  /** Whether the service refuses the value. */
  isRefused: (planted: Planted) => boolean
}

const isEffectless = ({ rule, message }: { rule: string; message: string }): boolean =>
  rule === 'schemas' && /, so (it is never|no value is) valid\.$/.test(message)

const places: Record<string, Place> = {
  'a default': {
    keywords: (value) => ({ default: value }),
    isWrong: ({ rule }) => rule === 'defaults',
    isRefused: ({ operation }) => typeof reading(operation, { body: {}, type: 'application/json' }) === 'string',
  },
  'a value of an enum': {
    keywords: (value) => ({ enum: [value] }),
    isWrong: isEffectless,
    isRefused: (planted) => isRefusedInBody(planted) && isRefusedInAnswer(planted),
  },
  'a const': {
    keywords: (value) => ({ const: value }),
    versions: /^3\.[12]/,
    isWrong: isEffectless,
    isRefused: (planted) => isRefusedInBody(planted) && isRefusedInAnswer(planted),
  },
  'an example of a schema': {
    keywords: (value) => ({ example: value }),
    isWrong: ({ rule }) => rule === 'no-invalid-schema-examples',
    isRefused: (planted) => isRefusedInBody(planted) && isRefusedInAnswer(planted),
  },
  'an example of a body': {
    ofBody: (value) => ({ example: { planted: value } }),
    isWrong: ({ rule }) => rule === 'no-invalid-media-type-examples',
    isRefused: isRefusedInBody,
  },
  'an example of an answer': {
    ofAnswer: (value) => ({ examples: { planted: { value: { planted: value } } } }),
    isWrong: ({ rule }) => rule === 'no-invalid-media-type-examples',
    isRefused: isRefusedInAnswer,
  },
}

function isRefusedInBody({ operation, value }: Planted): boolean {
  return typeof reading(operation, { body: { planted: copyOf(value) }, type: 'application/json' }) === 'string'
}

function isRefusedInAnswer({ operation, value, faults }: Planted): boolean {
  try {
    operation.write({ status: 200, body: { planted: copyOf(value) } })
    return faults.length > 0
  } catch {
    return true
  }
}

/** A value anew, since the service fills in defaults. */
function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** A contract with an operation more, whose body and answer have a property of this schema, with this value. */
function withValue(
  { document }: Generated,
  schema: unknown,
  { value, at: { keywords, ofBody, ofAnswer } }: { value: unknown; at: Place },
): string {
  const property = keywords ? { allOf: [schema], ...keywords(value) } : schema
  const content = (beside: object = {}): object => ({
    'application/json': { schema: { type: 'object', properties: { planted: property } }, ...beside },
  })
  const planted = {
    operationId: 'planted',
    requestBody: { required: true, content: content(ofBody?.(value)) },
    responses: { '200': { description: 'Done.', content: content(ofAnswer?.(value)) } },
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

async function plantedIn(text: string, value: unknown): Promise<Planted> {
  const faults: unknown[] = []
  const { operations } = await compileContract(parseContract(text, 'contract.json'), {
    checked: true,
    checkResponses: false,
    onFault: (fault) => faults.push(fault),
    publicUrl: '',
  })
  const operation = operations.get('planted')
  if (!operation) throw new Error('The contract has no planted operation.')
  return { operation, value, faults }
}

test.each(Object.entries(places))('lint says of %s what the service does with it', async (_, at) => {
  const seed = 20261129
  let [right, wrong] = [0, 0]
  for (const contract of fc.sample(contracts, { numRuns: 150, seed })) {
    const body = bodyOf(contract)
    if (!body || at.versions?.test(String(contract.document.openapi)) === false) continue
    for (const sampled of fc.sample(body.values, { numRuns: 4, seed })) {
      const value = withoutBigints(sampled)
      if (value === undefined) continue
      const text = withValue(contract, body.schema, { value, at })
      writeFileSync(file, text)
      const isWrong = (await lintContract(file, { today: '2026-11-28', house: false })).some(at.isWrong)
      const isRefused = at.isRefused(await plantedIn(text, value))
      expect({ value, isWrong, text }).toEqual({ value, isWrong: isRefused, text })
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
