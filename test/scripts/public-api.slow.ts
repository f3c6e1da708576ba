import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { endAll, start, type Running } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'

// the compiler and runs of jest, on a machine that may be busy
jest.setTimeout(600_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const resources = ['posts', 'comments', 'albums', 'photos', 'todos']

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const name of ['test', 'jest.config.js']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
  for (const folder of ['src/handlers', 'src/store/tables']) {
    for (const file of readdirSync(join(project.folder, folder))) rmSync(join(project.folder, folder, file))
  }
  rmSync(join(project.folder, 'test/handlers'), { recursive: true })
  const contract = readFileSync(join(root, 'test/support/contracts/jsonplaceholder.yaml'), 'utf8')
  project.write('openapi.yaml', contract)
  project.edit('package.json', '"animal-store": "dist', '"jsonplaceholder": "dist')
})
afterAll(async () => {
  await endAll()
  project.remove()
})

/* One story: each test goes on where the one before it ended. */
describe('JSONPlaceholder, a public API of five resources', () => {
  let left: string[] = []

  test('is generated, and compiles as it was written', async () => {
    const { code, output } = await project.generate('--resource', ...resources.map((name) => `/${name}`))
    expect({ code, output }).toMatchObject({ code: 0 })
    left = output.split('\n').filter((line) => line.includes('Left to write:'))
    // the public API answers whole lists, which no table may grow beyond
    expect(left).toEqual(resources.map((name) => expect.stringContaining(`src/handlers/list${title(name)}.ts:`)))
    for (const line of left) expect(line).toContain('the contract has no limit, so at most 1000 are answered')
    expect(await compileProduct()).toEqual({ code: 0, output: '' })
  })

  test('needs no line by hand', () => {
    const written = resources.flatMap((name) => [
      `src/store/tables/${name}.ts`,
      ...['list', 'create', 'get', 'replace', 'patch', 'delete'].map(
        (verb) => `src/handlers/${verb}${title(verb === 'list' ? name : name.slice(0, -1))}.ts`,
      ),
    ])
    const lines = written.map((file) => project.read(file).split('\n').length - 1)
    process.stdout.write(
      `JSONPlaceholder: ${resources.length} resources, ${written.length} files with ` +
        `${lines.reduce((sum, count) => sum + count, 0)} lines generated, 0 lines by hand, ${left.length} notes of what the contract leaves open.\n`,
    )
    expect(written.filter((file) => !existsSync(join(project.folder, file)))).toEqual([])
    for (const file of written) expect(project.read(file)).not.toMatch(/not written yet|cannot make/)
  })

  test('passes the tests that were written, on both engines', async () => {
    const { code, output } = await project.run(
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      'test/handlers/.*(Post|Todo)',
    )
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    expect(output).toContain('Test Suites: 12 passed, 12 total')
  })

  test('keeps what clients wrote when the process is killed', async () => {
    const first = await serve()
    const post = { userId: 1, title: 'a', body: 'b' }
    expect(await first.ask('/posts', 'POST', post)).toEqual([201, { id: 1, ...post }])
    expect(await first.ask('/posts', 'POST', { ...post, userId: 2 })).toEqual([201, { id: 2, ...post, userId: 2 }])
    expect(await first.ask('/posts/1', 'PATCH', { title: 'c' })).toEqual([200, { id: 1, ...post, title: 'c' }])
    expect(await first.ask('/posts/2', 'PUT', { id: 3, ...post })).toMatchObject([400, { code: 'invalid_request' }])
    expect(await first.ask('/todos', 'POST', { userId: 1, title: 'x', completed: false })).toMatchObject([201, {}])
    expect(await first.ask('/todos/1', 'DELETE')).toEqual([200, {}])
    first.process.child.kill('SIGKILL')
    await first.process.ended
    const second = await serve()
    expect(await second.ask('/posts?userId=1')).toEqual([200, [{ id: 1, ...post, title: 'c' }]])
    expect(await second.ask('/todos')).toEqual([200, []])
    const metrics = await fetch(new URL('/metrics', second.address))
    expect(await metrics.text()).toMatch(/^jsonplaceholder_build_info\{/m)
    // no id comes twice
    expect(await second.ask('/todos', 'POST', { userId: 1, title: 'y', completed: true })).toMatchObject([
      201,
      { id: 2 },
    ])
    for (const id of ['99999999999999999999999', '-1', '1e3']) {
      expect([400, 404]).toContain((await second.ask(`/posts/${id}`))[0])
    }
    second.process.child.kill('SIGTERM')
    expect(await second.process.ended).toBe(0)
  })
})

const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** Compiles all but the tests of the project, which need its own contract. */
async function compileProduct(): Promise<{ code: number; output: string }> {
  const { output } = await project.compile()
  const own = output.split('\n').filter((line) => /^(src|generated|scripts|test\/handlers)\//.test(line))
  return { code: own.length, output: own.join('\n') }
}

interface Served {
  address: string
  process: Running
  ask: (path: string, method?: string, body?: object) => Promise<[number, unknown]>
}

async function serve(): Promise<Served> {
  const process = start([join(project.folder, 'src/main.ts')], {
    PORT: '0',
    DATABASE_URL: `sqlite:${project.folder}/data/store.db`,
  })
  const [, address = ''] = await process.until(/"address":"(http:\/\/[^"]+?)"[^\n]*"listening"/)
  return {
    ...{ address, process },
    ask: async (path, method = 'GET', body) => {
      const json = body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      const answer = await fetch(address + path, { method, ...json })
      return [answer.status, await answer.json()]
    },
  }
}
