import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { describe, expect, jest, test } from '@jest/globals'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { newFiles, run, start, testFolder } from '../support/process.ts'

// every run is a process of its own
jest.setTimeout(120_000)

const newFile = newFiles(testFolder())

interface Ended {
  code: unknown
  stderr: string
}

/** Runs a script whose standard output nobody reads. */
async function unheard(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const { child, ended, stderr } = start(args, env)
  child.stdout?.destroy()
  return { code: await ended, stderr: stderr() }
}

/** Runs a script whose standard output is on a full disk. */
async function onFullDisk(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, stderr }
}

const lost = 'The output could not be written: .+\\.'

describe.each([
  ['a reader that has gone', unheard],
  ...(existsSync('/dev/full') ? [['a full disk', onFullDisk] as const] : []),
] as const)('an output that cannot be written, to %s', (_, runLost) => {
  test.each([{ flags: [] }, { flags: ['--json'] }])(
    'leaves no valid key that nobody has seen: $flags',
    async ({ flags }) => {
      const file = newFile()
      const { code, stderr } = await runLost(['scripts/keys.ts', 'create', '--plan', 'free', ...flags], {
        DATABASE_URL: `sqlite:${file}`,
      })
      expect(code).toBe(1)
      const [, id] = new RegExp(
        `^${lost} Nobody has seen the new key (key_\\w+), so it is revoked\\. .+\\.$`,
        'm',
      ).exec(stderr) ?? ['', stderr]
      expect(stderr).not.toMatch(/\n\s+at /)
      const stores = sqliteStores(file)
      const keys = await stores.keys.list()
      await stores.close()
      expect(keys).toEqual([expect.objectContaining({ id, revokedAt: expect.any(Number) })])
    },
  )

  test.each([
    ['keys.ts', ['list']],
    ['keys.ts', ['--help']],
    ['migrate.ts', []],
  ])('ends quietly for a reader that has gone, and else in a sentence: %s %j', async (script, args) => {
    const env = { DATABASE_URL: `sqlite:${newFile()}` }
    await run(['scripts/migrate.ts'], env)
    const ended = await runLost([`scripts/${script}`, ...args], env)
    if (runLost === unheard) expect(ended).toEqual({ code: 141, stderr: '' })
    else expect(ended).toEqual({ code: 1, stderr: expect.stringMatching(new RegExp(`^${lost}\n$`)) })
  })

  test('makes no worse of a backup that is verified', async () => {
    const env = { DATABASE_URL: `sqlite:${newFile()}` }
    await run(['scripts/migrate.ts'], env)
    const file = newFile()
    const { code, stderr } = await runLost(['scripts/backup.ts', file], env)
    expect(code).toBe(0)
    expect(stderr).toMatch(new RegExp(`^${lost} \\S+ holds 0 animals and 0 keys, and is verified: .+\\.\n$`))
    expect(existsSync(file)).toBe(true)
  })

  test('ends a mock whose key nobody has seen', async () => {
    const ended = await runLost(['scripts/mock.ts'], { PORT: '0' })
    if (runLost === unheard) expect(ended).toEqual({ code: 141, stderr: '' })
    else expect(ended).toEqual({ code: 2, stderr: expect.stringMatching(new RegExp(`^${lost}\n$`)) })
  })
})
