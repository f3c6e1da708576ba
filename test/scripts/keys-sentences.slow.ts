import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { run, type Finished } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

// every run is a process of its own
jest.setTimeout(120_000)

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Runs the command on the store of the running service. */
function keys(...args: string[]): Promise<Finished> {
  return run(['scripts/keys.ts', ...args], { DATABASE_URL: `sqlite:${service.folder}/store.db` })
}

describe('labels with characters that a terminal acts on', () => {
  const label = 'a\u202eb\u200bc\u2066d\u001b[31me\u009bf\u2028g\u{e0041}h'
  const escaped = String.raw`a\u{202e}b\u{200b}c\u{2066}d\u{1b}[31me\u{9b}f\u{2028}g\u{e0041}h`
  const moving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

  test('are escaped for people as in the log, and the same for programs', async () => {
    const { record } = await service.addKey({ label })
    const table = await keys('list')
    expect(table.stdout).toMatch(
      new RegExp(`^${record.id} .* ${escaped.replaceAll(/[\\[{}]/g, String.raw`\$&`)}$`, 'm'),
    )
    const details = await keys('show', record.id)
    expect(details.stdout).toContain(`\nlabel         ${escaped}\n`)
    const list = await keys('list', '--json')
    const shown = await keys('show', record.id, '--json')
    for (const { stdout } of [table, details, list, shown]) expect(stdout.replaceAll('\n', '')).not.toMatch(moving)
    expect(JSON.parse(list.stdout)).toContainEqual(expect.objectContaining({ id: record.id, label }))
    expect(JSON.parse(shown.stdout)).toMatchObject({ label })
    const rotated = await keys('rotate', record.id, '--json')
    expect(rotated.stdout.trimEnd()).not.toMatch(moving)
    expect(JSON.parse(rotated.stdout)).toMatchObject({ label })
  })

  test('are escaped where an argument is shown again', async () => {
    for (const args of [
      ['create', '--plan', 'free', '--label', 'a\u001b[31mb\u202ec'],
      ['create', '--plan', 'gold\u202e'],
      ['revoke', 'key_\u202e\u001b[2J'],
      ['list', '--plan', 'x\u200b'],
    ]) {
      const { code, stdout, stderr } = await keys(...args)
      expect({ args, stdout, failed: code !== 0 }).toEqual({ args, stdout: '', failed: true })
      expect(stderr.replaceAll('\n', '')).not.toMatch(moving)
      expect(stderr).toMatch(/\\u\{(202e|200b)\}/)
    }
  })
})

describe('sentences of keys', () => {
  test('an unknown plan is refused, and one that a key has from an earlier contract is known', async () => {
    expect(await keys('list', '--plan', 'fre')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'No plan is called fre. Did you mean free? There are free, pro, business, enterprise.\n',
    })
    const { record } = await service.addKey({ plan: 'gone' })
    const { code, stdout } = await keys('list', '--plan', 'gone')
    expect(code).toBe(0)
    expect(stdout).toContain(record.id)
  })

  test('a misspelt option is named, and not the option that is missing beside it', async () => {
    const { code, stderr } = await keys('create', '--lable', 'x')
    expect(code).toBe(2)
    expect(stderr).toBe(
      "error: unknown option '--lable'\n(Did you mean --label?)\nSee npm run -s keys -- create --help\n",
    )
    expect((await keys('create', '--label', 'x')).stderr).toBe(
      "error: required option '--plan <plan>' not specified\nSee npm run -s keys -- create --help\n",
    )
  })

  test('--expires and --keep take the same forms of a time', async () => {
    const at = (stdout: string): number => Date.parse((JSON.parse(stdout) as { expires: string }).expires)
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    const spanned = await keys('create', '--plan', 'free', '--expires', '3d', '--json')
    const exact = await keys('create', '--plan', 'free', '--expires', `${day}T00:00:00Z`, '--json')
    const dated = await keys('create', '--plan', 'free', '--expires', day, '--json')
    expect(new Date(at(spanned.stdout)).toISOString().slice(0, 10)).toBe(day)
    expect([at(exact.stdout), at(dated.stdout)]).toEqual([
      Date.parse(`${day}T00:00:00Z`),
      Date.parse(`${day}T00:00:00Z`) + 86_400_000,
    ])
    const { record } = await service.addKey()
    const rotated = await keys('rotate', record.id, '--keep', day, '--json')
    expect(JSON.parse(rotated.stdout)).toMatchObject({
      replaces: { id: record.id, expires: new Date(at(dated.stdout)).toISOString() },
    })
    const forms =
      'It must be a time span up to 9999 such as 30m, 24h or 7d, the last day such as 2027-01-31 (in UTC), or a time ' +
      'such as 2027-01-31T12:00:00Z.'
    for (const [args, why] of [
      [['create', '--plan', 'free', '--expires', '30 days'], forms],
      [['create', '--plan', 'free', '--expires', '10000h'], forms],
      [['create', '--plan', 'free', '--expires', '0'], 'It must be in the future.'],
      [['rotate', record.id, '--keep', 'soon'], forms],
      [['rotate', record.id, '--keep', '2130-02-30'], forms],
      [['rotate', record.id, '--keep', '2020-01-01'], 'It must be in the future.'],
    ] as const) {
      const { code, stderr } = await keys(...args)
      expect({ args, code }).toEqual({ args, code: 2 })
      expect(stderr).toContain(`is invalid. ${why}\n`)
    }
  })

  test('unban says what it has changed', async () => {
    const { record } = await service.addKey()
    const unban = async (): Promise<string> => (await keys('unban', record.id)).stdout
    expect(await unban()).toBe(`Key ${record.id} was not banned.\n`)
    await service.stores.keys.ban(record.id, { until: Date.now() + 600_000, level: 0 }, { at: 1, by: 'a test' })
    expect(await unban()).toBe(`The ban of key ${record.id} is ended. Every server accepts the key within 2 seconds.\n`)
    await service.stores.keys.ban(record.id, { until: Date.now() - 1000, level: 2 }, { at: 1, by: 'a test' })
    expect(await unban()).toBe(`Key ${record.id} was not banned any more. Its earlier bans are forgotten.\n`)
    await service.stores.keys.revoke(record.id, { at: Date.now(), by: 'a test' })
    expect(await unban()).toBe(`Key ${record.id} was not banned.\nIt is revoked, and stays so.\n`)
  })
})

test('a backup to standard output is refused, and nothing is written', async () => {
  const { code, stdout, stderr } = await run(['scripts/backup.ts', '-'], {
    DATABASE_URL: `sqlite:${service.folder}/store.db`,
  })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('cannot go to standard output. Name a file; ./- is one of that name.\n')
})
