import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import stringWidth from 'string-width'
import { newKey } from '../../src/auth/key.ts'
import { startCommand, testFolder, type Running } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

// every run is a process of its own
jest.setTimeout(120_000)

testFolder()
let service: TestService
beforeAll(async () => {
  service = await startService()
  const start = 'ak_0aB1cD'
  const label = 'ein sehr langes Label mit 你好你好 und vielen Wörtern darin'
  await service.addKey({ label, start, plan: 'enterprise', custom: { perMinute: 1, perDay: 1 } })
  await service.addKey({ label: 'laptop', start, expiresAt: Date.now() + 86_400_000, lastUsedAt: Date.now() })
})
afterAll(() => service.stop())

/** Runs a command of keys at a terminal of its own, with so many columns. */
function atTerminal(args: string, columns = 80, env: NodeJS.ProcessEnv = {}): Running {
  const command = `stty cols ${columns} rows 24; exec '${process.execPath}' --import tsx scripts/keys.ts ${args}`
  return startCommand('script', ['-qec', command, '/dev/null'], {
    env: { DATABASE_URL: `sqlite:${service.folder}/store.db`, ...env },
  })
}

const inTerminal = existsSync('/usr/bin/script') ? describe : describe.skip

inTerminal('keys at a terminal', () => {
  test.each([80, 40])('with %i columns lists keys in lines that fit', async (columns) => {
    const { ended, stdout } = atTerminal('list', columns)
    expect(await ended).toBe(0)
    const lines = stdout().trimEnd().split('\r\n')
    const ids = (await service.stores.keys.list()).map(({ id }) => id)
    expect(lines.filter((line) => ids.some((id) => line.startsWith(id)))).toHaveLength(ids.length)
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns)
    expect(stdout()).toContain('ein sehr')
    expect(stdout()).toContain('…')
    if (columns === 80) expect(lines).toHaveLength(ids.length + 1)
    else expect(lines).toContain('  ak_0aB1cD  enterprise  active')
  })

  test('prints no colours, with and without NO_COLOR', async () => {
    for (const env of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '1' }]) {
      const { ended, stdout } = atTerminal('list', 80, { TERM: 'xterm-256color', ...env })
      expect(await ended).toBe(0)
      expect(stdout()).not.toContain('\u001b')
    }
  })

  test('asks for a key without showing it, again after a mistake, and finds it', async () => {
    const { key, record } = await service.addKey()
    const { child, ended, stdout, until } = atTerminal('revoke -')
    await until(/API key \(it is not shown\): $/)
    child.stdin?.write('no key at all\r')
    await until(/That is no key\. A key is ak_ with 49 letters and digits, .+\r\nAPI key \(it is not shown\): $/)
    child.stdin?.write(`${key}\r`)
    expect(await ended).toBe(0)
    expect(stdout()).toMatch(new RegExp(`Key ${record.id} is revoked\\.\\r\\n$`))
    for (const secret of ['no key at all', key, key.slice(3, 20)]) expect(stdout()).not.toContain(secret)
  })

  test('ends after three mistakes, an unknown key, Ctrl-D and Ctrl-C', async () => {
    const three = atTerminal('show -')
    for (let time = 0; time < 3; time += 1) {
      await three.until(new RegExp(`(API key[^]*){${time + 1}}: $`))
      three.child.stdin?.write('wrong\r')
    }
    expect(await three.ended).toBe(1)
    for (const [typed, code, message] of [
      [`${newKey()}\r`, 1, 'The store has no such key.'],
      ['\u0004', 1, 'No key was given.'],
      ['\u0003', 130, ''],
    ] as const) {
      const { child, ended, stdout, until } = atTerminal('show -')
      await until(/API key \(it is not shown\): $/)
      child.stdin?.write(typed)
      expect(await ended).toBe(code)
      expect(stdout()).toContain(message)
      expect(stdout()).not.toMatch(/\n\s+at /)
    }
  })
})
