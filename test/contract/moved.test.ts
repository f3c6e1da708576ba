import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { handlers } from '../../generated/handlers.ts'
import { typesOf } from '../../scripts/generate/generated.ts'
import { lintContract } from '../../scripts/workshop/lint/lint.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { compare } from '../support/contracts/diff.ts'
import { movedTo31 } from '../support/contracts/moved.ts'
import { testFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const own = readFileSync(fileURLToPath(new URL('../../openapi.yaml', import.meta.url)), 'utf8')
const moved = movedTo31(own)
const contractFile = join(testFolder(), 'openapi.yaml')
writeFileSync(contractFile, moved)

const now = (): number => Date.parse('2026-11-28T12:00:00Z')
let services: [TestService, TestService]
beforeAll(async () => {
  services = [await startService({}, { now }), await startService({}, { contractFile, handlers, now })]
})
afterAll(async () => {
  for (const service of services) await service.stop()
})

type Method = 'get' | 'post' | 'put' | 'delete' | 'head' | 'options'
const requests: [method: Method, path: string, body?: string][] = [
  ['post', '/pets', '{"name":"Rex","categoryId":7}'],
  ['post', '/pets', '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}'],
  ['post', '/pets', '{"name":"Rex","categoryId":9007199254740993,"status":"pending"}'],
  ['post', '/pets', '{"name":"Rex","categoryId":1.0}'],
  ['post', '/pets', '{"name":"Rex","categoryId":1e2}'],
  ['post', '/pets', '{"name":"Rex","categoryId":9223372036854775808}'],
  ['post', '/pets', '{"name":"Rex","categoryId":-9223372036854775809}'],
  ['post', '/pets', '{"name":"Rex","categoryId":1.5}'],
  ['post', '/pets', '{"name":"Rex","categoryId":"7"}'],
  ['post', '/pets', '{"name":"Rex","categoryId":null}'],
  ['post', '/pets', '{"name":"","categoryId":7}'],
  ['post', '/pets', '{"name":" ","categoryId":7}'],
  ['post', '/pets', `{"name":"${'x'.repeat(256)}","categoryId":7}`],
  ['post', '/pets', '{"name":7,"categoryId":7}'],
  ['post', '/pets', '{"name":null,"categoryId":7}'],
  ['post', '/pets', '{"name":"Rex"}'],
  ['post', '/pets', '{}'],
  ['post', '/pets', '[]'],
  ['post', '/pets', 'null'],
  ['post', '/pets', '{"name":"Rex","categoryId":7,"status":"lost"}'],
  ['post', '/pets', '{"name":"Rex","categoryId":7,"status":null}'],
  ['post', '/pets', '{"name":"Rex","categoryId":7,"other":1}'],
  ['post', '/pets', '{"name":"Rex","categoryId":7,"id":1}'],
  ['post', '/pets', '{"name":"Rex","name":"Max","categoryId":7}'],
  ['post', '/pets', '{"name":'],
  ['post', '/pets?a=1', '{"name":"Rex","categoryId":7}'],
  ['get', '/pets'],
  ['get', '/pets?limit=1'],
  ['get', '/pets?limit=100&status=sold'],
  ['get', '/pets?limit=0'],
  ['get', '/pets?limit=101'],
  ['get', '/pets?limit=01'],
  ['get', '/pets?limit=1e1'],
  ['get', '/pets?limit='],
  ['get', '/pets?limit=1&limit=2'],
  ['get', '/pets?status=lost'],
  ['get', '/pets?status='],
  ['get', '/pets?cursor=x'],
  ['get', '/pets?other=1'],
  ['get', '/pets?limit=x&status=y'],
  ['get', '/pets/1'],
  ['get', '/pets/3'],
  ['get', '/pets/9223372036854775807'],
  ['get', '/pets/9223372036854775808'],
  ['get', '/pets/x'],
  ['get', '/pets/01'],
  ['head', '/pets/1'],
  ['options', '/pets'],
  ['put', '/pets'],
  ['get', '/none'],
]

test('our own contract in the spelling of OpenAPI 3.1 makes the same service', async () => {
  for (const [method, path, body] of requests) {
    const answers = []
    for (const service of services) {
      const request = service.call(method, path)
      const { status, headers, text } =
        body === undefined ? await request : await request.set('Content-Type', 'application/json').send(body)
      const named = headers as Record<string, string>
      answers.push({
        status,
        text,
        type: named['content-type'],
        link: named.link,
        allow: named.allow,
        sunset: named.sunset,
      })
    }
    expect([method, path, body, answers[1]]).toEqual([method, path, body, answers[0]])
  }
})

test('our own contract in the spelling of OpenAPI 3.1 has the same types, apart from comments', async () => {
  const types = async (text: string): Promise<string> =>
    (await typesOf(parseContract(text, 'openapi.yaml'))).replaceAll(/\/\*\*[^]*?\*\/\s*/g, '')
  expect(moved).toContain('"const": "Bearer"')
  expect(await types(moved)).toBe(await types(own))
})

test('our own contract in the spelling of OpenAPI 3.1 is sound, and no change for clients', async () => {
  expect(await lintContract(contractFile, { today: '2026-11-28', house: true })).toEqual([])
  const { changes, passed } = await compare(own, moved)
  expect({ changes, passed }).toEqual({ changes: [], passed: true })
})
