import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { blocks, byFile, follow as followPage } from '../support/followed-page.ts'
import { endAll, start } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'
import { checkEveryAnswer } from '../support/service.ts'

// the compiler and runs of jest, on a machine that may be busy
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8')
const [operationPart, tablePart] = readFileSync(join(root, 'docs/adding-an-operation.md'), 'utf8').split(
  '\n# Adding a table\n',
) as [string, string]

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

/** The places that a part of the page touches, in its order. */
const touched: string[] = []

function follow(part: string, isWanted: (file: string) => boolean): void {
  touched.push(...followPage(project, part, isWanted))
}

async function jestOf(...patterns: string[]): Promise<{ code: number; output: string }> {
  return project.run('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...patterns)
}

type Answer = Parameters<typeof checkEveryAnswer>[0]

/** Runs the service of the copy, with a key, until `body` is over. */
async function withService(
  body: (ask: (path: string, body?: string, name?: string) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const service = start([join(project.folder, 'src/main.ts')], { PORT: '0', DATABASE_URL: store })
  const [, origin = ''] = await service.until(/"address":"(http:\/\/[^"]+)\/v1"[^\n]*"listening"/)
  if (key === '') [key = ''] = await service.until(/ak_[0-9A-Za-z]{49}/)
  await body(async (path, content, name) => {
    const headers = {
      ...{ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(name === undefined ? {} : { 'Idempotency-Key': name }),
    }
    const answer = await fetch(
      origin + path,
      content === undefined ? { headers } : { method: 'POST', headers, body: content },
    )
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  })
  service.child.kill('SIGTERM')
  await service.ended
}
let store = ''
let key = ''
beforeAll(() => {
  store = `sqlite:${project.folder}/data/store.db`
})

const withoutPlace = (text: string): string => text.replaceAll(/\(\d+,\d+\)/g, '')

/* One story: each test goes on where the one before it ended. */
describe('adding an operation', () => {
  test('needs no file beside the contract, the handler and its test', () => {
    const files = [...byFile(operationPart, 'ts').keys()]
    expect(files).toEqual(['src/handlers/listOrders.ts', 'test/handlers/listOrders.test.ts'])
    expect(blocks(operationPart, 'yaml')).toHaveLength(1)
  })

  test('step 1: the contract passes the lint, and a handler and a test are written, which compile', async () => {
    const [, version = '', major, minor] = /^ {2}version: ((\d+)\.(\d+)\.\d+)$/m.exec(contract) ?? []
    project.edit('openapi.yaml', `  version: ${version}\n`, `  version: ${major}.${Number(minor) + 1}.0\n`)
    const [paths = ''] = blocks(operationPart, 'yaml')
    project.edit('openapi.yaml', '\ncomponents:\n', `\n${paths.replace(/^paths:\n/, '')}components:\n`)

    expect(await project.run('--import', 'tsx', 'scripts/contract-lint.ts')).toMatchObject({ code: 0 })
    expect(await project.generate('--stub')).toEqual({ code: 0, output: blocks(operationPart, '')[0] })
    expect(await project.compile()).toEqual({ code: 0, output: '' })
    const { code, output } = await jestOf('test/handlers/listOrders')
    expect(code).not.toBe(0)
    expect(output).toContain('● listOrders › answers 200')
    expect(output).toMatch(/Expected: 200\s+Received: 500/)
  })

  test('steps 2 and 3: the handler and its test compile, and all that holds for every operation holds', async () => {
    follow(operationPart, () => true)
    expect(await project.compile()).toEqual({ code: 0, output: '' })
    const { code, output } = await jestOf('test/handlers/listOrders', 'test/contract/every-operation')
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('Test Suites: 2 passed, 2 total')
  })

  test('the service answers it, marked as experimental, and publishes it', async () => {
    await withService(async (ask) => {
      await ask('/v1/pets', '{"name":"Rex","categoryId":7,"status":"pending"}')
      const answers = [await ask('/v1/store/orders'), await ask('/v1/store/orders?limit=0')]
      for (const answer of answers) {
        checkEveryAnswer(answer)
        expect(answer.headers).toMatchObject({ 'x-stability': 'experimental' })
      }
      expect(answers[0]).toMatchObject({ status: 200, text: '[{"petId":1,"name":"Rex"}]' })
      expect(answers[1]).toMatchObject({ status: 400 })

      const { paths } = JSON.parse((await ask('/openapi.json')).text) as { paths: Record<string, unknown> }
      expect(paths['/store/orders']).toMatchObject({
        get: { operationId: 'listOrders', 'x-stability': 'experimental' },
      })
    })
  })

  test('contract:diff calls it compatible', async () => {
    project.write('before.yaml', contract)
    const { code, output } = await project.run('--import', 'tsx', 'scripts/contract-diff.ts', 'before.yaml')
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toMatch(/^Compatible \(1\)\n +openapi\.yaml:\d+:\d+ GET \/store\/orders: added\./)
  })
})

describe('adding a table', () => {
  test('steps 4 and 5: the compiler names every place that lacks the operation or the table', async () => {
    touched.length = 0
    follow(tablePart, (file) => ['openapi.yaml', 'src/store/tables/orders.ts'].includes(file))
    expect(await project.run('--import', 'tsx', 'scripts/contract-lint.ts')).toMatchObject({ code: 0 })
    expect(await project.generate()).toMatchObject({ code: 0 })
    const { output } = await project.compile()
    const told = withoutPlace(output).match(/^\S.*$/gm) ?? []
    const shown = withoutPlace(blocks(tablePart, '')[0] ?? '')
      .trimEnd()
      .split('\n')
    // the page shows how each line begins
    expect(told.map((line, index) => line.slice(0, (shown[index] ?? '').length - 1) + '…')).toEqual(shown)
  })

  test('step 6: everything compiles, and its tests pass on every engine', async () => {
    follow(tablePart, (file) => !touched.some((place) => place.split(' ')[0] === file))
    expect(await project.compile()).toEqual({ code: 0, output: '' })
    const { code, output } = await jestOf('test/handlers/.*Order', 'test/contract/every-operation', 'test/store/schema')
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    expect(output).toContain('Test Suites: 4 passed, 4 total')
  })

  test('touches the contract, one file for the table, and a handler and a test for each operation', () => {
    process.stdout.write(
      `Places that a table with two operations touches:\n${touched.map((one) => `  ${one}\n`).join('')}`,
    )
    expect(touched).toEqual([
      'openapi.yaml',
      'src/store/tables/orders.ts (new)',
      'src/handlers/listOrders.ts',
      'src/handlers/createOrder.ts (new)',
      'test/handlers/listOrders.test.ts',
      'test/handlers/createOrder.test.ts (new)',
    ])
  })

  test('the store of before is brought up to date, and serves orders', async () => {
    await withService(async (ask) => {
      const placed = await ask('/v1/store/orders', '{"petId":1,"quantity":2}', 'a')
      expect(placed).toMatchObject({ status: 201, text: expect.stringMatching(/^{"id":1,"petId":1,"quantity":2,/) })
      expect(await ask('/v1/store/orders', '{"petId":1,"quantity":2}', 'a')).toMatchObject({ text: placed.text })
      expect(await ask('/v1/store/orders')).toMatchObject({ status: 200, text: `[${placed.text}]` })
    })
  })

  test('a backup counts its rows, and a copy has them with their remembered requests', async () => {
    const command = async (script: string, ...args: string[]): Promise<string> => {
      const running = start([join(project.folder, 'scripts', script), ...args], { DATABASE_URL: store })
      expect({ code: await running.ended, stderr: running.stderr() }).toEqual({ code: 0, stderr: '' })
      return running.stdout()
    }
    const file = join(project.folder, 'data/backup.db')
    expect(JSON.parse(await command('backup.ts', file, '--json'))).toMatchObject({ pets: 1, keys: 1, orders: 1 })
    const copied = await command('store-copy.ts', store, `sqlite:${project.folder}/data/copy.db`)
    for (const table of ['pets', 'keys', 'orders', 'orders_requests']) {
      expect(copied).toMatch(new RegExp(`^${table}: 1 row, 1 of them copied now`, 'm'))
    }
  })

  test('contract:diff calls both operations compatible', async () => {
    const { code, output } = await project.run('--import', 'tsx', 'scripts/contract-diff.ts', 'before.yaml')
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toMatch(/^Compatible \(2\)\n/)
    for (const method of ['GET', 'POST']) expect(output).toContain(`${method} /store/orders: added.`)
  })
})
