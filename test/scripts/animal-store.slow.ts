import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { start, testFolder } from '../support/process.ts'

const folder = testFolder()

async function run(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { DATABASE_URL: `sqlite:${folder}/store.db` }
  const { ended, stdout, stderr } = start(['scripts/animal-store.ts', ...args], env)
  return { code: await ended, stdout: stdout(), stderr: stderr() }
}

test('without a command it tells what there is', async () => {
  for (const args of [[], ['--help']]) {
    const { code, stdout } = await run(...args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: animal-store \[options\] \[command\]\n/)
    expect(stdout).toContain('animal-store keys create --plan free')
  }
})

test('another command is refused by its name, with the one that was meant', async () => {
  for (const [name, meant] of [
    ['kyes', '(Did you mean keys?)\n'],
    ['srve', '(Did you mean serve?)\n'],
    ['lint', '(Did you mean contract lint?)\n'],
    ['constructor', ''],
  ] as const) {
    const stderr = `error: unknown command '${name}'\n${meant}See animal-store --help\n`
    expect(await run(name)).toEqual({ code: 2, stdout: '', stderr })
  }
})

test('it tells its version, and the help of each command', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  for (const flag of ['--version', '-V']) {
    expect(await run(flag)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  }
  const contract = ['lint', 'diff', 'mock', 'generate'].map((name) => `contract ${name}`)
  for (const name of [
    'serve',
    'keys',
    'backup',
    'restore',
    'erase',
    'migrate',
    'store:copy',
    'contract',
    ...contract,
  ]) {
    const { code, stdout } = await run('help', ...name.split(' '))
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`^Usage: animal-store ${name} [^]*\nOptions:\n[^]*\nExamples:\n  animal-store ${name}`),
    )
  }
})

test('contract generate writes resources of the project in this folder', async () => {
  const { code, stderr } = await run('contract', 'generate', '--resource', '/nothing')
  expect([code, stderr]).toEqual([2, expect.stringContaining('The contract has no path /nothing.')])
})

test('keys are those of the store, and their exit code is passed on', async () => {
  const { code, stdout } = await run('keys', 'create', '--plan', 'free', '--json')
  expect(code).toBe(0)
  const { id } = JSON.parse(stdout) as { id: string }
  expect((await run('keys', 'list')).stdout).toContain(id)
  expect((await run('keys', 'revoke', 'nobody')).code).toBe(1)
  expect((await run('keys', 'create')).code).toBe(2)
})

test('serve --help lists every setting of the README with its default, in 80 columns', async () => {
  const { code, stdout } = await run('serve', '--help')
  expect(code).toBe(0)
  const [, section = ''] = readFileSync('README.md', 'utf8').split('\n## Configuration\n')
  const rows = Array.from(
    (section.split('\n## ')[0] ?? '').matchAll(/^\| (`[A-Z_`, ]+?) +\| (.+?) +\|/gm),
    ([, ...cells]) => cells.map((cell) => cell.replaceAll('`', '')),
  )
  expect(rows.length).toBeGreaterThan(10)
  for (const [names = '', fallback = ''] of rows) expect(stdout).toContain(`\n  ${names} (${fallback})\n      `)
  expect(stdout).not.toMatch(/[`|]|\]\(/)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('serve tells what it does, and takes no arguments', async () => {
  const file = `${folder}/never.db`
  for (const [args, code] of [
    [['--help'], 0],
    [['now'], 2],
    [['--port', '8080'], 2],
  ] as const) {
    const { ended, stdout, stderr } = start(['scripts/animal-store.ts', 'serve', ...args], {
      DATABASE_URL: `sqlite:${file}`,
      PORT: '0',
    })
    expect({ args, code: await ended }).toEqual({ args, code })
    expect(code === 0 ? stdout() : stderr()).toMatch(/^Usage: animal-store serve|See animal-store serve --help/m)
    expect(existsSync(file)).toBe(false)
  }
})

test('serve runs the service until it is told to end', async () => {
  const { child, ended, until } = start(['scripts/animal-store.ts', 'serve'], {
    DATABASE_URL: `sqlite:${folder}/store.db`,
    PORT: '0',
  })
  const [, address = ''] = await until(/"address":"([^"]+)"/)
  expect((await fetch(`${new URL(address).origin}/livez`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
