import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { copyWorkingTree } from '../scripts/test-node/working-tree.ts'
import { startCommand, testFolder, type Running } from './support/process.ts'
import { freePort } from './support/servers/redis-server.ts'

// each command starts processes
jest.setTimeout(600_000)

const folder = testFolder()
const root = fileURLToPath(new URL('..', import.meta.url))
const inCi = readFileSync(join(root, '.ci/run'), 'utf8').replaceAll('npm run --silent ', 'npm run ')

/** How a command of the documents is tested. The first rule that matches counts. */
const rules: { command: RegExp; serves?: RegExp; instead?: string }[] = [
  { command: /^npm start$/, serves: /curl -i \S+ -H 'Authorization: Bearer (ak_\w+)'/ },
  { command: /^OTEL_.* npm start$/, serves: /listening/ },
  { command: /^(PORT=\d+ )?npm run (-s )?(dev|mock)\b(?!:)/, serves: /started in|Bearer ak_/ },
  { command: /^npm run (-s )?test:node\b/, instead: 'takes minutes, and another Node.js from the registry' },
  { command: /^npm run (-s )?bench( |$)/, instead: 'takes minutes; its parts are run by bench:guard' },
  {
    command: /^npm ci && npm pack$|^npm install (-g|--save-dev) |^(npx )?animal-store /,
    instead: 'test/scripts/pack.slow.ts runs it',
  },
  { command: /^npm run suites\b/, instead: 'needs PyPI; the files of test/suites/ run it' },
  { command: /^npm run -s keys -- \w+ -$/, instead: 'reads a key; test/scripts/keys.slow.ts runs it' },
  {
    command: /^npm (ci|test|run (check|test:slow|faults|fuzz|fuzz:mocks|proof|conformance))\b/,
    instead: '.ci/run',
  },
  { command: /^npm run survey\b/, instead: 'test/survey/survey.slow.ts' },
  { command: /^npm run (-s )?restore /, instead: 'replaces no store; test/scripts/restore.slow.ts runs it' },
  { command: /^pg_dump |^pg_restore |^psql /, instead: 'needs a PostgreSQL server' },
  {
    command: /^npm run (-s )?store:copy /,
    instead: 'needs a PostgreSQL server; test/scripts/store-copy.slow.ts runs it',
  },
  { command: /^docker |^systemctl |^sudo /, instead: 'needs a machine of its own' },
]

interface Step {
  page: string
  command: string
}

/** Pages that a test of their own follows. */
const followed = ['docs/adding-an-operation.md', 'docs/another-api.md', 'docs/clients.md']

/** Every command of the documents in order: the lines of shell blocks, and the lines after `$` in recordings. */
const pages = ['README.md', 'CONTRIBUTING.md', ...pagesOf('docs'), ...pagesOf('examples')]
const steps = pages
  .filter((page) => !followed.includes(page))
  .flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(
      ([, language, block = '']) =>
        commandsOf(language === 'sh' ? block : recorded(block)).map((command): Step => ({ page, command })),
    ),
  )

function pagesOf(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
}

/** The commands of a recording, without their output. */
function recorded(block: string): string {
  return [...block.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command).join('\n')
}

function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#\s.*$/, '').trim())
    .filter((line) => line !== '')
}

let port: number
let key = ''
let keyId = ''
/** The variables that the commands have exported. */
const exported: Record<string, string> = {}

beforeAll(async () => {
  copyWorkingTree(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['old.yaml', 'new.yaml', 'other.yaml']) cpSync(join(folder, 'openapi.yaml'), join(folder, name))
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  for (let count = 0; count < 4; count += 1) git('commit', '--quiet', '--allow-empty', '--message', 'Start')
  port = await freePort()
})

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=Docs', '-c', 'user.email=docs@localhost', ...args], { cwd: folder })
}

/** Replaces the placeholders of the documents with the values of this run. */
function filledIn(command: string): string {
  return command
    .replaceAll(':8080', `:${port}`)
    .replaceAll('ak_…', key)
    .replaceAll(/\bkey_\w{12}\b/g, keyId)
    .replaceAll(/\bFILE\b/g, 'openapi.yaml')
    .replaceAll(/\bBASE\b/g, 'HEAD')
    .replaceAll('/var/backups/', `${folder}/`)
}

/** Starts a command as the leader of a process group, so that npm's children end with it. */
function shell(command: string, onPort: number): Running {
  const { HOME } = process.env
  const env = { HOME, PORT: String(onPort), ANONYMOUS_PER_MINUTE: '100000', ...exported }
  return startCommand('bash', ['-c', command], { cwd: folder, env, group: true })
}

describe.each(steps)('$page', ({ command }) => {
  const rule = rules.find((one) => one.command.test(command))

  if (rule?.instead === '.ci/run') {
    test(`${command} is run by .ci/run`, () => {
      expect(inCi).toContain(command.split(' -- ')[0])
    })
  } else if (rule?.instead !== undefined) {
    test.skip(`${command} (${rule.instead})`, () => undefined)
  } else if (rule?.serves) {
    test(command, async () => {
      const isService = command === 'npm start'
      const server = shell(filledIn(command), isService ? port : await freePort())
      const found = await server.until(rule.serves ?? /./)
      // later commands use this service
      if (isService) key = found[1] ?? ''
      else await server.stop()
    })
  } else {
    test(command, async () => {
      const [, name, value = ''] = /^export (\w+)=(.*)$/.exec(filledIn(command)) ?? []
      if (name !== undefined) exported[name] = value
      const { child, ended, stdout, stderr } = shell(filledIn(command), port)
      child.stdin?.end()
      const code = await ended
      expect({ code, output: stdout() + stderr() }).toMatchObject({ code: 0 })
      // later commands use the first key
      if (command.includes(' create ')) keyId = /\bkey_\w{12}\b/.exec(stdout())?.[0] ?? keyId
    })
  }
})
