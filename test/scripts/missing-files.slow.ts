import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { run, testFolder } from '../support/process.ts'

const folder = testFolder()
const file = `${folder}/text`
writeFileSync(file, 'openapi')
const missing = `${folder}/missing`
const address = 'https://api.example/openapi.yaml'
const fetched = `${address} is an address, and nothing is fetched. Save the contract to a file, and name that.`
const standardInput = 'A contract is read from a file. The standard input is the file /dev/stdin.'

describe('a file that is not there is told in one sentence', () => {
  test.each<[args: string[], code: number, stderr: string]>([
    [['contract-lint.ts', missing], 2, `There is no file ${missing}.`],
    [['contract-lint.ts', folder], 2, `${folder} is a folder. Name a file in it.`],
    [['contract-lint.ts', `${file}/x`], 2, `${file}/x is below a file, and not below a folder.`],
    [['mock.ts', missing], 2, `There is no file ${missing}.`],
    [['generate.ts', missing, '--out', folder], 2, `There is no file ${missing}.`],
    [['generate.ts', 'openapi.yaml', '--out', file], 2, `${file} is there, and is no folder.`],
    [
      ['generate.ts', 'openapi.yaml', '--out', missing, '--check'],
      1,
      `${missing}/openapi.d.ts is missing.\nRun \`npm run -s generate -- openapi.yaml --out ${missing}\` and commit what it writes.`,
    ],
    [['contract-diff.ts', missing], 2, `There is no file ${missing}.`],
    [['contract-lint.ts', address], 2, fetched],
    [['mock.ts', address], 2, fetched],
    [['contract-diff.ts', address], 2, fetched],
    [['contract-diff.ts', '--head', address], 2, fetched],
    [['contract-lint.ts', '-'], 2, standardInput],
    [['contract-diff.ts', '-'], 2, standardInput],
    [['backup.ts', `${folder}/backup.db`], 1, `There is no store at ${missing}. DATABASE_URL says where it is.`],
    [['keys.ts', 'list'], 1, `There is no store at ${missing}. DATABASE_URL says where it is.`],
    [['store-copy.ts', `sqlite:${missing}`, `sqlite:${folder}/to.db`], 1, `FROM is not there: ${missing}.`],
  ])('%j', async ([script = '', ...args], code, stderr) => {
    const ended = await run([`scripts/${script}`, ...args], { DATABASE_URL: `sqlite:${missing}` })
    expect(ended).toEqual({ code, stdout: '', stderr: `${stderr}\n` })
  })
})

test.each([
  [['--served', '--format', 'json'], "error: option '--served' cannot be used with option '--format <format>'"],
  [
    ['--today', '30.11.2026'],
    "error: option '--today <date>' argument '30.11.2026' is invalid. It must be a day such as 2026-11-28.",
  ],
])('contract:lint refuses %j', async (args, fault) => {
  const ended = await run(['scripts/contract-lint.ts', ...args], {})
  expect(ended).toEqual({ code: 2, stdout: '', stderr: `${fault}\nSee npm run -s contract:lint -- --help\n` })
})
