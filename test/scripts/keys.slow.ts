import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { isKey, newKey } from '../../src/auth/key.ts'
import { run } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

// every run is a process of its own
jest.setTimeout(120_000)

/** Unix time in ms, as the service sees it. */
let now = Date.now()
let service: TestService
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  service = await startService({}, { now: () => now })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

type Ran = Awaited<ReturnType<typeof run>>

/** Runs the command on the store of the running service. */
function keys(...args: string[]): Promise<Ran> {
  return run(['scripts/keys.ts', ...args], { DATABASE_URL: `sqlite:${service.folder}/store.db` })
}

async function statusWith(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` }
  return (await fetch(`http://127.0.0.1:${service.port}/v1/pets`, { headers })).status
}

interface Made {
  id: string
  key: string
}

describe('keys', () => {
  test('makes keys with the limits of a plan or with their own, which a running service takes at once', async () => {
    const flags = [
      ['--plan', 'free', '--label', 'läptop 1'],
      ['--plan', 'enterprise', '--per-minute', '5000', '--per-day', '1000000'],
    ]
    const limits = [
      { plan: 'free', perMinute: 60, perDay: 1000, label: 'läptop 1' },
      { plan: 'enterprise', perMinute: 5000, perDay: 1_000_000 },
    ]
    const results = await Promise.all(flags.map((one) => keys('create', ...one, '--json')))
    const made = results.map(({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      return JSON.parse(stdout) as Made
    })
    for (const [index, one] of made.entries()) {
      expect(one).toMatchObject(limits[index] ?? {})
      expect(one.id).toMatch(/^key_[0-9A-Za-z]{12}$/)
      expect(isKey(one.key)).toBe(true)
      expect(await statusWith(one.key)).toBe(200)
    }
    expect(new Set(made.map(({ id }) => id)).size).toBe(2)

    const listed = await keys('list', '--json')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    const rows = JSON.parse(listed.stdout) as Record<string, unknown>[]
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(made.map(({ id }) => id)))
    expect(rows.find(({ id }) => id === made[0]?.id)).toMatchObject(limits[0] ?? {})
    for (const { key } of made) expect(listed.stdout).not.toContain(key.slice(0, 10))

    const table = await keys('list')
    expect(table).toMatchObject({ code: 0, stderr: '' })
    const [headings, ...lines] = table.stdout.trimEnd().split('\n')
    expect(headings).toMatch(/^ID +KEY +PLAN +STATE +LAST USE +LABEL$/)
    expect(lines).toHaveLength(rows.length)
    const line = lines.find((one) => one.startsWith(made[0]?.id ?? 'x'))
    expect(line).toMatch(/^key_\w{12} +ak_\w{6} +free +active +\S+ +läptop 1$/)
    expect(line).toContain(made[0]?.key.slice(0, 9))
  })

  test('shows a new key to people once, in a command to try it', async () => {
    const { code, stdout, stderr } = await keys('create', '--plan', 'free')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [key = ''] = /ak_\w{49}/.exec(stdout) ?? []
    expect(stdout).toContain(`curl -i 'http://127.0.0.1:8080/v1/pets' -H 'Authorization: Bearer ${key}'`)
    expect(stdout).toMatch(/\bkey_\w{12}\b/)
    expect(await statusWith(key)).toBe(200)
  })

  test.each([
    [{ HOST: '::1', PORT: '8123' }, 'http://[::1]:8123/v1/pets'],
    [{ PORT: '8123', PUBLIC_URL: 'https://api.example.com/animals/' }, 'https://api.example.com/animals/v1/pets'],
  ])('shows the address of a service with %j', async (env, address) => {
    const database = { DATABASE_URL: `sqlite:${service.folder}/store.db` }
    const { stdout } = await run(['scripts/keys.ts', 'create', '--plan', 'free'], { ...database, ...env })
    expect(stdout).toContain(`curl -i '${address}' -H `)
  })

  test('revokes a key, which a running service heeds within 2 seconds', async () => {
    const { key, record } = await service.addKey()
    expect(await statusWith(key)).toBe(200)
    const { code, stdout, stderr } = await keys('revoke', record.id)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Key ${record.id} is revoked.\n`, stderr: '' })
    now += 2000
    expect(await statusWith(key)).toBe(401)
    const rows = JSON.parse((await keys('list', '--json')).stdout) as Record<string, unknown>[]
    expect(rows.find(({ id }) => id === record.id)?.revoked).toMatch(/^\d{4}-\d\d-\d\dT\S+Z$/)
  })

  test('says that a key is not there, and ends with 1', async () => {
    const { code, stdout, stderr } = await keys('revoke', 'key_000000000000')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('No key has the id key_000000000000. `npm run -s keys -- list` shows all.\n')
    const { record } = await service.addKey()
    const near = `${record.id.slice(0, -2)}${record.id.endsWith('x') ? 'yy' : 'xx'}`
    for (const command of ['show', 'rotate', 'revoke', 'unban']) {
      const { code, stderr } = await keys(command, near)
      expect({ code, stderr }).toEqual({ code: 1, stderr: `No key has the id ${near}. Did you mean ${record.id}?\n` })
    }
  })

  test('says how to make a key when there is none', async () => {
    const env = { DATABASE_URL: `sqlite:${folder}/new.db` }
    await run(['scripts/migrate.ts'], env)
    const [people, programs] = [
      await run(['scripts/keys.ts', 'list'], env),
      await run(['scripts/keys.ts', 'list', '--json'], env),
    ]
    expect(people).toMatchObject({
      code: 0,
      stdout: 'There are no keys. Make one with: npm run -s keys -- create --plan free\n',
    })
    expect(programs).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  test('takes a key itself from standard input alone, and shows it nowhere', async () => {
    const { key, record } = await service.addKey()
    const withInput = (args: string[], input: string): Promise<Ran> =>
      run(['scripts/keys.ts', ...args], { DATABASE_URL: `sqlite:${service.folder}/store.db` }, input)
    for (const input of [`${key}\n`, `\n  ${key}`, `${key}\r\nmore\n`]) {
      const { code, stdout, stderr } = await withInput(['show', '-', '--json'], input)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ id: record.id, state: 'active' })
    }
    const typo = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
    for (const [input, message] of [
      ['', /^No key was given on standard input\.\n$/],
      [typo, /^What came on standard input is no key\. A key is ak_ with 49 letters and digits, and .+\.\n$/],
      ['x'.repeat(100_000), /^What came on standard input is no key\. /],
      [newKey(), /^The store has no such key\. DATABASE_URL says which store it is\.\n$/],
    ] as const) {
      const { code, stdout, stderr } = await withInput(['revoke', '-'], input)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(message)
      if (input !== '') expect(stderr).not.toContain(input.slice(0, 20))
    }
    const argument = await keys('revoke', key)
    expect(argument).toMatchObject({ code: 2, stdout: '' })
    expect(argument.stderr).toMatch(/^A key is no argument, /)
    expect(argument.stderr).not.toContain(key)

    expect(await statusWith(key)).toBe(200)
    expect(await withInput(['revoke', '-'], key)).toEqual({
      code: 0,
      stdout: `Key ${record.id} is revoked.\n`,
      stderr: '',
    })
    now += 2000
    expect(await statusWith(key)).toBe(401)
  })

  test('makes keys that expire, and says so', async () => {
    const day = new Date(now + 2 * 86_400_000).toISOString().slice(0, 10)
    const end = Date.parse(`${day}T00:00:00Z`) + 86_400_000
    const made = await keys('create', '--plan', 'free', '--label', 'short', '--expires', day, '--json')
    const { id, key, expires } = JSON.parse(made.stdout) as Made & { expires: string }
    expect(Date.parse(expires)).toBe(end)
    const timed = await keys('create', '--plan', 'free', '--expires', `${day}T12:00:00+02:00`, '--json')
    expect(JSON.parse(timed.stdout)).toMatchObject({ expires: `${day}T10:00:00.000Z` })
    const last = await keys('create', '--plan', 'free', '--expires', '9999-12-31', '--json')
    expect(JSON.parse(last.stdout)).toMatchObject({ expires: '9999-12-31T23:59:59.999Z' })
    expect(await statusWith(key)).toBe(200)
    expect((await keys('list')).stdout).toMatch(new RegExp(`^${id} .* until ${day} .*short$`, 'm'))

    const before = now
    now = end
    expect(await statusWith(key)).toBe(401)
    now = before
    const { record } = await service.addKey({ expiresAt: now - 1000, revokedAt: now - 500 })
    const gone = await service.addKey({ expiresAt: now - 1000 })
    const listed = (await keys('list')).stdout
    expect(listed).toMatch(new RegExp(`^${record.id} .* revoked `, 'm'))
    expect(listed).toMatch(new RegExp(`^${gone.record.id} .* expired `, 'm'))
    const shown = (await keys('show', record.id)).stdout
    expect(shown).toMatch(/^state +revoked$/m)
    expect(shown).toMatch(/^expires +\d{4}-\S+Z$/m)
    expect(shown).toMatch(/^revoked +\d{4}-\S+Z$/m)
    const active = JSON.parse((await keys('list', '--active', '--plan', 'free', '--json')).stdout) as { id: string }[]
    const ids = active.map((one) => one.id)
    expect(ids).toContain(id)
    for (const one of [record, gone.record]) expect(ids).not.toContain(one.id)
    expect((await keys('list', '--plan', 'pro', '--active')).stdout).toMatch(
      /^There is no active key of the plan pro\. /,
    )
  })

  test('rotates a key: the new one goes on with its plan, label and counts, and the old one ends', async () => {
    const custom = { perMinute: 500, perDay: 1000 }
    const { key, record } = await service.addKey({ plan: 'enterprise', custom, label: 'job', createdAt: now - 5000 })
    const remaining = async (one: string): Promise<[number, number]> => {
      const headers = { Authorization: `Bearer ${one}` }
      const answer = await fetch(`http://127.0.0.1:${service.port}/v1/pets`, { headers })
      return [answer.status, Number(answer.headers.get('x-ratelimit-remaining'))]
    }
    const [, left] = await remaining(key)
    const rotated = await keys('rotate', record.id, '--keep', '1h', '--json')
    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    const made = JSON.parse(rotated.stdout) as Made & { replaces: { id: string; expires: string } }
    expect(made).toMatchObject({ plan: 'enterprise', ...custom, label: 'job', account: record.id })
    expect(made.replaces.id).toBe(record.id)
    const end = Date.parse(made.replaces.expires)
    expect(Math.abs(end - Date.now() - 3_600_000)).toBeLessThan(120_000)
    expect(await remaining(made.key)).toEqual([200, left - 1])
    expect(await remaining(key)).toEqual([200, left - 2])

    expect(await keys('rotate', record.id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Key ${record.id} was rotated before: ${made.id} replaces it. Rotate that one.\n`,
    })
    const before = now
    now = end
    expect((await remaining(key))[0]).toBe(401)
    expect((await remaining(made.key))[0]).toBe(200)
    now = before

    const people = await keys('rotate', made.id, '--keep', '0')
    expect(people.stdout).toContain(`\n\nIt replaces key ${made.id}, which is not valid any more. Both are counted`)
    expect((await keys('show', made.id)).stdout).toMatch(/^state +expired$/m)
    await keys('revoke', record.id)
    const refused = await keys('rotate', record.id)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      / is revoked, so it is not rotated\. Make a new one with: npm run -s keys -- create /,
    )
  })

  test('makes a store with its first key alone, and says which', async () => {
    const file = join(folder, 'made.db')
    const env = { DATABASE_URL: `sqlite:${file}` }
    for (const args of [['list'], ['list', '--json'], ['revoke', 'key_000000000000'], ['unban', 'key_000000000000']]) {
      expect(await run(['scripts/keys.ts', ...args], env)).toEqual({
        code: 1,
        stdout: '',
        stderr: `There is no store at ${file}. DATABASE_URL says where it is.\n`,
      })
      expect(existsSync(file)).toBe(false)
    }
    const made = await run(['scripts/keys.ts', 'create', '--plan', 'free', '--json'], env)
    expect(made).toMatchObject({ code: 0, stderr: `There was no store, so a new one was made: ${file}.\n` })
    expect(await run(['scripts/keys.ts', 'create', '--plan', 'free'], env)).toMatchObject({ code: 0, stderr: '' })
  })

  test('tells wrong flags from a store that cannot be opened: 2 and 1', async () => {
    const before = (await service.stores.keys.list()).length
    const wrong = [
      [],
      ['create'],
      ['create', '--plan', 'gold'],
      ['create', '--plan', 'free', '--per-minute', '5'],
      ['create', '--plan', 'enterprise', '--per-minute', '5'],
      ['create', '--plan', 'enterprise', '--per-minute', '0', '--per-day', '5'],
      ['create', '--plan', 'free', '--label', 'a\nb'],
      ['create', '--plan', 'free', 'extra'],
      ['create', '--plan', 'free', '--expires', '2020-01-01'],
      ['create', '--plan', 'free', '--expires', '2130-02-30'],
      ['create', '--plan', 'free', '--expires', 'tomorrow'],
      ['rotate', 'key_000000000000', '--keep', '1 day'],
      ['show'],
      ['revoke'],
      ['list', 'x'],
      ['list', '--plan', 'fre'],
    ]
    const results = await inPairs(wrong, (args) => keys(...args))
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      expect({ args: wrong[index], code, stdout }).toEqual({ args: wrong[index], code: 2, stdout: '' })
      const [command] = wrong[index] ?? []
      if (command !== undefined && stderr.startsWith('error: ')) {
        expect(stderr).toMatch(new RegExp(`\\nSee npm run -s keys -- ${command} --help\\n$`))
      }
      expect(stderr).not.toBe('')
      expect(stderr).not.toMatch(/\n\s+at /)
    }
    expect(await service.stores.keys.list()).toHaveLength(before)
    for (const url of ['mysql://user:hunter2@db', `sqlite:${service.folder}`]) {
      const { code, stdout, stderr } = await run(['scripts/keys.ts', 'list'], { DATABASE_URL: url })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^(DATABASE_URL must be|The database) .+\.\n$/)
      expect(stderr).not.toContain('hunter2')
    }
  })

  test('shows help when asked, with every command', async () => {
    const { code, stdout } = await keys('--help')
    expect(code).toBe(0)
    for (const command of ['create', 'list', 'show', 'rotate', 'revoke', 'unban']) expect(stdout).toContain(command)
  })
})

/** Runs for two items at a time, as many as there are cores to count on. */
async function inPairs<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let index = 0; index < items.length; index += 2) {
    results.push(...(await Promise.all(items.slice(index, index + 2).map(each))))
  }
  return results
}
