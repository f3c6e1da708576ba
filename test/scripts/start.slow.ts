import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { enterpriseKey } from '../support/enterprise-key.ts'
import { endAll, gone, isAlive, startCommand, type Running } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'
import { postWaiting } from '../support/talk.ts'

// a build takes some seconds of a core that nobody else uses
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const building = 'Building dist/ …\n'

let project: ProjectCopy
beforeAll(async () => {
  project = copyProject()
  for (const name of ['tsconfig.build.json', 'package-lock.json']) cpSync(join(root, name), inProject(name))
  expect(await build()).toEqual({ code: 0, output: building })
})
afterEach(endAll)
afterAll(() => {
  project.remove()
})

function inProject(file: string): string {
  return join(project.folder, file)
}

async function build(...args: string[]): Promise<{ code: unknown; output: string }> {
  const { ended, stdout, stderr } = startCommand(process.execPath, ['scripts/build.js', ...args], {
    cwd: project.folder,
  })
  return { code: await ended, output: stderr() + stdout() }
}

function npmStart(...args: string[]): Running {
  return startNpm('npm', ['start', '--', ...args])
}

function startNpm(program: string, args: string[], group = false): Running {
  const env = {
    ...{ HOME: project.folder, PORT: '0', DATABASE_URL: `sqlite:${inProject('data/store.db')}` },
    // a terminal would get text
    LOG_FORMAT: 'json',
  }
  return startCommand(program, args, { env, cwd: project.folder, group })
}

async function portOf(service: Running): Promise<number> {
  const [, port] = await service.until(/"address":"http:\/\/127\.0\.0\.1:(\d+)\/v1"[^\n]*"listening"/)
  return Number(port)
}

/** The processes that have written to its log. */
function pidsOf(service: Running): number[] {
  return Array.from(service.stdout().matchAll(/"pid":(\d+)/g), ([, pid]) => Number(pid))
}

describe('npm start', () => {
  test('with nothing changed builds nothing and serves; SIGTERM to npm alone ends it after what runs', async () => {
    const before = statSync(inProject('dist')).ino
    const service = npmStart()
    const port = await portOf(service)
    expect(service.stderr()).toBe('')
    expect(statSync(inProject('dist')).ino).toBe(before)
    const body = '{"name":"Rex","categoryId":7}'
    const slow = await postWaiting(port, await enterpriseKey(inProject('data/store.db')), body.length)
    service.child.kill('SIGTERM')
    await service.until(/"msg":"closing"/)
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    expect(await service.ended).toBe(0)
    expect(pidsOf(service).filter(isAlive)).toEqual([])
  })

  test.each<[what: string, start: () => Running, end: (service: Running) => unknown]>([
    [
      'Ctrl-C at a terminal, which npm repeats,',
      () => startNpm('script', ['-qec', 'exec npm start', '/dev/null']),
      ({ child }) => child.stdin?.write('\u0003'),
    ],
    [
      'SIGTERM to every process, as from systemd, which npm repeats,',
      () => startNpm('npm', ['start'], true),
      ({ child }) => process.kill(-(child.pid ?? NaN), 'SIGTERM'),
    ],
  ])('%s ends it after what runs', async (_, start, end) => {
    const service = start()
    const port = await portOf(service)
    const body = '{"name":"Rex","categoryId":7}'
    const slow = await postWaiting(port, await enterpriseKey(inProject('data/store.db')), body.length)
    end(service)
    await service.until(/"msg":"closing"/)
    await sleep(300)
    slow.socket.write(body)
    await slow.closed
    expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
    expect(await service.ended).toBe(0)
    expect(pidsOf(service).filter(isAlive)).toEqual([])
    expect(existsSync(inProject('data/store.db-wal'))).toBe(false)
  })

  test('in a terminal that is closed leaves no process behind', async () => {
    const service = startNpm('script', ['-qec', 'npm start', '/dev/null'])
    await portOf(service)
    service.child.kill('SIGKILL')
    await gone(...pidsOf(service))
    expect(existsSync(inProject('data/store.db-wal'))).toBe(false)
  })

  test('twice at once with something changed serves twice what was built', async () => {
    project.write('src/another.ts', 'export const another = 1\n')
    const both = [npmStart(), npmStart()]
    await Promise.all(both.map(portOf))
    expect(existsSync(inProject('dist/src/another.js'))).toBe(true)
    expect(both.map(({ stderr }) => stderr())).toEqual([building, building])
    expect(await build('--if-changed')).toEqual({ code: 0, output: '' })
  })

  test('shows help when asked, and refuses other arguments with 2', async () => {
    const help = npmStart('--help')
    expect(await help.ended).toBe(0)
    expect(help.stdout()).toContain('\nUsage: npm start --')
    for (const wrong of ['now', '--port']) {
      const { ended, stderr, stdout } = npmStart(wrong)
      expect(await ended).toBe(2)
      expect(stderr()).toMatch(/^error: .+\nSee npm start -- --help\n/)
      expect(stdout()).not.toContain('listening')
    }
  })

  test('with a source that does not compile says where, and neither starts nor changes what was built', async () => {
    const built = project.read('dist/src/main.js')
    const text = project.read('src/main.ts')
    project.write('src/main.ts', `${text}const wrong: number = 'text'\nconsole.log(wrong)\n`)
    const service = npmStart()
    expect(await service.ended).not.toBe(0)
    expect(service.stdout()).toMatch(/^src\/main\.ts\(\d+,7\): error TS2322: /m)
    expect(service.stdout()).not.toContain('listening')
    expect(project.read('dist/src/main.js')).toBe(built)
    project.write('src/main.ts', text)
    expect(await build('--if-changed')).toEqual({ code: 0, output: '' })
  })

  test('with a contract that cannot be read says where, without a stack', async () => {
    const text = project.read('openapi.yaml')
    project.write('openapi.yaml', `\t${text}`)
    const { code, output } = await build('--if-changed')
    // the tests behind need it, also when this one fails
    project.write('openapi.yaml', text)
    expect(code).toBe(1)
    expect(output).toMatch(
      /^Building dist\/ …\nopenapi\.yaml:1:1 Tabs are not allowed as indentation\. Indent by spaces\.\n/,
    )
    expect(output).not.toMatch(/\n\s+at /)
  })
})

