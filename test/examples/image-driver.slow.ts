import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { runCommand, testFolder } from '../support/process.ts'

const folder = testFolder()
const root = fileURLToPath(new URL('../../', import.meta.url))

test('the step of the image that leaves the driver alone leaves no source, and the driver works', async () => {
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    cpSync(`${root}node_modules/${name}`, `${folder}/node_modules/${name}`, { recursive: true })
  }
  const [, step = ''] = /^RUN (for driver in .*)$/m.exec(readFileSync(`${root}Dockerfile`, 'utf8')) ?? []
  expect(await runCommand('sh', ['-c', step], { cwd: folder })).toMatchObject({ code: 0, stderr: '' })
  const files = readdirSync(`${folder}/node_modules/better-sqlite3`, { recursive: true, encoding: 'utf8' })
  expect(files.filter((name) => /\.(c|cpp|h|hpp|lzz|o|a|gyp\w+|mk)$/.test(name))).toEqual([])
  const code = `console.log(new (require('better-sqlite3'))(':memory:').prepare('SELECT 6 * 7').pluck().get())`
  expect(await runCommand(process.execPath, ['-e', code], { cwd: folder })).toMatchObject({ code: 0, stdout: '42\n' })
})
