import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runCommand } from '../../support/process.ts'
import { parse } from 'yaml'
import { copyProject, type ProjectCopy } from '../../support/project.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(root, 'docs/contract-workshop.md'), 'utf8')
const [, hook = ''] = /```sh\n(#!\/bin\/sh\n[^]*?)```/.exec(page) ?? []

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  cpSync(join(root, 'redocly.yaml'), join(project.folder, 'redocly.yaml'))
  writeFileSync(join(project.folder, '.gitignore'), 'node_modules\n')
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git(...author, 'commit', '--quiet', '--message', 'Start')
  git('checkout', '--quiet', '-b', 'work')
  writeFileSync(join(project.folder, '.git/hooks/pre-commit'), hook)
  chmodSync(join(project.folder, '.git/hooks/pre-commit'), 0o755)
})
afterAll(() => {
  project.remove()
})

const author = ['-c', 'user.name=Hook', '-c', 'user.email=hook@localhost']

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: project.folder })
}

async function commit(...which: string[]): Promise<{ code: unknown; said: string }> {
  const args = [...author, 'commit', '--quiet', '--message', 'Change', ...which]
  const { code, stdout, stderr } = await runCommand('git', args, { cwd: project.folder, env: process.env })
  return { code, said: stdout + stderr }
}

/* One story: the contract stays as the test before left it. */
describe('the hook of the page', () => {
  test('stops a commit with a faulty contract', async () => {
    project.edit('openapi.yaml', 'operationId: createPet', 'operationId: CreatePet')
    expect(await commit('--all')).toEqual({ code: 1, said: expect.stringContaining('(operation-id-camel-case)') })
    project.edit('openapi.yaml', 'operationId: CreatePet', 'operationId: createPet')
  })

  test('stops a commit with generated files of another contract', async () => {
    project.edit('openapi.yaml', 'Maximum number of animals returned.', 'The most animals returned.')
    expect(await commit('--all')).toEqual({ code: 1, said: expect.stringContaining('is stale') })
  })

  test('looks at what is staged, and not at the folder', async () => {
    git('checkout', '--quiet', '--', '.')
    project.edit('openapi.yaml', 'operationId: createPet', 'operationId: CreatePet')
    git('add', '--all')
    project.edit('openapi.yaml', 'operationId: CreatePet', 'operationId: createPet')
    expect(await commit()).toEqual({ code: 1, said: expect.stringContaining('(operation-id-camel-case)') })
    git('reset', '--quiet', '--hard')
    project.edit('openapi.yaml', '            maximum: 100', '            maximum: 50')
    git('add', '--all')
    project.edit('openapi.yaml', '            maximum: 50', '            maximum: 100')
    expect(await commit()).toEqual({
      code: 1,
      said: expect.stringContaining('upper bound changed from <= 100 to <= 50'),
    })
    git('reset', '--quiet', '--hard')
    project.edit('openapi.yaml', 'Maximum number of animals returned.', 'The most animals returned.')
  })

  test('stops a commit without the generated files that the folder has', async () => {
    expect(await project.generate()).toMatchObject({ code: 0 })
    git('add', 'openapi.yaml')
    expect(await commit()).toEqual({
      code: 1,
      said: expect.stringMatching(
        /generated\/openapi\.d\.ts is stale: openapi\.yaml has changed\.\n[^]*npm run generate/,
      ),
    })
  })

  test('lets a sound change pass', async () => {
    expect(await commit('--all')).toMatchObject({ code: 0 })
  })
})

/* The hooks of .pre-commit-hooks.yaml, run as pre-commit does it: in the root of the repository. */
describe('the hooks of other repositories', () => {
  const hooks = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as Record<string, unknown>[]
  const entryOf = (id: string): string[] => {
    const entry = String(hooks.find((one) => one.id === id)?.entry)
    expect(entry).toMatch(/^npx --no animal-store contract /)
    return entry.split(' ').slice(4)
  }
  let folder: string
  beforeAll(() => {
    folder = join(project.folder, 'other')
    mkdirSync(join(folder, 'api'), { recursive: true })
    inOther('init', '--quiet', '--initial-branch=main')
  })
  const inOther = (...args: string[]): string =>
    execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' })
  const hook = (id: string, ...args: string[]): Promise<{ code: unknown; said: string }> => run(...entryOf(id), ...args)
  const run = async (...args: string[]): Promise<{ code: unknown; said: string }> => {
    const script = ['--import', 'tsx', join(root, 'scripts/animal-store.ts'), 'contract', ...args]
    const { code, stdout, stderr } = await runCommand(process.execPath, script, { cwd: folder, env: process.env })
    return { code, said: stdout + stderr }
  }
  const contract = (maximum: number): string => `openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: listThings
      parameters: [{ name: limit, in: query, schema: { type: integer, maximum: ${maximum} } }]
      responses: { '204': { description: Done. } }
components: { schemas: { Thing: { $ref: 'thing.yaml' } } }
`
  const write = (text: string): void => {
    writeFileSync(join(folder, 'api/openapi.yaml'), text)
    writeFileSync(join(folder, 'api/thing.yaml'), 'type: object\n')
  }
  const file = 'api/openapi.yaml'

  test('say what is not staged, with 2', async () => {
    write(contract(100))
    expect(await hook('contract-lint', file)).toEqual({
      code: 2,
      said: `${file} is not in the index of git. Add it: git add ${file}\n`,
    })
  })

  test('pass a new contract, of which each file is read from the index', async () => {
    inOther('add', '--all')
    rmSync(join(folder, 'api/thing.yaml'))
    expect(await hook('contract-lint', file)).toMatchObject({ code: 0 })
    expect(await hook('contract-diff', '--head', file)).toEqual({
      code: 0,
      said: `${file} is new, so there is nothing to compare it with.\n`,
    })
    inOther('commit', '--quiet', '--message', 'Start')
  })

  test('find what is staged alone, and pass what is not staged', async () => {
    inOther('checkout', '--quiet', '-b', 'work')
    write(contract(50))
    expect(await hook('contract-diff', '--head', file)).toMatchObject({ code: 0 })
    inOther('add', '--all')
    write(contract(100))
    expect(await hook('contract-diff', '--head', file)).toEqual({
      code: 1,
      said: expect.stringContaining('api/openapi.yaml:7:71 GET /things, query parameter limit: upper bound changed'),
    })
    write(contract(100).replace('paths:', 'path:'))
    expect(await hook('contract-lint', file)).toMatchObject({ code: 0 })
    inOther('add', '--all')
    expect(await hook('contract-lint', file)).toEqual({ code: 1, said: expect.stringContaining('(struct)') })
  })

  test('stop a commit with a contract and without its types', async () => {
    write(contract(70))
    const check = (): Promise<{ code: unknown; said: string }> => hook('contract-generate', file, '--out', 'types')
    expect(await run('generate', file, '--out', 'types')).toMatchObject({ code: 0 })
    inOther('add', 'api')
    expect(await check()).toEqual({ code: 1, said: expect.stringContaining('types/openapi.d.ts is missing.') })
    inOther('add', 'types')
    rmSync(join(folder, 'types'), { recursive: true })
    expect(await check()).toEqual({ code: 0, said: 'types/ is up to date with openapi.yaml (1 operation).\n' })
    write(contract(80).replace('maximum: 80', 'maximum: 80, default: 7'))
    inOther('add', 'api')
    expect(await check()).toEqual({ code: 1, said: expect.stringContaining('types/openapi.d.ts is stale') })
    expect(await hook('contract-generate')).toMatchObject({ code: 2 })
  })
})
