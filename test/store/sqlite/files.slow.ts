import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type Sqlite from 'better-sqlite3'
import type { Response } from 'supertest'
import { endAll, start } from '../../support/process.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

let service: TestService
let file: string
beforeEach(async () => {
  service = await startService()
  file = `${service.folder}/store.db`
})
afterEach(async () => {
  await service.stop()
  await endAll()
})

function post(name: string): Promise<Response> {
  return service
    .call('post', '/pets')
    .set('Content-Type', 'application/json')
    .send(JSON.stringify({ name, categoryId: 7 }))
    .then((answer) => answer)
}

async function page(path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${service.port}${path}`)).status
}

/** Asks until the store is open again, and gives the names of its animals. */
async function healed(): Promise<string[]> {
  while ((await page('/readyz')) !== 200) await sleep(50)
  const answer = await service.call('get', '/pets').query({ limit: 100 }).expect(200)
  return (answer.body as { name: string }[]).map(({ name }) => name)
}

/** Every road to the store is closed, in a way that clients and operators understand. */
async function expectUnavailable(): Promise<void> {
  expect(await page('/readyz')).toBe(503)
  for (const answer of [
    await post('Refused'),
    await service.call('get', '/pets/1'),
    await service.call('get', '/pets'),
  ]) {
    expectError(answer.text, 503, 'unavailable')
    expect(answer.headers).toMatchObject({ 'retry-after': '1' })
    expect(answer.text).not.toMatch(/SQLITE|store\.db/)
  }
  expect(await page('/livez')).toBe(200)
  expect(await page('/metrics')).toBe(200)
}

/** What the log says of the store. */
function told(): unknown[] {
  return service.logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('store '))
}

/** A database of the service as it is now, made while it runs. */
async function backup(): Promise<string> {
  const db = new Database(file, { readonly: true })
  await db.backup(`${file}.backup`)
  db.close()
  return `${file}.backup`
}

function edit(change: (db: Sqlite.Database) => void): void {
  const db = new Database(file)
  change(db)
  db.close()
}

function checkpoint(): void {
  edit((db) => db.pragma('wal_checkpoint(TRUNCATE)'))
}

function stored(path: string): unknown[] {
  const db = new Database(path)
  const names = db.prepare('SELECT name FROM pets ORDER BY id').pluck().all()
  db.close()
  return names
}

// done by other programs: closing a file in the service's own process would take its locks away

function truncate(path: string, size: number): void {
  execFileSync('truncate', ['--size', String(size), path])
}

/** Overwrites all pages after the first ones. */
function overwrite(path: string, spared: number): void {
  execFileSync('sh', [
    '-c',
    'tr "\\0" "\\377" </dev/zero | dd of="$1" bs=4096 seek="$2" count="$3" iflag=fullblock conv=notrunc status=none',
    'sh',
    path,
    String(spared),
    String(statSync(path).size / 4096 - spared),
  ])
}

const all = ['', '-wal', '-shm']
function removeAll(): void {
  for (const suffix of all) rmSync(file + suffix)
}

describe('a database that is lost while it is in use', () => {
  test.each([
    ['removed with its log', removeAll, 'is gone'],
    [
      'removed alone',
      () => {
        rmSync(file)
      },
      'is gone',
    ],
    [
      'moved away',
      () => {
        renameSync(file, `${file}.away`)
      },
      'is gone',
    ],
    [
      'emptied',
      () => {
        truncate(file, 0)
      },
      'was emptied',
    ],
    [
      'cut off',
      () => {
        truncate(file, 4096)
      },
      'became shorter',
    ],
    [
      'replaced by another program’s',
      () => {
        const other = new Database(`${file}.other`)
        other.exec('CREATE TABLE x (y)')
        other.close()
        renameSync(`${file}.other`, file)
      },
      'was replaced by another file',
    ],
    [
      'replaced by what is no database',
      () => {
        writeFileSync(`${file}.other`, 'Dear diary, '.repeat(1000))
        renameSync(`${file}.other`, file)
      },
      'was replaced by another file',
    ],
  ])('by being %s is told at once, and no animal is acknowledged', async (_, lose, reason) => {
    // into the database, which otherwise has one page and all else in its log
    await post('Rex')
    checkpoint()
    expect((await post('Max')).status).toBe(201)
    lose()
    // straight away, before anything else could have looked
    expectError((await post('Lost')).text, 503, 'unavailable')
    await expectUnavailable()
    await sleep(1500)
    await expectUnavailable()
    expect(told()[0]).toBe(`store unavailable: the database ${reason}`)
    expect(new Set(told()).size).toBe(told().length)
    // and nothing is made in its place
    if (reason === 'is gone') expect(existsSync(file)).toBe(false)
  })

  test.each<[string, () => void]>([
    [
      'cut off',
      () => {
        truncate(`${file}-wal`, 0)
      },
    ],
    [
      'replaced',
      () => {
        copyFileSync(`${file}-wal`, `${file}.other`)
        renameSync(`${file}.other`, `${file}-wal`)
      },
    ],
  ])('with its log %s is told at once, and no animal is acknowledged', async (what, lose) => {
    await post('Rex')
    lose()
    expectError((await post('Lost')).text, 503, 'unavailable')
    expect(told()[0]).toBe(`store unavailable: the database had its write-ahead log (-wal) ${what}`)
  })

  test('is told of within a second though nobody writes', async () => {
    await post('Rex')
    removeAll()
    for (;;) {
      const { status } = await service.call('get', '/pets/1')
      if (status === 503) break
      await sleep(20)
    }
    await expectUnavailable()
  })

  test('serves again when it is moved back, with everything that was acknowledged', async () => {
    await post('Rex')
    renameSync(file, `${file}.away`)
    await expectUnavailable()
    renameSync(`${file}.away`, file)
    expect(await healed()).toEqual(['Rex'])
    expect((await post('Next')).status).toBe(201)
    expect(told()).toEqual([
      'store unavailable: the database is gone',
      'store available again, with what is in the file now',
    ])
  })

  test.each([['-wal'], ['-shm']])(
    'only in its %s heals by itself, with everything that was acknowledged',
    async (suffix) => {
      await post('Rex')
      rmSync(file + suffix)
      expectError((await post('Unknown')).text, 503, 'unavailable')
      const names = await healed()
      expect(names.slice(0, 1)).toEqual(['Rex'])
      expect((await post('Next')).status).toBe(201)
      await service.close()
      expect(stored(file)).toEqual([...names, 'Next'])
      service = await startService()
    },
  )

  test('serves a backup that is put in its place, and the old file keeps what was acknowledged after it', async () => {
    await post('Rex')
    const copy = await backup()
    for (let count = 0; count < 20; count += 1) await post(`Later ${count}`)
    renameSync(file, `${file}.old`)
    renameSync(copy, file)
    expect(await healed()).toEqual(['Rex'])
    expect(await post('Next')).toMatchObject({ status: 201, body: { id: 2 } })
    expect(stored(`${file}.old`)).toHaveLength(21)
    await service.close()
    expect(stored(file)).toEqual(['Rex', 'Next'])
    service = await startService()
  })

  test.each([[0], [1500]])(
    'and replaced by a backup %i ms before the stop is that backup at the next start',
    async (ms) => {
      await post('Rex')
      const copy = await backup()
      for (let count = 0; count < 20; count += 1) await post(`Later ${count}`)
      renameSync(file, `${file}.old`)
      renameSync(copy, file)
      await sleep(ms)
      await service.close()
      expect(stored(file)).toEqual(['Rex'])
      expect(stored(`${file}.old`)).toHaveLength(21)
      service = await startService()
    },
  )

  test('and whose folder cannot be reached is waited for', async () => {
    await post('Rex')
    renameSync(service.folder, `${service.folder}.away`)
    symlinkSync(service.folder, service.folder)
    await expectUnavailable()
    await sleep(2500)
    await expectUnavailable()
    rmSync(service.folder)
    renameSync(`${service.folder}.away`, service.folder)
    expect(await healed()).toEqual(['Rex'])
    expect((await post('Next')).status).toBe(201)
    expect(told()).toEqual([
      'store unavailable: the database cannot be reached (ELOOP)',
      'store still unavailable',
      'store available again, with what is in the file now',
    ])
  })

  test('serves a backup though another process still has the old file open', async () => {
    const other = start([
      '--input-type=module',
      '--eval',
      `import { Database } from './src/store/sqlite/connection/driver.ts'
       const db = new Database(${JSON.stringify(file)}, { readonly: true })
       db.prepare('SELECT count(*) FROM pets').get()
       console.log('reads')
       process.stdin.resume()
       process.stdin.on('end', () => db.close())`,
    ])
    await post('Rex')
    const copy = await backup()
    for (let count = 0; count < 200; count += 1) await post(`${'N'.repeat(200)} ${count}`)
    await other.until(/reads/)
    const shared = ['-wal', '-shm'].map((suffix) => statSync(file + suffix).ino)
    renameSync(copy, file)
    expect(await healed()).toEqual(['Rex'])
    // the other process goes on with the log and the locks of the old file, so they must not serve the new one
    for (const suffix of ['-wal', '-shm']) expect(shared).not.toContain(statSync(file + suffix).ino)
    expect(await post('Next')).toMatchObject({ status: 201, body: { id: 2 } })
    await service.close()
    expect(stored(file)).toEqual(['Rex', 'Next'])
    other.child.stdin?.end()
    expect(await other.ended).toBe(0)
    service = await startService()
  })

  test('serves a backup although all of its files were removed', async () => {
    await post('Rex')
    const copy = await backup()
    removeAll()
    await expectUnavailable()
    renameSync(copy, file)
    expect(await healed()).toEqual(['Rex'])
    expect((await post('Next')).status).toBe(201)
  })

  test('with pages that SQLite did not write is told of once one is read, and a backup heals it', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, index) => post(`${'N'.repeat(200)}${index}`)))
    const copy = await backup()
    checkpoint()
    overwrite(file, 8)
    // a commit of another connection makes the service forget the pages that it remembers
    edit((db) => db.pragma('user_version = 3'))
    expectError((await service.call('get', '/pets?limit=100')).text, 503, 'unavailable')
    await expectUnavailable()
    await sleep(1500)
    expect(told()).toEqual(['store unavailable: the database is damaged', 'store still unavailable'])
    renameSync(copy, file)
    expect(await healed()).toHaveLength(100)
    expect((await post('Next')).body).toMatchObject({ id: 501 })
  })
})
