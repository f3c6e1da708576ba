import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { testFolder, works } from './support/process.ts'
import { startService, type TestService } from './support/service.ts'

// generators come from their registries
jest.setTimeout(600_000)

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = testFolder()
const bin = join(root, 'node_modules/.bin')

let service: TestService
beforeAll(async () => {
  service = await startService()
  // so that the first page is not the last one
  await service.stores.pets.add({ name: 'Mia', categoryId: 7n, status: 'sold' })
})
afterAll(() => service.stop())

/** Runs shell commands in a folder of the test, and gives what they print; a failure fails the test. */
function shell(command: string, cwd: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ANIMAL_STORE_URL: `http://127.0.0.1:${service.port}/v1`,
    ANIMAL_STORE_KEY: service.key,
    NO_COLOR: '1',
  }
  return new Promise((done, fail) => {
    execFile('bash', ['-ec', command], { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${command}\n${stdout}${stderr}`))
      else done(stdout)
    })
  })
}

/** The sections of the page about clients, each with its commands and its program. */
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8')
const sections = page.split(/^## /m).flatMap((section) => {
  const [, commands] = /^```sh\n([^]*?)^```/m.exec(section) ?? []
  const [, language = '', program = ''] = /^```(ts|go|python|java)\n([^]*?)^```/m.exec(section) ?? []
  const [name = ''] = section.split('\n')
  return commands === undefined ? [] : [{ name, commands, language, program }]
})

/** How a program is compiled and run, and the tools that must be there. */
const runs: Record<string, { file: string; command: string; tools: string[] }> = {
  ts: {
    file: 'first.ts',
    command:
      'npx tsc --noEmit --strict --skipLibCheck --target es2022 --module preserve --allowImportingTsExtensions --types node first.ts && ' +
      `${join(bin, 'tsx')} first.ts`,
    tools: ['npm -v'],
  },
  go: { file: 'first.go', command: 'go mod tidy && go run .', tools: ['go version'] },
  python: { file: 'first.py', command: '.venv/bin/python first.py', tools: ['python3 -m venv --help'] },
  java: {
    file: 'First.java',
    command: `java -cp 'client/target/openapi-java-client-1.0.0.jar:client/target/dependency/*' First.java`,
    tools: ['java -version', 'mvn -v'],
  },
}
/** What takes long, or loads much; run with CLIENTS=all. */
const expensive = ['orval', 'openapi-generator']
const exact = '9007199254740993'
/** What JavaScript makes of it. */
const rounded = '9007199254740992'

describe('the page about clients', () => {
  test('has a row for each section', () => {
    const rows = [...page.matchAll(/^\| \[.*?\]\(#([\w-]+)\) /gm)].map(([, anchor]) => anchor)
    expect(rows).toEqual(['a-package', ...sections.map(({ name }) => name)])
    expect(rows.length).toBe(8)
  })

  describe.each(sections)('$name', ({ name, language, program, commands }) => {
    const { file = '', command = '', tools = [] } = runs[language] ?? {}
    const missing = tools.filter((tool) => !works('bash', ['-c', tool]))
    const isLeftOut = missing.length > 0 || (expensive.includes(name) && process.env.CLIENTS !== 'all')
    const testWithTools = isLeftOut ? test.skip : test

    testWithTools(`makes a client that does what the table says (needs ${tools.join(', ')})`, async () => {
      const cwd = join(folder, name)
      mkdirSync(cwd)
      if (language === 'ts') writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }')
      const here = (text: string): string => text.replaceAll('127.0.0.1:8080', `127.0.0.1:${service.port}`)
      await shell(here(commands), cwd)
      writeFileSync(join(cwd, file), here(program))
      const printed = await shell(command, cwd)
      expect(printed).toMatch(/^category \d+\nnext AAAAAAAAA\w\w\nrefused unauthorized\n$/)
      expect(printed).toContain(`category ${language === 'ts' ? rounded : exact}\n`)
    })
  })
})

describe('the package in TypeScript', () => {
  test('stands alone: its README leads from an empty folder to the first steps', async () => {
    const cwd = join(folder, 'package')
    cpSync(join(root, 'examples/typescript'), cwd, { recursive: true })
    const made = readFileSync(join(cwd, 'openapi.d.ts'), 'utf8')
    const [, steps = ''] = /^```sh\n([^]*?)^```/m.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? []
    const commands = steps.split('\n').filter((line) => line !== '' && !line.startsWith('export '))
    expect(commands).toHaveLength(4)
    const printed = await shell(
      commands
        .map((command) => `${command} >&2`)
        .join('\n')
        .replace(/ >&2$/, ''),
      cwd,
    )
    expect(printed).toMatch(/Added animal \d+ of category 9007199254740993\.\nSent again: animal \d+, replayed\./)
    // `npm run types` in its folder, while the service runs, brings it up to date
    expect(readFileSync(join(cwd, 'openapi.d.ts'), 'utf8')).toBe(made)
    expect(readdirSync(cwd)).toContain('node_modules')
  })
})

describe('the home page', () => {
  test('has a command that makes types with which its own first request compiles', async () => {
    const cwd = join(folder, 'home')
    mkdirSync(cwd)
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
    writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }')
    const home = await (await fetch(`http://127.0.0.1:${service.port}/`)).text()
    const [, command = ''] = /<code [^>]*>(npx openapi-typescript .*?)<\/code>/.exec(home) ?? []
    const [, body = ''] = /-d '(\{.*?\})'/.exec(home.replaceAll('&#34;', '"')) ?? []
    expect(body).toBe('{"name":"Rex","categoryId":7}')
    await shell(command.replace(/http:\/\/[\d.:]+/, `http://127.0.0.1:${service.port}`), cwd)
    writeFileSync(
      join(cwd, 'first.ts'),
      `import createClient from 'openapi-fetch'
import type { paths } from './animal-store.ts'
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:${service.port}/v1' })
const { data } = await client.POST('/pets', { body: ${body}, headers: { Authorization: 'Bearer ${service.key}' } })
console.log(data?.name)
`,
    )
    const { command: compile = '' } = runs.ts ?? {}
    expect(await shell(compile, cwd)).toBe('Rex\n')
  })
})
