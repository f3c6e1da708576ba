import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { store } from '../../support/contracts/pairs.ts'
import { run } from '../../support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-arguments-'))
const repository = join(folder, 'repository')
const clone = join(folder, 'clone')
const spaced = 'my api #2.yaml'
const unreadable = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])

/** A repository of two commits, of which only the second has a contract in a folder, and a clone without its branch. */
beforeAll(() => {
  mkdirSync(join(repository, 'specs'), { recursive: true })
  git(repository, 'init', '--quiet', '--initial-branch', 'trunk')
  for (const name of ['openapi.yaml', spaced]) writeFileSync(join(repository, name), store)
  save()
  git(repository, 'checkout', '--quiet', '-b', 'feature')
  writeFileSync(join(repository, 'specs', 'v2.yaml'), store)
  save()
  git(folder, 'clone', '--quiet', '--branch', 'feature', repository, clone)
  writeFileSync(join(repository, 'added.yaml'), store)
  writeFileSync(join(folder, 'empty.yaml'), '')
  writeFileSync(join(folder, 'picture.yaml'), unreadable)
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.0.0" }')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

function save(): void {
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '--message', 'Edit the contract')
}

function git(cwd: string, ...args: string[]): void {
  const name = ['-c', 'user.name=test', '-c', 'user.email=test@example.org']
  execFileSync('git', [...name, ...args], { cwd, stdio: 'pipe' })
}

/** `~` stands for the folder. */
function diff(...args: string[]): ReturnType<typeof run> {
  return run(['scripts/contract-diff.ts', ...args.map((argument) => argument.replace(/^~/, folder))])
}

const head = '--head ~/repository/openapi.yaml'.split(' ')
const cloned = '--head ~/clone/openapi.yaml'.split(' ')

describe('contract:diff compares', () => {
  test.each<[string, string[]]>([
    ['a file of another name at a revision', ['feature:specs/v2.yaml', ...head]],
    ['a file whose path begins at the contract', ['feature:./specs/v2.yaml', ...head]],
    ['files with a space and # in their names', [`~/repository/${spaced}`, '--head', `~/repository/${spaced}`]],
    ['such a file with a revision', ['trunk', '--head', `~/repository/${spaced}`]],
  ])('%s', async (_, args) => {
    expect(await diff(...args)).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('contract:diff says what is wrong with', () => {
  test.each<[string, string[], string]>([
    ['a path that is not there', ['~/none/api.yaml', ...head], 'There is no file ~/none/api.yaml.'],
    [
      'a relative path that is not there',
      ['./opnapi', ...head],
      'There is no file ./opnapi. Did you mean openapi.yaml?',
    ],
    ['the wrong extension', ['openapi.yml', ...head], 'There is no file openapi.yml. Did you mean openapi.yaml?'],
    ['a name with a space', ['my api', ...head], 'There is no file my api.'],
    ['a name that is empty', ['', ...head], 'The name is empty. Name a git revision or a file to compare with.'],
    [
      'an address',
      ['https://api.example/openapi.yaml', ...head],
      'https://api.example/openapi.yaml is an address, and nothing is fetched. Save the contract to a file, and name that.',
    ],
    ['a folder', ['~/repository', ...head], '~/repository is a folder. Name the contract in it, or a git revision.'],
    ['a revision that git does not have', ['v1', ...head], 'There is no file and no git revision v1 here.'],
    [
      'a revision that is written wrongly',
      ['trnuk', ...head],
      'There is no file and no git revision trnuk here. Did you mean trunk?',
    ],
    [
      'a branch that only the remote has',
      ['trunk', ...cloned],
      'There is no file and no git revision trunk here. Did you mean origin/trunk?',
    ],
    [
      'a branch that a clone does not have',
      ['release/9', ...cloned],
      'There is no file and no git revision release/9 here. To get it: git fetch origin release/9, and compare with FETCH_HEAD',
    ],
    [
      'a part of the name of a commit that a clone does not have',
      ['abcdef0', ...cloned],
      'There is no file and no git revision abcdef0 here. To get it: git fetch --all',
    ],
    [
      'more steps back than there are',
      ['HEAD~9', ...cloned],
      'There is no git revision HEAD~9 here. git log --oneline lists the commits.',
    ],
    [
      'a file that the revision does not have',
      ['trunk', '--head', '~/repository/added.yaml'],
      'trunk has no file added.yaml. If it has another name there, write trunk:NAME',
    ],
    [
      'a path that the revision does not have',
      ['feature:specs/v3.yaml', ...head],
      'feature has no file specs/v3.yaml. Did you mean feature:specs/v2.yaml?',
    ],
    [
      'an empty file',
      ['~/empty.yaml', ...head],
      '~/empty.yaml:1:1 The file is empty. Begin the file with "openapi: 3.0.3".',
    ],
    [
      'a picture',
      ['~/picture.yaml', ...head],
      '~/picture.yaml:1:1 The file is not a text. Name a contract in YAML or JSON.',
    ],
    [
      'a file that is no contract',
      ['~/package.json', ...head],
      '~/package.json:1:1 The file names no version of OpenAPI. Begin the file with "openapi: 3.0.3".',
    ],
    [
      'a revision in the place of the newer contract',
      ['openapi.yaml', '--head', 'HEAD'],
      '--head takes a file, and HEAD is a git revision. Name the revision first: HEAD --head FILE',
    ],
    [
      'two contracts without --head',
      ['old.yaml', 'new.yaml'],
      'Name the newer contract by --head: old.yaml --head new.yaml',
    ],
    [
      'a newer contract that is not there',
      ['~/repository/openapi.yaml', '--head', '~/repository/openapi.yml'],
      'There is no file ~/repository/openapi.yml. Did you mean ~/repository/openapi.yaml?',
    ],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await diff(...args)
    expect(stderr.replaceAll(folder, '~')).toBe(`${message}\n`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})
