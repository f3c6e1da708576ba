import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../src/contract/model/files/document.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import type { Operation } from '../../src/contract/model/operation.ts'
import { codeOf } from '../../src/failure.ts'

/** Writes a handler and its test for each operation that lacks them. Returns their names; what is there is not changed. */
export function writeStubs(root: string, contract: ContractDocument): string[] {
  return modelOf(contract).operations.flatMap((operation) => {
    const handler = `src/handlers/${operation.operationId}.ts`
    if (!writeNew(join(root, handler), handlerOf(operation))) return []
    const test = `test/handlers/${operation.operationId}.test.ts`
    return writeNew(join(root, test), testOf(operation)) ? [handler, test] : [handler]
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

function handlerOf({ operationId }: Operation): string {
  return `import { operation } from '../contract/operation.ts'

export const ${operationId} = operation('${operationId}', () => {
  throw new Error('The handler of ${operationId} is not written yet.')
})
`
}

function testOf({ operationId, method, path, responses, body: declared }: Operation): string {
  const status = [...responses.keys()].find((one) => /^2\d\d$/.test(one)) ?? '200'
  const call = `service.call('${method}', '${path.replace(/\{[^}]*\}/g, '1')}')`
  const body = exampleOf(declared)
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
function exampleOf(body: Operation['body']): string | undefined {
  const media = body?.content.find(({ name }) => name === 'application/json')
  if (!media) return undefined
  return stringify(media.node.example ?? media.schema?.get('example') ?? {}) ?? '{}'
}

/** A text as TypeScript has it. */
export function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