/** What a change makes of a file, which may not be there before or afterwards. */
type Change = (text: string) => string | undefined

test.each([
  ['dev', /^service: started in .+127\.0\.0\.1:(\d+)\/v1/m],
  ['mock', /mocked at http:\/\/127\.0\.0\.1:(\d+)\/v1/],
])('npm run %s ends with SIGTERM to npm alone', async (script, serving) => {
  const service = startNpm('npm', ['run', '-s', script])
  const [, port] = await service.until(serving)
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow()
})

describe('npm run build', () => {
  const more: Change = (text) => `${text}\n`
  const removed: Change = () => undefined

  test.each<[what: string, file: string, change: Change]>([
    ['a source', 'src/main.ts', more],
    ['a source that keeps its length', 'src/config/config.ts', (text) => text.replace('PORT', 'TROP')],
    ['a new source', 'src/new.ts', () => 'export const isNew = true\n'],
    ['a source that is gone', 'src/another.ts', removed],
    ['the contract', 'openapi.yaml', more],
    ['generated code', 'generated/handlers.ts', more],
    ['a file of the pages', 'src/http/pages/assets/home.css', more],
    ['settings of the compiler', 'tsconfig.build.json', more],
    ['a built file', 'dist/src/main.js', more],
    ['a built file that is gone', 'dist/openapi.yaml', removed],
  ])('notices %s', async (_, file, change) => {
    const before = existsSync(inProject(file)) ? project.read(file) : undefined
    const put = (text: string | undefined): void => {
      if (text === undefined) rmSync(inProject(file), { force: true })
      else project.write(file, text)
    }
    put(change(before ?? ''))
    // with a compiler that fails, so that nothing is built and the next case begins where this one did
    renameSync(inProject('node_modules'), inProject('packages'))
    mkdirSync(inProject('node_modules/typescript/bin'), { recursive: true })
    project.write('node_modules/typescript/bin/tsc', 'process.exitCode = 3')
    project.write('node_modules/typescript/package.json', '{}')
    mkdirSync(inProject('node_modules/@types/node'), { recursive: true })
    project.write('node_modules/@types/node/package.json', '{}')
    const failed = await build('--if-changed')
    rmSync(inProject('node_modules'), { recursive: true })
    renameSync(inProject('packages'), inProject('node_modules'))
    expect(failed).toEqual({ code: 3, output: building })
    put(before)
    expect(await build('--if-changed')).toEqual({ code: 0, output: '' })
  })

  test('builds what is new and keeps nothing of what is gone, without a flag also when nothing has changed', async () => {
    rmSync(inProject('src/another.ts'))
    project.edit('openapi.yaml', 'maximum: 100\n', 'maximum: 99\n')
    project.write('src/http/pages/assets/home.css', 'body {}\n')
    const before = statSync(inProject('dist')).ino
    expect(await build()).toEqual({ code: 0, output: building })
    expect(statSync(inProject('dist')).ino).not.toBe(before)
    expect(existsSync(inProject('dist/src/another.js'))).toBe(false)
    expect(project.read('dist/openapi.yaml')).toBe(project.read('openapi.yaml'))
    expect(project.read('dist/src/http/pages/assets/home.css')).toBe('body {}\n')
    expect(readdirSync(project.folder).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
  })

  test('refuses other arguments with 2', async () => {
    for (const wrong of [['--help'], ['--if-changed', 'src']]) {
      expect(await build(...wrong)).toEqual({ code: 2, output: 'Usage: npm run build [-- --if-changed]\n' })
    }
  })
})
