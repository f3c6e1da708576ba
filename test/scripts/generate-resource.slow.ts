import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { copyProject, type ProjectCopy } from '../support/project.ts'

// the compiler and runs of jest, on a machine that may be busy
jest.setTimeout(600_000)

const root = fileURLToPath(new URL('../..', import.meta.url))

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const name of ['test', 'jest.config.js']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
  for (const folder of ['src/handlers', 'src/store/tables', 'test/handlers']) {
    for (const file of readdirSync(join(project.folder, folder))) rmSync(join(project.folder, folder, file))
  }
  project.write('openapi.yaml', readFileSync(join(root, 'test/support/contracts/odd-resources.yaml'), 'utf8'))
})
afterAll(() => {
  project.remove()
})

/* One story: each test goes on where the one before it ended. */
describe('resources with odd names, keys and schemas', () => {
  test('are written, and what the contract leaves open is printed with its file and line', async () => {
    const { code, output } = await project.generate('--resource', '/categories', '/order')
    expect(code).toBe(0)
    const lines = output.trimEnd().split('\n').slice(1)
    expect(lines).toEqual([
      'src/store/tables/categories.ts stores class, score as JSON: lists cannot be filtered by them.',
      'src/store/tables/order.ts stores from as JSON: lists cannot be filtered by it.',
      expect.stringMatching(/^src\/handlers\/categoriesList\.ts:\d+ Left to write: what the parameter sort does\.$/),
      expect.stringMatching(/^src\/handlers\/categoriesList\.ts:\d+ Left to write: the header X-Total\.$/),
      expect.stringMatching(/^src\/handlers\/place\.ts:\d+ Left to write: where placedAt comes from\.$/),
      expect.stringMatching(/^src\/handlers\/place\.ts:\d+ Left to write: what secret of the body is for; it is not/),
    ])
    const [, file = '', line] = /^(\S+):(\d+) .*placedAt/m.exec(output) ?? []
    expect(project.read(file).split('\n')[Number(line) - 1]).toContain('newPlacedAt')
  })

  test('are not replaced', async () => {
    const before = project.read('src/handlers/place.ts')
    expect(await project.generate('--resource', '/order')).toEqual({
      code: 2,
      output: 'The store has order_ already. Nothing is written.\n',
    })
    expect(project.read('src/handlers/place.ts')).toBe(before)
  })

  test('compile, and pass their tests on both engines once what is left is written', async () => {
    const [missing = ''] = /function newPlacedAt[^]*?\n}\n/.exec(project.read('src/handlers/place.ts')) ?? []
    project.edit(
      'src/handlers/place.ts',
      missing,
      'function newPlacedAt(): string {\n  return new Date().toISOString()\n}\n',
    )
    const { output } = await project.compile()
    expect(output.split('\n').filter((one) => /^(src|generated|test\/handlers)\//.test(one))).toEqual([])
    const run = await project.run('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', 'test/handlers')
    expect({ code: run.code, output: run.code === 0 ? '' : run.output }).toEqual({ code: 0, output: '' })
    expect(run.output).toContain('Test Suites: 6 passed, 6 total')
  })
})
