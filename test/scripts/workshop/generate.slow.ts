import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runCommand } from '../../support/process.ts'
import { copyProject, type ProjectCopy } from '../../support/project.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let project: ProjectCopy
beforeEach(() => {
  project = copyProject()
})
afterEach(() => {
  project.remove()
})

const fresh = { code: 0, output: 'generated/ is up to date with openapi.yaml (3 operations).\n' }

describe('generate', () => {
  test('writes the bytes that are committed', async () => {
    const written = ['generated/openapi.d.ts', 'generated/handlers.ts', 'generated/tables.ts']
    const before = written.map(project.read)
    expect(await project.generate()).toEqual({
      code: 0,
      output:
        'Wrote generated/openapi.d.ts, generated/handlers.ts, and generated/tables.ts from openapi.yaml (3 operations).\n',
    })
    expect(written.map(project.read)).toEqual(before)
  })

  test('--stub writes a handler and a test that compile for each operation without them, and overwrites nothing', async () => {
    const files = ['src/handlers/createPet.ts', 'test/handlers/createPet.test.ts', 'src/handlers/getPet.ts']
    for (const name of ['test', 'examples']) cpSync(join(root, name), join(project.folder, name), { recursive: true })
    expect(await project.generate('--stub')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\nEvery operation has a handler\.\n$/),
    })
    for (const file of files) rmSync(join(project.folder, file))
    const kept = 'test/handlers/getPet.test.ts'
    project.write(kept, '// mine\n')
    const { code, output } = await project.generate('--stub')
    expect(code).toBe(0)
    for (const file of files) expect(output).toContain(file)
    expect(output).not.toContain(kept)
    expect(project.read(kept)).toBe('// mine\n')
    expect(project.read('test/handlers/createPet.test.ts')).toContain('.send(\n      \'{"name":')
    expect(await project.compile()).toEqual({ code: 0, output: '' })
  })

  test('--stub is refused with --check and for another contract', async () => {
    for (const wrong of [['--check'], ['other.yaml', '--out', 'types']]) {
      const { code, output } = await project.generate('--stub', ...wrong)
      expect(code).toBe(2)
      expect(output).toMatch(/^error: option .+ cannot be used with option /)
    }
  })

  test('--check passes when the files are fresh, also after an edit of comments alone', async () => {
    project.write('openapi.yaml', `# a comment\n\n${project.read('openapi.yaml')}`)
    expect(await project.generate('--check')).toEqual(fresh)
  })

  test('--check names what is stale, edited by hand, missing and extra, and writes nothing', async () => {
    project.edit('generated/handlers.ts', '  getPet,\n', '  getPet, // mine\n')
    const edited = await project.generate('--check')
    expect(edited.code).toBe(1)
    expect(edited.output).toContain('generated/handlers.ts was edited by hand, or the generator changed.')

    project.edit('openapi.yaml', '  title: Animal Store Service\n', '  title: Another Service\n')
    project.write('generated/notes.md', 'mine')
    const stale = await project.generate('--check')
    expect(stale.code).toBe(1)
    expect(stale.output).toContain('generated/handlers.ts is stale: openapi.yaml has changed.')
    expect(stale.output).toContain('generated/notes.md does not belong there.')
    expect(stale.output).toContain('Run `npm run generate` and commit what it writes.')
    expect(project.read('generated/handlers.ts')).toContain('// mine')
  })

  test('--check names each file when the folder is missing, and the command that mends it', async () => {
    rmSync(join(project.folder, 'generated'), { recursive: true })
    expect(await project.generate('--check')).toEqual({
      code: 1,
      output: [
        'generated/openapi.d.ts is missing.',
        'generated/handlers.ts is missing.',
        'generated/tables.ts is missing.',
        'Run `npm run generate` and commit what it writes.\n',
      ].join('\n'),
    })
  })

  test('--check, the formatter and the lint pass in a checkout that would have other ends of lines', async () => {
    for (const name of ['.gitattributes', '.prettierignore', '.prettierrc.json', 'redocly.yaml']) {
      cpSync(join(root, name), join(project.folder, name), { recursive: true })
    }
    project.write('.gitignore', 'node_modules\nclone\n')
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: project.folder, encoding: 'utf8' })
    git('init', '--quiet')
    git('add', '--all')
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Start')
    git('clone', '--quiet', '--config', 'core.autocrlf=true', '.', 'clone')
    const clone = join(project.folder, 'clone')
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    expect(readFileSync(join(clone, 'openapi.yaml'), 'utf8')).not.toContain('\r')
    const inClone = (...args: string[]): ReturnType<typeof runCommand> =>
      runCommand(process.execPath, args, { cwd: clone, env: process.env })
    const passes = { code: 0, stderr: '' }
    expect(await inClone('--import', 'tsx', 'scripts/generate.ts', '--check')).toMatchObject(passes)
    expect(await inClone('--import', 'tsx', 'scripts/contract-lint.ts')).toMatchObject(passes)
    const formatted = ['openapi.yaml', 'generated', 'src/app.ts', '--log-level', 'warn']
    expect(await inClone('node_modules/prettier/bin/prettier.cjs', '--check', ...formatted)).toMatchObject(passes)
  })

  test('--check passes also where git has already changed the ends of lines', async () => {
    for (const file of ['openapi.yaml', 'generated/openapi.d.ts', 'generated/handlers.ts']) {
      project.write(file, project.read(file).replaceAll('\n', '\r\n'))
    }
    expect(await project.generate('--check')).toEqual(fresh)
  })

  test.each([
    ['', 'not yaml: [', 'openapi.yaml:1:11 What begins here with [ does not end. '],
    [
      'operationId: listPets',
      'operationId: createPet',
      'openapi.yaml:194:7 The operationId createPet of POST /pets is taken by GET /pets.',
    ],
  ])('refuses %j as %j with file, line and column, and overwrites nothing', async (from, to, message) => {
    const before = project.read('generated/handlers.ts')
    if (from === '') project.write('openapi.yaml', to)
    else project.edit('openapi.yaml', from, to)
    const { code, output } = await project.generate()
    expect(code).toBe(2)
    expect(output).toMatch(/^openapi\.yaml:\d+:\d+ /)
    expect(output).toContain(message)
    expect(output).not.toContain('    at ')
    expect(project.read('generated/handlers.ts')).toBe(before)
  })
})

describe('a header that an answer must have', () => {
  test('is asked of the handler by the compiler', async () => {
    const headers = 'description: The animal.\n          headers:\n'
    const added = 'X-Added-At: { required: true, description: When., schema: { type: string } }'
    project.edit('openapi.yaml', headers, `${headers}            ${added}\n`)
    await project.generate()
    const { code, output } = await project.compile()
    expect(code).not.toBe(0)
    expect(output).toMatch(/^src\/handlers\/getPet\.ts\(\d+,\d+\): error /)
    expect(output).toContain("Property 'headers' is missing")
  })
})
