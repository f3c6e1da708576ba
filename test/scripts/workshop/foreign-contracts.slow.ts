import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { Finding } from '../../../scripts/workshop/finding.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'animal-store-foreign-'))

afterAll(() => {
  rmSync(folder, { recursive: true })
})

/**
 * What contracts of others have and ours may not: names that are no identifiers (GitHub), formats of their own (Stripe),
 * HEAD operations (Kubernetes), answers that are no JSON (DocuSign), other security and schemas that contain themselves
 * (Jira).
 */
const foreign = `openapi: 3.0.0
info: { title: Foreign, version: '1' }
servers: [{ url: https://api.example }]
security: [{ token: [] }]
paths:
  /:
    get:
      operationId: meta/root
      parameters:
        - { name: since, in: query, schema: { type: integer, format: unix-time, default: 0 } }
        - $ref: '#/components/parameters/page'
      responses:
        '200':
          description: The root.
          content:
            application/json: { schema: { $ref: '#/components/schemas/tree' } }
            text/plain: { schema: { type: string } }
        2XX: { description: Anything else. }
    head:
      operationId: AddonProperties.head_1
      responses:
        '204': { description: There. }
components:
  parameters:
    page: { name: page, in: query, schema: { type: string, default: first } }
  schemas:
    tree:
      type: object
      properties:
        size: { type: integer, format: int64, example: 9007199254740993 }
        owner: { oneOf: [{ type: string }, { $ref: '#/components/schemas/tree' }], description: Who. }
        children: { type: array, items: { $ref: '#/components/schemas/tree' } }
  securitySchemes:
    token: { type: apiKey, in: header, name: X-Token }
`

function written(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

function run(script: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', `scripts/${script}`, ...args],
      { cwd: root },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
  })
}

describe('a contract that is not ours', () => {
  test('gets its types', async () => {
    const out = join(folder, 'types')
    const file = written('foreign.yaml', foreign)
    expect(await run('generate.ts', file, '--out', out)).toMatchObject({ code: 0, stderr: '' })
    const types = readFileSync(join(out, 'openapi.d.ts'), 'utf8')
    expect(types).toContain('from foreign.yaml')
    expect(types).toContain('readonly size?: Int64')
    expect(types).toContain('metaRoot: "since" | "page";')
    expect(await run('generate.ts', file, '--out', out, '--check')).toMatchObject({ code: 0 })
    writeFileSync(file, foreign.replace('default: 0', 'maximum: 9'))
    expect(await run('generate.ts', file, '--out', out, '--check')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${out}/openapi.d.ts is stale: foreign.yaml has changed.`),
    })
  })

  test('is linted to its end', async () => {
    const file = written('lint.yaml', foreign)
    const { code, stdout, stderr } = await run('contract-lint.ts', file, '--format', 'json')
    // what OpenAPI allows is no error where the house rules do not apply
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rulesOf = (output: string): string[] =>
      (JSON.parse(output) as { findings: Finding[] }).findings.map(({ rule }) => rule)
    expect(rulesOf(stdout)).toEqual([])
    const house = ['operation-id-camel-case', 'declared-statuses']
    const strict = await run('contract-lint.ts', file, '--format', 'json', '--house')
    expect(strict.code).toBe(1)
    expect(rulesOf(strict.stdout)).toEqual(expect.arrayContaining(house))
  })

  test('is compared with its successor', async () => {
    const base = written('base.yaml', foreign)
    const head = written(
      'head.yaml',
      foreign.replace('default: first', 'default: last').replace("version: '1'", "version: '2'"),
    )
    const { code, stdout, stderr } = await run('contract-diff.ts', base, '--head', head)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/head\.yaml:\d+:\d+ .*query parameter page.*default/)
  })

  test.each([
    ['is no YAML', 'a: [1'],
    ['has a reference to nothing', foreign.replace('schemas/tree', 'schemas/none')],
    ['has another version', foreign.replace('3.0.0', '3.3.0')],
  ])('that %s overwrites nothing', async (_, text) => {
    const out = mkdtempSync(join(folder, 'kept-'))
    writeFileSync(join(out, 'openapi.d.ts'), 'kept')
    const { code, stdout, stderr } = await run('generate.ts', written('broken.yaml', text), '--out', out)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^broken\.yaml:\d+:\d+ /)
    expect(readFileSync(join(out, 'openapi.d.ts'), 'utf8')).toBe('kept')
  })
})
