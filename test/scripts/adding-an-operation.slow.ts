import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { endAll, start } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'
import { checkEveryAnswer } from '../support/service.ts'

// the compiler and a run of jest, on a machine that may be busy
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/adding-an-operation.md'), 'utf8')
const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8')

/** The blocks of the page in a language, in their order. */
function blocks(language: string): string[] {
  return [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, of, text = '']) => (of === language ? text : []))
}

/** The blocks of TypeScript, by the file that their first line names. */
const files = new Map(
  blocks('ts').map((block) => {
    const [, file = '', text = ''] = /^\/\/ (\S+)\n([^]*)$/.exec(block) ?? []
    return [file, text]
  }),
)

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const name of ['test', 'examples', 'jest.config.js', 'redocly.yaml']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
})
afterAll(async () => {
  await endAll()
  project.remove()
})

/* One story: each test goes on where the one before it ended. */
describe('docs/adding-an-operation.md', () => {
  test('needs no file beside the contract, the handler and its test', () => {
    expect([...files.keys()]).toEqual(['src/handlers/listOrders.ts', 'test/handlers/listOrders.test.ts'])
    expect(blocks('yaml')).toHaveLength(1)
  })

  test('step 1: the contract passes the lint, and the compiler names the file to write', async () => {
    const [, version = '', major, minor] = /^ {2}version: ((\d+)\.(\d+)\.\d+)$/m.exec(contract) ?? []
    project.edit('openapi.yaml', `  version: ${version}\n`, `  version: ${major}.${Number(minor) + 1}.0\n`)
    const [paths = ''] = blocks('yaml')
    project.edit('openapi.yaml', '\ncomponents:\n', `\n${paths.replace(/^paths:\n/, '')}components:\n`)

    expect(await project.run('--import', 'tsx', 'scripts/contract-lint.ts')).toMatchObject({ code: 0 })
    expect(await project.generate()).toEqual({ code: 0, output: '' })
    const { code, output } = await project.compile()
    expect(code).not.toBe(0)
    const withoutPlace = (text: string): string => text.replace(/\(\d+,\d+\)/, '')
    expect(withoutPlace(output)).toBe(withoutPlace(blocks('')[0] ?? ''))
  })

  test('steps 2 and 3: the handler and its test compile, and all that holds for every operation holds', async () => {
    for (const [file, text] of files) project.write(file, text)
    expect(await project.compile()).toEqual({ code: 0, output: '' })
    const { code, output } = await project.run(
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      'test/handlers/listOrders',
      'test/contract/every-operation',
    )
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('Test Suites: 2 passed, 2 total')
  })

  test('the service answers it, marked as experimental, and publishes it', async () => {
    const env = { PORT: '0', DATABASE_URL: `sqlite:${project.folder}/data/store.db` }
    const service = start([join(project.folder, 'src/main.ts')], env)
    const [, origin = ''] = await service.until(/"address":"(http:\/\/[^"]+)\/v1"[^\n]*"listening"/)
    const [key = ''] = await service.until(/ak_[0-9A-Za-z]{49}/)
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const ask = async (path: string, body?: string): Promise<Parameters<typeof checkEveryAnswer>[0]> => {
      const answer = await fetch(origin + path, body === undefined ? { headers } : { method: 'POST', headers, body })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    }
    await ask('/v1/pets', '{"name":"Rex","categoryId":7,"status":"pending"}')

    const answers = [await ask('/v1/store/orders'), await ask('/v1/store/orders?limit=0')]
    for (const answer of answers) {
      checkEveryAnswer(answer)
      expect(answer.headers).toMatchObject({ 'x-stability': 'experimental' })
    }
    expect(answers[0]).toMatchObject({ status: 200, text: '[{"petId":1,"name":"Rex"}]' })
    expect(answers[1]).toMatchObject({ status: 400 })

    const { paths } = JSON.parse((await ask('/openapi.json')).text) as { paths: Record<string, unknown> }
    expect(paths['/store/orders']).toMatchObject({ get: { operationId: 'listOrders', 'x-stability': 'experimental' } })
  })

  test('contract:diff calls it compatible', async () => {
    project.write('before.yaml', contract)
    const { code, output } = await project.run('--import', 'tsx', 'scripts/contract-diff.ts', 'before.yaml')
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toMatch(/^Compatible \(1\)\n +openapi\.yaml:\d+:\d+ GET \/store\/orders: added\./)
  })
})
