import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { run, start, testFolder, type Running } from '../support/process.ts'

const folder = testFolder()

const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v7' }]
security: [{ bearerAuth: [] }]
x-plans: { free: { perMinute: 60, perDay: 1000 } }
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: A thing.
          content:
            application/json:
              schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
        '404': { description: Not there. }
components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`

/** The address and the key of the command that a mock has printed. */
async function printed(mock: Running): Promise<{ address: string; headers: Record<string, string> }> {
  const [, address = '', key = ''] = await mock.until(/^ {2}curl -i '(\S+)' -H 'Authorization: Bearer (ak_\w{49})'$/m)
  return { address, headers: { Authorization: `Bearer ${key}` } }
}

describe('mock', () => {
  test.each([
    [
      'needs a key for one operation alone',
      'get',
      true,
      /^Here is an API key for it[^]*\/v7\/closed' -H 'Auth\S+ \S+ \S+\n/m,
    ],
    ['needs a key for no GET', 'put', true, /^Here is an API key for it[^]*\/v7\/closed' -H 'Auth.*' -X PUT\n/m],
    ['needs no key', 'get', false, /^No operation needs a key\. Try it:\n\n {2}curl -i 'http:\S+\/v7\/open'\n/m],
  ])('of a contract that %s prints a command that shows it, and has no quota', async (_, method, isClosed, told) => {
    const security = isClosed ? '[{ bearerAuth: [] }]' : '[]'
    const paths = `  /open: { get: { operationId: getOpen, security: [], responses: { '204': { description: Done. } } } }
  /closed: { ${method}: { operationId: getClosed, security: ${security}, responses: { '204': { description: Done. } } } }
`
    const file = join(folder, 'public.yaml')
    writeFileSync(file, contract.replace(/paths:\n[^]*components:/, `paths:\n${paths}components:`))
    const mock = start(['scripts/mock.ts', file], { PORT: '0' })
    const [, address = ''] = await mock.until(/ is mocked at (\S+):/)
    await mock.until(told)
    for (let sent = 0; sent < 70; sent += 1) expect((await fetch(`${address}/open`)).status).toBe(204)
    mock.child.kill('SIGTERM')
    expect(await mock.ended).toBe(0)
  })

  test('serves the contract of the project without a handler, and prints a command that works', async () => {
    // its folder for temporary files, to see that nothing stays
    const mock = start(['scripts/mock.ts'], { PORT: '0', TMPDIR: folder, NODE_ENV: 'production' })
    const { address, headers } = await printed(mock)
    expect(mock.stdout()).toMatch(
      /^openapi\.yaml is mocked at http:\/\/127\.0\.0\.1:\d+\/v1:\n\n {2}GET {4}\/pets listPets\n {2}POST {3}\/pets createPet\n/,
    )
    expect(address).toMatch(/\/v1\/pets$/)
    for (let sent = 0; sent < 200; sent += 1) {
      const answer = await fetch(address, { headers })
      expect({ status: answer.status, mock: answer.headers.get('x-mock') }).toEqual({ status: 200, mock: 'true' })
      await answer.arrayBuffer()
    }
    const missing = await fetch(`${address}/1`, { headers: { ...headers, Prefer: 'code=404' } })
    expect({ status: missing.status, body: await missing.json() }).toEqual({
      status: 404,
      body: { code: 'not_found', message: 'No animal has the id 42.', status: 404 },
    })
    expect((await fetch(address)).status).toBe(401)
    mock.child.kill('SIGTERM')
    expect({ code: await mock.ended, stderr: mock.stderr() }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(folder).filter((name) => name.startsWith('animal-store-mock'))).toEqual([])
  })

  test('serves another contract, with a path parameter filled in and a plan that has limits', async () => {
    const file = join(folder, 'things.yaml')
    writeFileSync(file, contract)
    const mock = start(['scripts/mock.ts', file], { PORT: '0' })
    const { address, headers } = await printed(mock)
    expect(address).toMatch(/\/v7\/things\/1$/)
    const answer = await fetch(address, { headers })
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
    expect(await answer.text()).toMatch(/^\{"id":\d+\}$/)
    mock.child.kill('SIGINT')
    expect(await mock.ended).toBe(0)
  })

  test('tells what it cannot serve of a contract, and serves the rest; with --strict it refuses', async () => {
    const file = join(folder, 'half.yaml')
    const paths = `  /a: { get: { operationId: getA, responses: { '204': { $ref: '#/components/responses/No' } } } }
  /b: { get: { operationId: getB, security: [], responses: { '204': { description: Done. } } } }
`
    writeFileSync(file, contract.replace(/paths:\n[^]*components:/, `paths:\n${paths}components:`))
    const why = 'The $ref "#/components/responses/No" leads to nothing. Add that part, or correct the name.'
    const mock = start(['scripts/mock.ts', file], { PORT: '0' })
    const [, address = ''] = await mock.until(/curl -i '(\S+)'/)
    expect(mock.stdout().split('\n').slice(0, 3)).toEqual([
      `half.yaml:7:57 GET /a is not served: ${why}`,
      '',
      'What this line names answers 501.',
    ])
    expect(mock.stdout()).toMatch(/^half\.yaml is mocked at \S+:\n\n {2}GET {4}\/b getB\n\n/m)
    expect((await fetch(address)).status).toBe(204)
    expect((await fetch(address.replace(/b$/, 'a'))).status).toBe(501)
    mock.child.kill('SIGTERM')
    expect(await mock.ended).toBe(0)
    const { code, stdout, stderr } = await run(['scripts/mock.ts', '--strict', file], { PORT: '0' })
    expect({ code, stdout, stderr: stderr.trim() }).toEqual({ code: 2, stdout: '', stderr: `half.yaml:7:57 ${why}` })
  })

  test.each<[string, string[], RegExp]>([
    ['a file that is not there', ['missing.yaml'], /missing\.yaml/],
    ['two files', ['a.yaml', 'b.yaml'], /^error: too many arguments\. Expected 1 argument but got 2\./],
    ['an unknown flag', ['--loud'], /--loud/],
    ['a contract that is none', ['package.json'], /^package\.json:1:1 The file names no version of OpenAPI\./],
  ])('refuses %s in a sentence, with 2', async (_, args, message) => {
    const { code, stdout, stderr } = await run(['scripts/mock.ts', ...args], { PORT: '0', TMPDIR: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trim()).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(readdirSync(folder).filter((name) => name.startsWith('animal-store-mock'))).toEqual([])
  })
})
