import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { requestOf } from '../../../src/http/pages/assets/request.js'
import { sampleIn } from '../../../src/http/pages/assets/samples.js'
import { describedContract } from '../../../src/http/pages/reference/described.ts'
import { requestForm } from '../../../src/http/pages/reference/fields.ts'
import { startContract } from '../../support/contracts/echo.ts'
import { testFolder, works } from '../../support/process.ts'
import type { TestService } from '../../support/service.ts'

// each sample is a program that is started
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = testFolder()

const done = `responses: { '200': { description: Done., content: { application/json: { schema: { type: object } } } } }`
const contract = `openapi: 3.0.3
info: { title: Samples, version: '1' }
servers: [{ url: /v1 }]
paths:
  /things/{id}:
    put:
      operationId: json
      security: [{ Bearer: [] }]
      parameters:
        - { name: id, in: path, required: true, schema: { type: string, example: "a b'c" } }
        - { name: q, in: query, required: true, schema: { type: array, items: { type: string }, example: ["'1'", '"2" & $3'] } }
        - { name: Idempotency-Key, in: header, schema: { type: string } }
      requestBody:
        required: true
        content: { application/json: { schema: { type: object }, example: { name: "it's \`a\` \\"b\\" \\\\ \\u00e9", large: 9007199254740993, none: null, yes: true } } }
      ${done}
  /form:
    post:
      operationId: form
      security: [{ Header: [] }]
      requestBody:
        content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string, example: "b & c='d'" } } } } }
      ${done}
  /basic: { get: { operationId: basic, security: [{ Basic: [] }], ${done} } }
  /query: { get: { operationId: query, security: [{ Query: [] }], ${done} } }
components:
  securitySchemes:
    Bearer: { type: http, scheme: bearer }
    Basic: { type: http, scheme: basic }
    Header: { type: apiKey, in: header, name: X-Key }
    Query: { type: apiKey, in: query, name: key }
`
const names = ['json', 'form', 'basic', 'query']

let service: TestService
/** What the service received last: the operation with its values. */
let received: unknown
beforeAll(async () => {
  service = await startContract(contract, names, async ({ path, query, body }) => {
    received = JSON.parse(
      JSON.stringify({ path, query, body }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
    return { status: 200, body: {} }
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => service.stop())

/** The programs that run a sample of a language. */
const programs: Record<string, { file: string; command: string[]; tool: string[] }> = {
  curl: { file: 'sample.sh', command: ['bash'], tool: ['curl', '--version'] },
  JavaScript: { file: 'sample.mjs', command: [process.execPath], tool: [process.execPath, '-v'] },
  TypeScript: { file: 'sample.ts', command: [process.execPath, '--import', 'tsx'], tool: [process.execPath, '-v'] },
  Python: { file: 'sample.py', command: ['python3'], tool: ['python3', '-c', 'import requests'] },
  Go: { file: 'sample.go', command: ['go', 'run'], tool: ['go', 'version'] },
}

describe.each(Object.entries(programs))('a sample in %s', (language, { file, command, tool }) => {
  const [program = '', ...flags] = tool
  const testWithTool = works(program, flags) ? test : test.skip

  testWithTool.each([
    [undefined, 'the key of the environment'],
    ['key', 'a key in the sample'],
  ])('sends what its operation has, to the last character, with %s (%s)', async (shown, _what) => {
    const address = `http://127.0.0.1:${service.port}`
    const served = await (await fetch(`${address}/openapi.json`)).text()
    const { tags } = describedContract(served)
    for (const operation of tags.flatMap(({ operations }) => operations)) {
      const form = requestForm(operation)
      const values = Object.fromEntries([
        ...form.parameters.map((one): [string, string] => [`${one.in}.${one.name}`, one.value]),
        ...(form.body?.fields ?? []).map((one): [string, string] => [`body.${one.name}`, one.value]),
        ['body', form.body?.value ?? ''] as [string, string],
      ])
      const key = shown === undefined ? undefined : service.key
      const cwd = join(folder, `${language}-${operation.operationId}-${String(shown)}`)
      mkdirSync(cwd)
      writeFileSync(join(cwd, file), sampleIn(language, requestOf(form, values, address), key))
      received = undefined
      const printed = await run([...command, file], cwd)
      expect({ operation: operation.operationId, printed, received }).toEqual({
        operation: operation.operationId,
        printed: expect.stringMatching(language === 'TypeScript' && form.body?.kind !== 'fields' ? /^\{\}\n$/ : /200/),
        received:
          language === 'TypeScript' ? rounded(expected[operation.operationId]) : expected[operation.operationId],
      })
    }
  })
})

const expected: Record<string, unknown> = {
  json: {
    path: { id: "a b'c" },
    query: { q: ["'1'", '"2" & $3'] },
    body: { name: 'it\'s `a` "b" \\ é', large: '9007199254740993', none: null, yes: true },
  },
  form: { path: {}, query: {}, body: { a: "b & c='d'" } },
  basic: { path: {}, query: {} },
  query: { path: {}, query: {} },
}

/** What JavaScript makes of numbers, which openapi-fetch takes as values. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace('9007199254740993', '9007199254740992'))
}

function run([program = '', ...args]: string[], cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, API_KEY: service.key }
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
      resolve(error ? `${stdout}${stderr}` : stdout)
    })
  })
}
