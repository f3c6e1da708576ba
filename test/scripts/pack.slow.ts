import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { parse } from 'yaml'
import { copyWorkingTree } from '../../scripts/test-node/working-tree.ts'
import { endAll, runCommand, startCommand, type Finished } from '../support/process.ts'
import { otlpReceiver } from '../support/servers/otlp.ts'

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
      'redocly.yaml',
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

  test('needs no package for development', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const dist = join(clone, 'dist')
    const imported = filesIn(dist)
      .filter((file) => file.endsWith('.js') && !file.startsWith('src/http/pages/assets/'))
      .flatMap((file) => [
        ...readFileSync(join(dist, file), 'utf8').matchAll(
          /^(?:import|export) (?:.* from )?'([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm,
        ),
      ])
      .map(([, fixed, lazy]) => fixed ?? lazy ?? '')
      .filter((name) => !name.startsWith('node:'))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
    // tests that are written are texts
    const ofTexts = ['@jest/globals', 'supertest']
    const missing = new Set(imported.filter((name) => !(name in dependencies) && !ofTexts.includes(name)))
    expect({ missing: [...missing], some: imported.includes('express') }).toEqual({ missing: [], some: true })
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
    const receiver = await otlpReceiver()
    const env = { PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
    const { child, ended, until } = startCommand(program, ['serve'], { cwd: elsewhere, env })
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
    expect(receiver.spans.map(({ name }) => name)).toContain('INSERT pets')
    await receiver.stop()
    expect(readdirSync(elsewhere)).toEqual(['data'])
    expect(readdirSync(join(elsewhere, 'data'))).toContain('animal-store.db')
  })

  describe('gives a repository made from nothing, by npx,', () => {
    let repository: string
    const npx = (...args: string[]): Promise<Finished> =>
      runCommand('npx', ['--no', 'animal-store', 'contract', ...args], { cwd: repository, env: { HOME: folder } })
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
        cwd: repository,
        encoding: 'utf8',
      })
    const write = (text: string): void => {
      writeFileSync(join(repository, 'openapi.yaml'), text)
    }
    beforeAll(async () => {
      repository = join(folder, 'repository')
      mkdirSync(repository)
      writeFileSync(join(repository, 'package.json'), '{ "private": true }')
      const { code, stderr } = await runCommand(
        'npm',
        ['install', '--offline', '--save-dev', join(folder, 'package')],
        {
          cwd: repository,
          env: { HOME: folder },
        },
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    })

    test.each([['lint'], ['diff'], ['mock'], ['generate', '--out', 'types']])(
      'a sentence and 2 from `contract %s` where there is no contract',
      async (...args) => {
        const { code, stdout, stderr } = await npx(...args)
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
        expect(stderr).toMatch(
          /^There is no openapi\.yaml in this folder\. Name the contract: animal-store contract .*FILE.*\n$/,
        )
      },
    )

    test.each([
      [['lint', '--loud'], /^error: unknown option '--loud'\nSee animal-store contract lint --help\n$/],
      [['lint', 'node_modules'], /^[^\n]+\n$/],
      [['diff', '--head', 'missing.yaml'], /^There is no file missing\.yaml\.\n$/],
      [['lnt'], /^error: unknown command 'lnt'\n\(Did you mean lint\?\)\nSee animal-store contract --help\n$/],
      [
        ['generate', 'other.yaml'],
        /^The types need a folder: animal-store contract generate other\.yaml --out FOLDER\n$/,
      ],
    ])('a sentence and 2 for %j', async (args, sentence) => {
      expect(await npx(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
    })

    test('lint, and a comparison with the branch that git knows', async () => {
      write(things)
      writeFileSync(join(repository, '.gitignore'), 'node_modules\n')
      git('init', '--quiet', '--initial-branch=main')
      git('add', '--all')
      git('commit', '--quiet', '--message', 'Start')
      git('checkout', '--quiet', '-b', 'work')
      expect(await npx('lint')).toEqual({ code: 0, stdout: 'The contract is sound.\n', stderr: '' })
      expect(await npx('diff')).toMatchObject({ code: 0, stderr: '' })

      write(things.replace('name: { type: string }', 'name: { type: integer }'))
      git('commit', '--quiet', '--all', '--message', 'Break')
      expect(await npx('lint')).toMatchObject({ code: 0 })
      const broken = await npx('diff')
      expect(broken).toMatchObject({ code: 1, stderr: '' })
      expect(broken.stdout).toContain('schema Thing in responses, property name: type changed from string to integer.')

      write(things.replace("description: 'A thing.'", 'descripton: A thing.'))
      const faulty = await npx('lint', '--format', 'github')
      expect(faulty).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^::error title=struct,file=openapi\.yaml/),
      })
      write(things)
    })

    test.each([
      ['.github/workflows/contract.yml', { GITHUB_BASE_REF: 'main' }],
      ['.gitlab-ci.yml', { CI_MERGE_REQUEST_DIFF_BASE_SHA: 'main' }],
    ])('the checks that the documents have for %s', async (file, env) => {
      const page = readFileSync(join(root, 'docs/contract-workshop.md'), 'utf8')
      const block = page.slice(page.indexOf(`\`${file}\``)).match(/```yaml\n([^]*?)```/)?.[1] ?? ''
      expect(block.trim().split('\n').length).toBeLessThanOrEqual(10)
      const { jobs, contract } = parse(block) as {
        jobs?: { contract: { steps: { run?: string }[] } }
        contract?: { script: string[] }
      }
      const steps = contract?.script ?? jobs?.contract.steps.flatMap(({ run }) => run ?? []) ?? []
      expect(steps[0]).toBe('npm ci')
      git('update-ref', 'refs/remotes/origin/main', 'main')
      const checks = async (): Promise<unknown[]> => {
        const codes: unknown[] = []
        for (const step of steps.slice(1)) {
          const { code, stderr } = await runCommand('sh', ['-c', step], {
            cwd: repository,
            env: { HOME: folder, ...env },
          })
          codes.push(stderr === '' ? code : stderr)
        }
        return codes
      }
      expect(await checks()).toEqual([0, 0])
      write(things.replace('name: { type: string }', 'name: { type: integer }'))
      expect(await checks()).toEqual([0, 1])
      write(things.replace("description: 'A thing.'", 'descripton: A thing.'))
      expect((await checks())[0]).toBe(1)
      write(things)
    })

    test('types and a mock', async () => {
      expect(await npx('generate', '--out', 'types')).toMatchObject({ code: 0, stderr: '' })
      const types = readFileSync(join(repository, 'types/openapi.d.ts'), 'utf8')
      expect(types).toMatch(/^\/\/ Written by `animal-store contract generate` from openapi\.yaml\. Do not edit\.\n/)
      expect(await npx('generate', '--out', 'types', '--check')).toMatchObject({ code: 0 })
      const program = join(repository, 'node_modules/.bin/animal-store')
      const mock = startCommand(program, ['contract', 'mock'], { cwd: repository, env: { PORT: '0' } })
      const [, address = ''] = await mock.until(/ is mocked at (\S+):/)
      const answer = await fetch(`${address}/things/1`)
      expect({ status: answer.status, body: await answer.json() }).toEqual({
        status: 200,
        body: { name: expect.any(String) },
      })
      expect(await mock.stop()).toBe(0)
    })

    test('a sentence about the Redocly CLI where a redocly.yaml names rules', async () => {
      writeFileSync(join(repository, 'redocly.yaml'), 'extends: [recommended]\n')
      expect(await npx('lint')).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'redocly.yaml:1:1 The rules that it names need the Redocly CLI. Install it: npm install --save-dev @redocly/cli\n',
      })
      mkdirSync(join(repository, 'node_modules/@redocly'))
      symlinkSync(join(root, 'node_modules/@redocly/cli'), join(repository, 'node_modules/@redocly/cli'))
      expect((await npx('lint')).stdout).toContain('(info-license)')
    })
  })
})

const things = `openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: 'A thing.'
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Thing: { type: object, required: [name], properties: { name: { type: string } } }
`

/** Copies the packages that `npm install --omit=dev` would install, with what was compiled for this machine. */
function copyProductionPackages(to: string): void {
  const list = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root, encoding: 'utf8' })
  for (const path of list.split('\n')) {
    const name = relative(root, path)
    if (!name.startsWith('node_modules/') || !existsSync(path)) continue
    cpSync(path, join(to, name), { recursive: true, filter: (one) => !relative(path, one).startsWith('node_modules') })
  }
}
