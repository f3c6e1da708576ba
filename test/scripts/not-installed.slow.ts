import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { runCommand, type Finished } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'

// every run is a process of its own
jest.setTimeout(120_000)

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url))

let copy: ProjectCopy
beforeAll(() => {
  copy = copyProject()
  for (const name of ['package-lock.json', 'tsconfig.build.json']) {
    cpSync(join(installed, '..', name), join(copy.folder, name))
  }
})
afterAll(() => {
  copy.remove()
})

/** Replaces what is installed in the copy by these packages. */
function install(isWanted: (name: string) => boolean): void {
  rmSync(join(copy.folder, 'node_modules'), { recursive: true })
  mkdirSync(join(copy.folder, 'node_modules'))
  for (const name of readdirSync(installed).filter(isWanted)) {
    symlinkSync(join(installed, name), join(copy.folder, 'node_modules', name))
  }
}

function runIn(command: string, ...args: string[]): Promise<Finished> {
  return runCommand(command, args, { cwd: copy.folder, env: { HOME: copy.folder, NODE_ENV: 'production' } })
}

const names = ['keys', 'backup', 'migrate', 'store:copy', 'mock', 'dev', 'generate', 'contract:lint', 'contract:diff']

describe('without packages', () => {
  test.each(['start', 'build', ...names])('`npm run %s` says to install them', async (name) => {
    install(() => false)
    const { code, stdout, stderr } = await runIn('npm', 'run', '-s', name)
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The packages of the project are not installed. Run `npm ci` first.\n',
    })
  })

  test.each([
    ['src/main.ts', 'close-with-grace'],
    ['scripts/animal-store.ts', 'commander'],
  ])('%s names one of them', async (script, name) => {
    install((one) => one !== name)
    const { code, stdout, stderr } = await runIn(process.execPath, '--import', 'tsx', script, '--help')
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `The package ${name} is not there. Run \`npm ci\` in the folder of the service, or install it again.\n`,
    })
  })
})

describe('without packages for development, as after `npm ci` in production', () => {
  const production = (name: string): boolean => !['tsx', '@types'].includes(name)

  test.each([
    ['start', '@types/node'],
    ['keys', 'tsx'],
  ])('`npm run %s` says how to install them, or what is built already', async (name, missing) => {
    install(production)
    const sentence =
      `The package ${missing} is not installed, as after \`npm ci\` with NODE_ENV=production or --omit=dev. ` +
      'Run `npm ci --include=dev`'
    expect(await runIn('npm', 'run', '-s', name)).toEqual({ code: 1, stdout: '', stderr: `${sentence}.\n` })
    mkdirSync(join(copy.folder, 'dist/scripts'), { recursive: true })
    copy.write('dist/scripts/animal-store.js', '')
    expect((await runIn('npm', 'run', '-s', name)).stderr).toBe(
      `${sentence}, or use what is built: \`node dist/scripts/animal-store.js --help\`.\n`,
    )
    rmSync(join(copy.folder, 'dist'), { recursive: true })
  })
})

describe('with a driver of SQLite that is not built, as after `npm ci --ignore-scripts`', () => {
  test.each([
    [['src/main.ts'], 'The database data/x.db cannot be opened'],
    [['scripts/migrate.ts'], 'The database data/x.db cannot be opened'],
    [['scripts/keys.ts', 'create', '--plan', 'free'], 'The database data/x.db cannot be opened'],
  ])('%j says how to build it, and makes no store', async (args, what) => {
    const drivers = ['better-sqlite3', 'better-sqlite3-napi'].filter((name) => existsSync(join(installed, name)))
    install((name) => !drivers.includes(name))
    for (const name of drivers) {
      cpSync(join(installed, name), join(copy.folder, 'node_modules', name), {
        recursive: true,
        filter: (file) => !/[\\/](build|prebuilds|binding.*\.node)$/.test(file),
      })
    }
    const env = { HOME: copy.folder, DATABASE_URL: 'sqlite:data/x.db' }
    const { code, stdout, stderr } = await runCommand(process.execPath, ['--import', 'tsx', ...args], {
      cwd: copy.folder,
      env,
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const runtime = `Node.js ${process.version} on ${process.platform}-${process.arch}`
    const name = drivers.at(-1) ?? ''
    expect(stderr).toBe(
      `${what}: SQLite's driver is not built for ${runtime}. Run \`npm rebuild ${name}\` in ${copy.folder}.\n`,
    )
    expect(existsSync(join(copy.folder, 'data'))).toBe(false)
  })
})
