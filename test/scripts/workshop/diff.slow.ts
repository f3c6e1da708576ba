import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { today } from '../../support/contracts/diff.ts'
import { store } from '../../support/contracts/pairs.ts'
import { run } from '../../support/process.ts'

const narrower = store.replace('maximum: 100', 'maximum: 50')
let folder: string
let contract: string
let approvals: string

/** A repository whose main has the contract and whose branch `edit` narrows it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-diff-test-'))
  const repository = join(folder, 'repository')
  mkdirSync(repository)
  contract = join(repository, 'openapi.yaml')
  approvals = join(folder, 'approvals.yaml')
  git(repository, 'init', '--quiet', '--initial-branch', 'main')
  writeFileSync(contract, 'openapi: [')
  save(repository)
  git(repository, 'tag', 'broken')
  writeFileSync(contract, store)
  save(repository)
  git(repository, 'checkout', '--quiet', '-b', 'edit')
  writeFileSync(contract, narrower)
  save(repository)
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

function git(cwd: string, ...args: string[]): string {
  const name = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...name, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' })
}

function save(repository: string): void {
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '--message', 'Edit the contract')
}

function diff(...args: string[]): Promise<{ code: number | string | null; stdout: string; stderr: string }> {
  return run(['scripts/contract-diff.ts', ...args, '--today', today])
}

describe('contract:diff', () => {
  test('compares with where the branch left main, and exits with 1 when clients break', async () => {
    const { code, stdout, stderr } = await diff('--head', contract)
    expect(stderr).toBe('')
    expect(stdout).toContain(`${contract}:9:74 GET /pets, query parameter limit: upper bound changed from <= 100 to`)
    expect(code).toBe(1)
  })

  test('compares with a revision, and exits with 0 when nothing breaks', async () => {
    expect(await diff('edit', '--head', contract)).toEqual({
      code: 0,
      stdout: 'Nothing breaks clients (0 breaking, 0 risky, 0 compatible, 0 editorial).\n',
      stderr: '',
    })
  })

  test('compares with a file; with an approval and a major version the change passes', async () => {
    const grown = join(folder, 'grown.yaml')
    writeFileSync(grown, narrower.replace('version: 1.0.0', 'version: 2.0.0'))
    const base = join(folder, 'base.yaml')
    writeFileSync(base, store)
    const { code, stdout } = await diff(base, '--head', grown, '--format', 'json')
    const { findings, version } = JSON.parse(stdout) as { findings: { fingerprint: string }[]; version: unknown }
    expect(version).toMatchObject({ base: '1.0.0', head: '2.0.0', needed: 'major', enough: true })
    expect(code).toBe(1)

    const approval = (expires: string): string =>
      `- { change: '${findings[0]?.fingerprint}', reason: nobody asks for more, expires: '${expires}' }\n`
    writeFileSync(approvals, approval('2026-12-31'))
    const approved = await diff(base, '--head', grown, '--approvals', approvals)
    expect(approved.stdout).toContain('excused: approved until 2026-12-31: nobody asks for more')
    expect(approved.code).toBe(0)

    writeFileSync(approvals, approval('2026-01-31'))
    const expired = await diff(base, '--head', grown, '--approvals', approvals)
    expect(expired.stdout).toContain(`expired on 2026-01-31.`)
    expect(expired.code).toBe(1)
  })

  test.each<[string, () => string[], RegExp]>([
    [
      'a contract of two documents',
      () => [contract, '--head', file('two.yaml', `${store}---\n${store}`)],
      /two\.yaml:\d+:\d+ /,
    ],
    [
      'a contract that is not YAML',
      () => [contract, '--head', file('tabs.yaml', 'openapi:\n\t- x')],
      /tabs\.yaml:2:1 /,
    ],
    [
      'a contract of another version',
      () => [contract, '--head', file('new.yaml', 'openapi: 3.3.0')],
      /new\.yaml:1:1 .*3\.0/,
    ],
    ['a base that is not YAML', () => ['broken', '--head', contract], /^broken:openapi\.yaml:1:10 /],
    [
      'a revision where there is no repository',
      () => ['main', '--head', file('lonely.yaml', store)],
      /^lonely\.yaml is in no git repository; name another file to compare with\.\n$/,
    ],
    [
      'a format that is none',
      () => ['edit', '--head', contract, '--format', 'pdf'],
      /Allowed choices are text, markdown/,
    ],
    [
      'approvals that are none',
      () => ['edit', '--head', contract, '--approvals', file('no.yaml', 'x: 1')],
      /no\.yaml:1:1 Approvals are a list\.\n$/,
    ],
  ])('exits with 2 and no stack trace on %s', async (_, args, message) => {
    const { code, stdout, stderr } = await diff(...args())
    expect(stderr.replaceAll(`${folder}/`, '')).toMatch(message)
    expect(stderr).not.toContain('    at ')
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('finds the default branch of a clone, whatever its name', async () => {
    const [origin, clone] = [join(folder, 'trunk'), join(folder, 'of-trunk')]
    mkdirSync(origin)
    git(origin, 'init', '--quiet', '--initial-branch', 'trunk')
    writeFileSync(join(origin, 'openapi.yaml'), store)
    save(origin)
    const alone = await diff('--head', join(origin, 'openapi.yaml'))
    expect(alone).toMatchObject({ code: 2, stdout: '' })
    expect(alone.stderr).toMatch(
      /^There is no branch main or master here\. .*contract:diff -- BRANCH; .*git remote set-head/,
    )

    git(folder, 'clone', '--quiet', origin, clone)
    git(clone, 'checkout', '--quiet', '-b', 'edit')
    writeFileSync(join(clone, 'openapi.yaml'), narrower)
    expect(await diff('--head', join(clone, 'openapi.yaml'))).toMatchObject({ code: 1, stderr: '' })
  })

  test('tells the refusal of git when the folder belongs to another user, with the command that mends it', async () => {
    const args = ['scripts/contract-diff.ts', '--head', contract, '--today', today]
    const { code, stderr } = await run(args, { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', HOME: folder })
    expect(stderr).toMatch(
      /^git does not read the repository of .*, because it belongs to another user\. .*git config --global --add safe\.directory \S+\n$/,
    )
    expect(code).toBe(2)
  })

  test('exits with 2 in a shallow clone and says how to get the rest', async () => {
    const clone = join(folder, 'clone')
    git(folder, 'clone', '--quiet', '--depth', '1', '--branch', 'edit', `file://${join(folder, 'repository')}`, clone)
    const { code, stderr } = await diff('--head', join(clone, 'openapi.yaml'))
    expect(stderr).toMatch(/shallow clone; run: git fetch --unshallow origin\n$/)
    expect(code).toBe(2)
  })
})

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
