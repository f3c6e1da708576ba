import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run, testFolder, works } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = testFolder()
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

function backup(...args: string[]): ReturnType<typeof run> {
  return run(['scripts/backup.ts', ...args], { DATABASE_URL: `sqlite:${service.folder}/store.db` })
}

interface Animal {
  id: number
  name: string
}

describe('backup', () => {
  test('beside a running service loses no animal that was acknowledged before, and another service goes on with it', async () => {
    const file = join(folder, 'restored.db')
    const create = async (name: string): Promise<Animal> => {
      const { text } = await service.call('post', '/pets').send({ name, categoryId: 1 }).expect(201)
      return JSON.parse(text) as Animal
    }
    const before = await Promise.all(Array.from({ length: 200 }, (_, index) => create(`before ${index}`)))
    const backedUp = new AbortController()
    const during: Animal[] = []
    const writing = (async () => {
      while (!backedUp.signal.aborted) during.push(await create(`during ${during.length}`))
    })()
    const { code, stdout, stderr } = await backup(file, '--json')
    backedUp.abort()
    await writing
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const told = JSON.parse(stdout) as { file: string; pets: number; keys: number; bytes: number }
    expect(told).toMatchObject({ file, keys: 1, bytes: statSync(file).size })
    expect(during.length).toBeGreaterThan(0)

    const restored = await startService({ DATABASE_URL: `sqlite:${file}` })
    try {
      // with the key of the service that was backed up
      const get = (id: number): Promise<Response> =>
        fetch(`http://127.0.0.1:${restored.port}/v1/pets/${id}`, {
          headers: { Authorization: `Bearer ${service.key}` },
        })
      for (const animal of before) expect(await (await get(animal.id)).json()).toMatchObject(animal)
      const found = await restored.stores.pets.list({ limit: 1_000_000 })
      expect(found).toHaveLength(told.pets)
      // what was added meanwhile is there up to some moment
      const kept = during.slice(0, told.pets - before.length)
      expect(found.slice(before.length).map(({ name }) => name)).toEqual(kept.map(({ name }) => name))
    } finally {
      await restored.stop()
    }
  })

  test('tells people what it did, and programs the same', async () => {
    const file = join(folder, 'told.db')
    const people = await backup(file)
    expect(people).toMatchObject({ code: 0, stderr: '' })
    expect(people.stdout).toMatch(
      /^\S+told\.db holds \d+ animals and 1 key, and is verified: \d+(\.\d+)? kB in \d+(\.\d+)? s\.\n$/,
    )
    expect(await backup(file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} already exists. Name another file, or replace it with --force.\n`,
    })
    const forced = await backup(file, '--force')
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining(people.stdout.split(' in ')[0] ?? '?') })
  })

  test('tells wrong use from a backup that there is not: 2 and 1', async () => {
    for (const args of [[], [''], ['', '--force'], ['one.db', 'two.db'], ['--fast', 'one.db']]) {
      const { code, stdout, stderr } = await backup(...args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('See npm run -s backup -- --help')
    }
    const { code, stdout } = await backup('--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:')
  })

  test('leads to pg_dump for a store on PostgreSQL, without its password', async () => {
    const { code, stdout, stderr } = await run(['scripts/backup.ts', "it's.dump"], {
      DATABASE_URL: 'postgres://user:hunter2@localhost/animals',
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(String.raw`pg_dump --format=custom --file='it'\''s.dump' "$DATABASE_URL"`)
    expect(stderr).not.toContain('hunter2')
  })

  // a file system of its own needs a mount namespace, which only root may make
  const mountable = process.getuid?.() === 0 && works('unshare', ['-m', 'true'])
  ;(mountable ? test : test.skip)('says that the disk is full, before or while it fills it', async () => {
    const store = join(folder, 'full.db')
    await (await startService({ DATABASE_URL: `sqlite:${store}` })).stop()
    const bytes = statSync(store).size
    const small = join(folder, 'small')
    for (const [room, message] of [
      [bytes - 8192, /: it needs \d+(\.\d+)? kB, and the disk has \d+(\.\d+)? kB free\.\n$/],
      [bytes + 4096, /: the disk is full\.\n$/],
    ] as const) {
      const script = `mkdir -p "$1" && mount -t tmpfs -o size=${room} none "$1" && shift && "$@"; echo $?; ls -A "$TARGET"`
      const { stdout, stderr } = spawnSync(
        'unshare',
        [
          '-m',
          'bash',
          '-c',
          script,
          '-',
          small,
          process.execPath,
          '--import',
          'tsx',
          'scripts/backup.ts',
          `${small}/b.db`,
        ],
        { env: { PATH: process.env.PATH, TARGET: small, DATABASE_URL: `sqlite:${store}` }, encoding: 'utf8' },
      )
      expect(stdout).toBe('1\n')
      expect(stderr).toMatch(message)
    }
  })
})
