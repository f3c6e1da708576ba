import { expect } from '@jest/globals'
import type { CompiledOperation, Contract, RawRequest, ValidRequest } from '../../../src/contract/compiled.ts'
import { compileContract } from '../../../src/contract/contract.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { failure } from '../../../src/road/answer.ts'
import type { Files } from '../../../src/contract/model/files/files.ts'

const head = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v1' }]
security: [{ bearerAuth: [] }]
x-plans: { enterprise: custom }
paths:
`
const tail = `components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`

/** Responses of an operation, for contracts in which they do not matter. */
export const done = `responses: { '204': { description: Done. } }`

/** A contract whose `paths` begin in line 7, and whose components come last. */
export function contractText(paths: string, schemas = ''): string {
  return `${head}${paths}${tail}${schemas && `  schemas:\n${schemas}`}`
}

/** A contract of one operation, `getThing`, that begins in line 8; each line is a key of it, the first in line 10. */
export function withOperation(...lines: string[]): string {
  return contractText(`  /things:
    get:
      operationId: getThing
${lines.map((line) => `      ${line}\n`).join('')}`)
}

/** A contract of one operation with these parameters. */
export function withParameters(...all: string[]): string {
  return withOperation(`parameters: [${all.join(', ')}]`, done)
}

/** A contract of one operation that takes a body of this schema. */
export function withBody(schema: string, { required = true } = {}): string {
  const content = `{ application/json: { schema: ${schema} } }`
  return withOperation(`requestBody: { required: ${required}, content: ${content} }`, done)
}

/** The one file beside a contract. */
const files: Files = {
  text: (name) => (name === 'other.yaml' ? { text: 'Thing: { type: integer }\n' } : { why: 'missing' }),
  list: () => ['other.yaml'],
}

/** Compiles a contract. When `checked`, the rules do not judge it. */
export function compile(text: string, { checked = true } = {}): Promise<Contract> {
  return compileContract(parseContract(text, 'openapi.yaml', files), { checked, checkResponses: true, publicUrl: '' })
}

/** The one operation of a contract. */
export async function operationOf(text: string): Promise<CompiledOperation> {
  const { operations } = await compile(text)
  const [operation] = operations.values()
  if (!operation) throw new Error('The contract has no operation.')
  return operation
}

/** The values that an operation reads from a request, or the message of its 400. */
export function reading(operation: CompiledOperation, request: Partial<RawRequest>): ValidRequest | string {
  try {
    return operation.read({ values: [], query: '', headers: {}, body: undefined, ...request })
  } catch (error) {
    expect(failure(error)).toMatchObject({ status: 400, code: 'invalid_request' })
    return (error as Error).message
  }
}
