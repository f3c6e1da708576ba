import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { run, testFolder } from '../support/process.ts'

const folder = testFolder()
const file = `${folder}/text`
writeFileSync(file, 'openapi')
const missing = `${folder}/missing`

describe('a file that is not there is told in one sentence', () => {
  test.each<[args: string[], code: number, stderr: string]>([
    [['contract-lint.ts', missing], 2, `There is no file ${missing}.`],
    [['contract-lint.ts', folder], 2, `${folder} is a folder. Name a file in it.`],
    [['contract-lint.ts', `${file}/x`], 2, `${file}/x is below a file, and not below a folder.`],
    [['mock.ts', missing], 2, `There is no file ${missing}.`],
    [['generate.ts', missing, '--out', folder], 2, `There is no file ${missing}.`],
    [['contract-diff.ts', missing], 2, `There is no file ${missing}.`],
    [['backup.ts', `${folder}/backup.db`], 1, `There is no store at ${missing}. DATABASE_URL says where it is.`],
    [['keys.ts', 'list'], 1, `There is no store at ${missing}. DATABASE_URL says where it is.`],
    [['store-copy.ts', `sqlite:${missing}`, `sqlite:${folder}/to.db`], 1, `FROM is not there: ${missing}.`],
  ])('%j', async ([script = '', ...args], code, stderr) => {
    const ended = await run([`scripts/${script}`, ...args], { DATABASE_URL: `sqlite:${missing}` })
    expect(ended).toEqual({ code, stdout: '', stderr: `${stderr}\n` })
  })
})
