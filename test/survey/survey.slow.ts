import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { run } from '../support/process.ts'
import { judge } from './judge.ts'

const contracts = fileURLToPath(new URL('../support/contracts', import.meta.url))
// it comes from a package registry, which may not be in reach
const found = await judge()
const missing = 'missing' in found ? found.missing : undefined
if (missing !== undefined) console.warn(`The survey is skipped: ${missing}`)
const describeJudged = missing === undefined ? describe : describe.skip

describeJudged('survey', () => {
  beforeAll(async () => {
    expect(await run(['scripts/build.js', '--if-changed'])).toMatchObject({ code: 0 })
  })

  test('the contracts of the tests are served, answered validly, and refuse no valid request', async () => {
    const { code, stdout } = await run(['test/survey/survey.ts', contracts, '--calls', '6'])
    const rows = stdout
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/ {2,}/))
    const served = (name: string, errors: string, operations: string, valid: string): string[] => {
      return [name, '1.0.0', errors, operations, '100 %', operations, valid, '0', '0', 'starts']
    }
    expect(rows.slice(1)).toEqual([
      served('found.yaml', '2', '3', '17'),
      served('jsonplaceholder.yaml', '0', '30', '180'),
      served('odd-resources.yaml', '0', '6', '36'),
    ])
    expect(code).toBe(0)
  })

  test.each(['3.0.3', '3.1.0'])('what is not valid by a schema of OpenAPI %s is told', async (version) => {
    if ('missing' in found) throw new Error(found.missing)
    const text = `openapi: ${version}
info: { title: T, version: '1' }
paths: {}
components:
  schemas:
    Size: { type: integer, minimum: 3 }
    Thing:
      type: object
      required: [size, secret]
      properties:
        size: { $ref: '#/components/schemas/Size' }
        secret: { type: string, writeOnly: true }
        at: { type: string, format: date-time }
`
    const at = ['components', 'schemas', 'Thing']
    const said = await found(parseContract(text, join(contracts, 'judged.yaml')), [
      { at, way: 'answer', text: '{ "size": 3 }' },
      { at, way: 'request', text: '{ "size": 3 }' },
      { at, way: 'answer', text: '{ "size": 2 }' },
      { at, way: 'answer', text: '{ "size": 3, "at": "today" }' },
      { at, way: 'answer', text: '{' },
    ])
    expect(said).toEqual([
      null,
      expect.stringContaining('"secret" is a required property'),
      expect.stringContaining('2 is less than the minimum of 3'),
      expect.stringContaining('"today" is not a "date-time"'),
      expect.stringMatching(/^not judged: /),
    ])
  })
})
