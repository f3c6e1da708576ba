import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runCommand } from '../../support/process.ts'
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

async function commit(): Promise<{ code: unknown; said: string }> {
  const args = [...author, 'commit', '--quiet', '--all', '--message', 'Change']
  const { code, stdout, stderr } = await runCommand('git', args, { cwd: project.folder, env: process.env })
  return { code, said: stdout + stderr }
}

/* One story: the contract stays as the test before left it. */
describe('the hook of the page', () => {
  test('stops a commit with a faulty contract', async () => {
    project.edit('openapi.yaml', 'operationId: createPet', 'operationId: CreatePet')
    expect(await commit()).toEqual({ code: 1, said: expect.stringContaining('(operation-id-camel-case)') })
    project.edit('openapi.yaml', 'operationId: CreatePet', 'operationId: createPet')
  })

  test('stops a commit with generated files of another contract', async () => {
    project.edit('openapi.yaml', 'Maximum number of animals returned.', 'The most animals returned.')
    expect(await commit()).toEqual({ code: 1, said: expect.stringContaining('is stale') })
  })

  test('lets a sound change pass', async () => {
    expect(await project.generate()).toMatchObject({ code: 0 })
    expect(await commit()).toMatchObject({ code: 0 })
  })
})
