import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { run, testFolder } from '../support/process.ts'

const folder = testFolder()
const url = 'postgres://store:hunter2@db/animals'
let files = 0

function fileWith(content: string | Buffer): string {
  files += 1
  const file = join(folder, `secret-${files}`)
  writeFileSync(file, content)
  return file
}

function fault(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${JSON.stringify(env)} was accepted.`)
}

describe('DATABASE_URL_FILE and REDIS_URL_FILE', () => {
  test.each(['', '\n', '\r\n', '\n\n'])('name a file with the URL, which may end with %j', (end) => {
    const REDIS_URL_FILE = fileWith(`redis://:hunter2@cache${end}`)
    const config = readConfig({ DATABASE_URL_FILE: fileWith(url + end), REDIS_URL_FILE })
    expect(config.database).toMatchObject({
      engine: 'postgres',
      url: { hosts: [{ host: 'db', port: '' }], user: 'store', password: 'hunter2', database: 'animals' },
    })
    expect(config.redisUrl).toBe('redis://:hunter2@cache')
    expect(readConfig({ DATABASE_URL_FILE: fileWith(`sqlite:x.db${end}`) }).database).toEqual({
      engine: 'sqlite',
      file: 'x.db',
    })
  })

  test('may lead to the file by links, as in Kubernetes', () => {
    const link = join(folder, 'link')
    symlinkSync(fileWith(url), link)
    expect(readConfig({ DATABASE_URL_FILE: link }).database.engine).toBe('postgres')
  })

  test.each(['DATABASE_URL', 'REDIS_URL'])('%s_FILE is refused with its name and what is wrong', (name) => {
    const setting = `${name}_FILE`
    const missing = join(folder, 'nothing')
    const pipe = join(folder, `pipe-${name}`)
    execFileSync('mkfifo', [pipe])
    const inner = join(folder, `folder-${name}`)
    mkdirSync(inner)
    const [empty, blank, large] = [fileWith(''), fileWith('\n'), fileWith('x'.repeat(70_000))]
    const binary = fileWith(Buffer.from([0xff, 0xfe, 0x00]))
    for (const [file, why] of [
      [missing, 'and there is no such file'],
      [join(empty, 'x'), 'and there is no such file'],
      [empty, 'which is empty'],
      [blank, 'which is empty'],
      [inner, 'which is no regular file'],
      [pipe, 'which is no regular file'],
      ['/dev/zero', 'which is no regular file'],
      [large, 'which is larger than 65536 bytes'],
      [binary, 'which is no text in UTF-8'],
    ] as const) {
      expect(fault({ [setting]: file })).toBe(`${setting} names ${JSON.stringify(file)}, ${why}.`)
    }
  })

  test('that this user may not read is refused', async () => {
    const file = fileWith(url)
    chmodSync(file, 0o000)
    // root may read everything
    const drop = process.getuid?.() === 0 ? 'process.setgid(65534); process.setuid(65534)' : ''
    const code = `const { readConfig } = await import('./src/config/config.ts')
      ${drop}
      try { readConfig(process.env) } catch (error) { console.log(error.message) }`
    const { stdout } = await run(['--input-type=module', '--eval', code], { DATABASE_URL_FILE: file })
    expect(stdout).toBe(`DATABASE_URL_FILE names ${JSON.stringify(file)}, which this user may not read.\n`)
  })

  test('beside the variable itself are refused', () => {
    expect(fault({ DATABASE_URL: url, DATABASE_URL_FILE: fileWith(url) })).toBe(
      'DATABASE_URL and DATABASE_URL_FILE are both set. Set one of them.',
    )
    expect(fault({ REDIS_URL: 'redis://x', REDIS_URL_FILE: fileWith('redis://x') })).toBe(
      'REDIS_URL and REDIS_URL_FILE are both set. Set one of them.',
    )
  })

  test('with a wrong URL are refused, and no password is shown', () => {
    const wrong = fault({ DATABASE_URL_FILE: fileWith('mysql://store:hunter2@db/animals') })
    expect(wrong).toMatch(/^DATABASE_URL, as DATABASE_URL_FILE has it, must be sqlite:FILE, /)
    const hidden = fault({ REDIS_URL_FILE: fileWith('\ufeffredis://:hunter2@cache') })
    expect(hidden).toMatch(/^REDIS_URL, as REDIS_URL_FILE has it, must be redis:.*; its character 1 is \\ufeff\.$/)
    for (const message of [wrong, hidden]) expect(message).not.toContain('hunter2')
  })

  test('are read again for what connects later, unless the file is unusable at the moment', () => {
    const [DATABASE_URL_FILE, REDIS_URL_FILE] = [fileWith(url), fileWith('redis://:hunter2@cache')]
    const { database, redisUrlNow } = readConfig({ DATABASE_URL_FILE, REDIS_URL_FILE })
    const now = (): unknown => database.engine === 'postgres' && database.url.now?.()
    expect([now(), redisUrlNow?.()]).toMatchObject([{ password: 'hunter2' }, 'redis://:hunter2@cache'])
    writeFileSync(DATABASE_URL_FILE, url.replace('store:hunter2', 'next:hunter3'))
    writeFileSync(REDIS_URL_FILE, 'redis://:hunter3@cache')
    const latest = [{ user: 'next', password: 'hunter3' }, 'redis://:hunter3@cache']
    expect([now(), redisUrlNow?.()]).toMatchObject(latest)
    for (const broken of ['', 'mysql://x', 'sqlite:x.db']) {
      writeFileSync(DATABASE_URL_FILE, broken)
      writeFileSync(REDIS_URL_FILE, broken)
      expect([now(), redisUrlNow?.()]).toMatchObject(latest)
    }
  })
})
