import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { blocks, follow } from '../support/followed-page.ts'
import { endAll, runCommand, start } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'
import { checkEveryAnswer } from '../support/service.ts'

// the compiler, on a machine that may be busy
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/another-api.md'), 'utf8')
const notes = join(root, 'examples/notes/openapi.yaml')
const contract = readFileSync(notes, 'utf8')

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const name of ['redocly.yaml', 'test', 'jest.config.js']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
})
afterAll(async () => {
  await endAll()
  project.remove()
})

const script = (name: string, ...args: string[]): ReturnType<ProjectCopy['run']> =>
  project.run('--import', 'tsx', `scripts/${name}.ts`, ...args)

/* One story: each test goes on where the one before it ended. */
describe('another API', () => {
  test('could be served, and is mocked without code', async () => {
    expect(await script('contract-lint', '--served', notes)).toMatchObject({
      code: 0,
      output: expect.stringContaining('3 of 3 operations would be served (100 %).'),
    })
    const mock = start([join(project.folder, 'scripts/mock.ts'), notes], { PORT: '0' })
    const [, address = ''] = await mock.until(/mocked at (http:\S+):/)
    const answer = await fetch(`${address}/notes/1/text`)
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
      ...{ status: 200, type: expect.stringMatching(/^text\/plain\b/) },
    })
    mock.child.kill('SIGTERM')
    expect(await mock.ended).toBe(0)
  })

  test('takes the place of the animals: its table, its handlers and their tests are written', async () => {
    project.write('openapi.yaml', contract)
    const steps = (blocks(page, 'sh')[1] ?? '').trimEnd().split('\n')
    expect(steps.filter((step) => !step.startsWith('rm src/'))).toEqual([
      'cp examples/notes/openapi.yaml openapi.yaml',
      'rm -r test/handlers examples bench',
      'npm pkg set name=notes-service bin.notes=dist/scripts/animal-store.js',
      'npm pkg delete bin.animal-store',
      'npm run contract:lint',
      'npm run generate -- --resource /notes --stub',
    ])
    for (const file of (steps[1] ?? '').split(' ').slice(1)) remove(file)
    rmSync(join(project.folder, 'test/handlers'), { recursive: true })
    for (const step of steps.filter((one) => one.startsWith('npm pkg '))) {
      const { code } = await runCommand('npm', step.split(' ').slice(1), { cwd: project.folder, env: process.env })
      expect({ step, code }).toEqual({ step, code: 0 })
    }
    expect(await script('contract-lint')).toEqual({ code: 0, output: 'The contract is sound.\n' })
    expect(await project.generate('--resource', '/notes', '--stub')).toEqual({ code: 0, output: blocks(page, '')[0] })
  })

  test('compiles with the one handler that is left to write, and its tests pass on both engines', async () => {
    expect(follow(project, page)).toEqual(['src/handlers/notesGetText.ts'])
    const { code, output } = await project.run(
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      'test/handlers/notes(Add|Get).test',
    )
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    // what the other tests need is checked where the tests of the project are
    rmSync(join(project.folder, 'test'), { recursive: true })
    expect(await project.compile()).toEqual({ code: 0, output: '' })
  })

  test('is served: public and with its own key, every kind of body, plain text, and refusals that it declares', async () => {
    const service = start([join(project.folder, 'src/main.ts')], {
      PORT: '0',
      DATABASE_URL: `sqlite:${project.folder}/data/notes.db`,
    })
    const [, address = ''] = await service.until(/"address":"(http:\/\/[^"]+\/api)"[^\n]*"listening"/)
    const [key = ''] = await service.until(/ak_[0-9A-Za-z]{49}/)
    const ask = async (
      path: string,
      body?: string,
      headers: Record<string, string> = {},
    ): Promise<[number, string]> => {
      const type = { 'Content-Type': 'application/json' }
      const init = body === undefined ? { headers } : { method: 'POST', headers: { ...type, ...headers }, body }
      const answer = await fetch(address + path, init)
      const text = await answer.text()
      checkEveryAnswer({ status: answer.status, headers: Object.fromEntries(answer.headers), text })
      return [answer.status, text]
    }
    const withKey = { 'X-Note-Key': key }
    expect(await ask('/notes', '{"kind":"text","text":"Buy milk."}', withKey)).toEqual([
      ...[201, '{"id":1,"note":{"kind":"text","text":"Buy milk."}}'],
    ])
    expect(await ask('/notes', '{"kind":"list","items":["milk","bread"]}', withKey)).toEqual([
      ...[201, '{"id":2,"note":{"kind":"list","items":["milk","bread"]}}'],
    ])
    expect(await ask('/notes/2')).toEqual([200, '{"kind":"list","items":["milk","bread"]}'])
    expect(await ask('/notes/1/text')).toEqual([200, 'Buy milk.\n'])
    expect(await ask('/notes/2/text')).toEqual([200, '- milk\n- bread\n'])
    expect(await ask('/notes', '{"kind":"text","text":"a"}')).toEqual([401, expect.stringContaining('unauthorized')])
    expect(await ask('/notes', '{"kind":"list","text":"a"}', withKey)).toEqual([
      ...[400, expect.stringContaining('body.items is required; body.text is not a known field.')],
    ])
    expect(await ask('/notes/9')).toEqual([404, expect.stringContaining('No note has the id 9.')])
    const metrics = await (await fetch(new URL('/metrics', address))).text()
    expect(metrics).toMatch(/^notes_build_info\{/m)
    // a label may have the name of a table of the store's own
    expect(metrics).not.toMatch(/^(?!#)[^{\n]*animal/im)
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  })

  test('has a command, a store and counts of its own name', async () => {
    const { code, output } = await script('animal-store', 'keys', '--help')
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^Usage: notes keys /) })
    expect(output).not.toMatch(/animal/i)
    const settings = await project.run(
      ...['--import', 'tsx', '--input-type', 'module', '--eval'],
      "console.log((await import('./src/config/config.ts')).readConfig({}).database.file)",
    )
    expect(settings).toEqual({ code: 0, output: 'data/notes.db\n' })
  })
})

/** Removes what a pattern with one star names. */
function remove(pattern: string): void {
  const [folder = '', name = ''] = /^(?:(.*)\/)?([^/]*)$/.exec(pattern)?.slice(1) ?? []
  const [before = '', after = ''] = name.split('*')
  const found = readdirSync(join(project.folder, folder)).filter((one) =>
    name.includes('*') ? one.startsWith(before) && one.endsWith(after) : one === name,
  )
  expect(found).not.toHaveLength(0)
  for (const one of found) rmSync(join(project.folder, folder, one))
}
