import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../src/contract/model/files/document.ts'
import { declaredOperations, type DeclaredOperation } from '../../src/contract/model/operations.ts'
import { locate, nodeOf, targetOf } from '../../src/contract/model/tree.ts'
import { codeOf } from '../../src/failure.ts'

/** Writes a handler and its test for each operation that lacks them. Returns their names; what is there is not changed. */
export function writeStubs(root: string, contract: ContractDocument): string[] {
  return declaredOperations(contract).flatMap((operation) => {
    const handler = `src/handlers/${operation.operationId}.ts`
    if (!writeNew(join(root, handler), handlerOf(operation))) return []
    const test = `test/handlers/${operation.operationId}.test.ts`
    return writeNew(join(root, test), testOf(contract, operation)) ? [handler, test] : [handler]
  })
}

/** Writes a file unless it exists. */
function writeNew(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function handlerOf({ operationId }: DeclaredOperation): string {
  return `import { operation } from '../contract/operation.ts'

export const ${operationId} = operation('${operationId}', () => {
  throw new Error('The handler of ${operationId} is not written yet.')
})
`
}

function testOf({ root }: ContractDocument, { operationId, method, path, at }: DeclaredOperation): string {
  const node = nodeOf(locate(root, at).value)
  const status = Object.keys(nodeOf(node.responses)).find((one) => /^2\d\d$/.test(one)) ?? '200'
  const call = `service.call('${method}', '${path.replace(/\{[^}]*\}/g, '1')}')`
  const body = exampleOf(root, node.requestBody)
  const sent = body === undefined ? call : `${call}.type('json').send(\n      ${quoted(body)},\n    )`
  return `import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('${operationId}', () => {
  test('answers ${status}', async () => {
    const { status } = await ${sent}
    expect(status).toBe(${status})
  })
})
`
}

/** The example of a JSON body, as JSON; an empty object without one, and undefined when there is no such body. */
function exampleOf(root: ContractDocument['root'], requestBody: unknown): string | undefined {
  const media = nodeOf(targetOf(root, requestBody)?.node.content)['application/json']
  if (media === undefined) return undefined
  const { example, schema } = nodeOf(media)
  return stringify(example ?? targetOf(root, schema)?.node.example ?? {}) ?? '{}'
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
