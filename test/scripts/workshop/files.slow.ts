import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const top = mkdtempSync(join(tmpdir(), 'contract files #1 '))
const contract = join(top, 'api', 'openapi.yaml')
const asked: string[] = []
let network: Server
let address: string

beforeAll(async () => {
  network = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('type: string\n')
  })
  await new Promise<void>((listening) => network.listen(0, '127.0.0.1', listening))
  address = `http://127.0.0.1:${(network.address() as AddressInfo).port}`
  for (const [name, text] of Object.entries(files())) write(name, text)
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', 'Start')
})
afterAll(async () => {
  await new Promise((closed) => network.close(closed))
  rmSync(top, { recursive: true })
})

function files(): Record<string, string> {
  return {
    'api/openapi.yaml': `openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
servers: [{ url: 'https://api.test/v1' }]
security: [{ key: [] }]
paths:
  /things/{id}: { $ref: 'paths/a thing.yaml' }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
x-more: { $ref: '${address}/extension', of: { $ref: none.yaml } }
`,
    'api/paths/a thing.yaml': `get:
  operationId: getThing
  parameters:
    - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
  responses:
    '200':
      description: The thing.
      content:
        application/json:
          schema: { $ref: ../../common.json#/Thing }
          example: { name: Rex, data: { $ref: '${address}/example' } }
`,
    'common.json': `{
  "Thing": {
    "type": "object",
    "required": ["name"],
    "properties": {
      "name": { "$ref": "#/Name" },
      "data": { "default": { "$ref": "${address}/default" } }
    }
  },
  "Name": { "type": "string", "maxLength": 9 }
}
`,
  }
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true })
  writeFileSync(join(top, name), text)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: top, encoding: 'utf8' })
}

function run(script: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const command = ['--import', 'tsx', `scripts/${script}`, ...args, '--outside-files']
    execFile(process.execPath, command, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe('a contract of several files, in a folder with a space and #,', () => {
  test('is sound, is compared and gets its types, without a request for what looks like a reference', async () => {
    expect(await run('contract-lint.ts', contract)).toEqual({ code: 0, stdout: 'The contract is sound.\n', stderr: '' })
    expect(await run('contract-diff.ts', 'HEAD', '--head', contract)).toMatchObject({ code: 0, stderr: '' })
    const out = join(top, 'types')
    expect(await run('generate.ts', contract, '--out', out)).toMatchObject({ code: 0, stderr: '' })
    const types = readFileSync(join(out, 'openapi.d.ts'), 'utf8')
    expect(types).toContain('readonly "application/json": components["schemas"]["Thing"];')
    expect(types).toContain('readonly id: Int64;')
    expect(await run('contract-lint.ts', '--served', contract)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 of 1 operations would be served \(100 %\)\.$/m),
    })
    expect(asked).toEqual([])
  })

  test('has its faults told at the file and line, each once', async () => {
    write('common.json', (files()['common.json'] ?? '').replace('"maxLength": 9', '"maxLength": 2'))
    write(
      'api/paths/a thing.yaml',
      (files()['api/paths/a thing.yaml'] ?? '').replace('in: path', 'in: path, style: form'),
    )
    const { code, stdout } = await run('contract-lint.ts', contract, '--format', 'json')
    write('common.json', files()['common.json'] ?? '')
    write('api/paths/a thing.yaml', files()['api/paths/a thing.yaml'] ?? '')
    expect(code).toBe(1)
    const { findings } = JSON.parse(stdout) as {
      findings: { rule: string; place: { file: string; line: number } }[]
    }
    expect(findings.map(({ rule, place: { file, line } }) => `${file.slice(top.length + 1)}:${line} ${rule}`)).toEqual([
      'api/paths/a thing.yaml:4 engine',
      'api/paths/a thing.yaml:11 no-invalid-media-type-examples',
    ])
  })

  test('has the anchors of all its files told by the house rules', async () => {
    const [own, other] = ['api/openapi.yaml', 'api/paths/a thing.yaml'] as const
    write(own, (files()[own] ?? '').replace('key: {', 'key: &key {'))
    write(other, (files()[other] ?? '').replace('- {', '- &id {'))
    const { stdout } = await run('contract-lint.ts', contract, '--house')
    for (const name of [own, other]) write(name, files()[name] ?? '')
    const told = stdout.split('\n').filter((line) => line.endsWith('(anchors)'))
    expect(told.map((line) => line.slice(top.length + 1).split('. ')[0])).toEqual([
      'api/openapi.yaml:8:22 error The contract has the YAML anchor key',
      'api/paths/a thing.yaml:4:11 error The contract has the YAML anchor id',
    ])
  })

  test('has the changes of its other files told, against the files of a commit', async () => {
    write('common.json', (files()['common.json'] ?? '').replace('"maxLength": 9', '"maxLength": 20'))
    const changed = await run('contract-diff.ts', 'HEAD', '--head', contract)
    expect(changed).toMatchObject({ code: 1, stderr: '' })
    expect(changed.stdout).toContain(`${join(top, 'common.json')}:10:31 schema Name in responses: `)
    // the files of the commit, and not those on disk
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--all', '--message', 'Two')
    expect((await run('contract-diff.ts', 'HEAD', '--head', contract)).stdout).toContain('0 breaking')
    expect((await run('contract-diff.ts', 'HEAD~1', '--head', contract)).code).toBe(1)
  })

  test('without one of its files is refused by every command, with the nearest name', async () => {
    git('mv', 'common.json', 'comon.json')
    const told = `:10:21 The $ref "../../common.json#/Thing" leads to a file that is not there. Did you mean "../../comon.json"?`
    const out = join(top, 'none')
    for (const args of [
      ['contract-diff.ts', 'HEAD', '--head', contract],
      ['generate.ts', contract, '--out', out],
      ['mock.ts', '--strict', contract],
    ]) {
      const [script = '', ...rest] = args
      const { code, stderr } = await run(script, ...rest)
      expect({ args, code, stderr }).toEqual({
        args,
        code: expect.any(Number),
        stderr: expect.stringContaining(`a thing.yaml${told}`),
      })
      expect(code).toBeGreaterThan(0)
    }
    const { code, stdout } = await run('contract-lint.ts', contract)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^[^\n]* error [^\n]*\n1 error, 0 warnings\.\n$/),
    })
    expect(stdout).toContain(told.replace(' The', ' error The'))
  })
})
