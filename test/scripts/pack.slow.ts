import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { copyWorkingTree } from '../../scripts/test-node/working-tree.ts'
import { endAll, runCommand, startCommand, type Finished } from '../support/process.ts'

// a build takes some seconds of a core that nobody else uses
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
/** A clone as git gives it. */
let clone: string
/** Where the user of the installed command is. */
let elsewhere: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-pack-'))
  clone = join(folder, 'clone')
  elsewhere = join(folder, 'elsewhere')
  for (const one of [clone, elsewhere]) mkdirSync(one)
  copyWorkingTree(clone)
})
afterAll(async () => {
  await endAll()
  rmSync(folder, { recursive: true })
})

function npm(...args: string[]): Promise<Finished> {
  return runCommand('npm', args, { cwd: clone, env: { HOME: folder } })
}

/** The files below a folder, relative to it. */
function filesIn(at: string): string[] {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(at, join(entry.parentPath, entry.name)))
}

/* One story: each test goes on where the one before it ended. */
describe('npm pack', () => {
  test('without the compiler says what to run, and packs nothing', async () => {
    const { code, stderr } = await npm('pack', '--foreground-scripts')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^The packages of the project are not installed\. Run `npm ci` first\.$/m)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(readdirSync(clone).filter((name) => name.endsWith('.tgz'))).toEqual([])
    expect(existsSync(join(clone, 'dist'))).toBe(false)
  })

  test('in a fresh clone packs what the service runs from, and no sources, tests or tools', async () => {
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    const { code, stdout } = await npm('pack', '--json', '--pack-destination', folder)
    expect(code).toBe(0)
    const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
    const files = packed?.files.map(({ path }) => path) ?? []
    expect(files.filter((file) => !file.startsWith('dist/')).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'openapi.yaml',
      'package.json',
    ])
    const needed = filesIn(join(clone, 'dist')).filter((file) => !/^(build\.digests$|scripts\/build\/)/.test(file))
    expect(files.filter((file) => file.startsWith('dist/')).toSorted()).toEqual(
      needed.map((file) => `dist/${file}`).toSorted(),
    )
    expect(files.filter((file) => /\.ts$|\.map$|\b(test|bench)\b/.test(file))).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining(['dist/scripts/animal-store.js', 'dist/src/main.js', 'dist/openapi.yaml']),
    )
  })

  test('gives a command that works from another folder, with the packages of production alone', async () => {
    const unpacked = join(folder, 'package')
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    execFileSync('tar', ['xzf', join(folder, archive), '-C', folder])
    copyProductionPackages(unpacked)
    rmSync(clone, { recursive: true })

    // npm installs a folder as a link, and so needs no registry: the driver of SQLite is the one that is compiled here
    const prefix = join(folder, 'prefix')
    const installed = await runCommand('npm', ['install', '--global', '--offline', '--prefix', prefix, unpacked], {
      cwd: elsewhere,
      env: { HOME: folder },
    })
    expect({ code: installed.code, stderr: installed.stderr }).toEqual({ code: 0, stderr: '' })

    const program = join(prefix, 'bin/animal-store')
    const { child, ended, until } = startCommand(program, ['serve'], { cwd: elsewhere, env: { PORT: '0' } })
    const [, address = ''] = await until(/"address":"([^"]+)"[^\n]*"listening"/)
    const [key = ''] = await until(/ak_\w{49}/)
    const made = await fetch(`${address}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":7}',
    })
    expect([made.status, await made.text()]).toEqual([201, '{"id":1,"name":"Rex","categoryId":7,"status":"available"}'])
    for (const page of ['/', '/docs', '/openapi.yaml', '/readyz']) {
      expect([page, (await fetch(new URL(page, address))).status]).toEqual([page, 200])
    }
    const listed = await runCommand(program, ['keys', 'list', '--json'], { cwd: elsewhere })
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(listed.stdout)).toMatchObject([{ plan: 'free', label: 'first key' }])
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(readdirSync(elsewhere)).toEqual(['data'])
    expect(readdirSync(join(elsewhere, 'data'))).toContain('animal-store.db')
  })
})

/** Copies the packages that `npm install --omit=dev` would install, with what was compiled for this machine. */
function copyProductionPackages(to: string): void {
  const list = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root, encoding: 'utf8' })
  for (const path of list.split('\n')) {
    const name = relative(root, path)
    if (!name.startsWith('node_modules/') || !existsSync(path)) continue
    cpSync(path, join(to, name), { recursive: true, filter: (one) => !relative(path, one).startsWith('node_modules') })
  }
}
