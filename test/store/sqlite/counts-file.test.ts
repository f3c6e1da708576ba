import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import { testFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

const folder = testFolder()
const setAside = 'quota counts are damaged and begin anew; the file is set aside'
const without = 'quota counts are kept in memory alone, and begin anew at the next start'

let files = 0
let store: string
let counts: string
let key: string
beforeEach(async () => {
  files += 1
  mkdirSync(`${folder}/${files}`)
  store = `${folder}/${files}/x.db`
  counts = `${store}-quota`
  const service = await startOnStore()
  ;({ key } = await service.addKey({ plan: 'free' }))
  expect(await used(service)).toBe(1)
  await service.close()
})
afterEach(() => {
  if (process.geteuid?.() !== process.getuid?.()) process.seteuid?.(0)
})

function startOnStore(): Promise<TestService> {
  return startService({ DATABASE_URL: `sqlite:${store}` })
}

/** How many requests of today are counted for the key, with this one. */
async function used({ call }: TestService): Promise<number> {
  const { headers } = await call('get', '/pets').set('Authorization', `Bearer ${key}`).expect(200)
  const day = /"day";r=(\d+)/.exec((headers as Record<string, string>).ratelimit ?? '')
  return 1000 - Number(day?.[1])
}

/** What the log says of the counts. */
function told({ logged }: TestService): unknown[] {
  return logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('quota counts'))
}

/** Makes one for whom rights do not matter one for whom they do, who may use the store. */
function becomeNobody(): void {
  if (process.getuid?.() !== 0) return
  for (const path of [folder, `${folder}/${files}`]) chmodSync(path, 0o777)
  chmodSync(store, 0o666)
  process.seteuid?.(65_534)
}

function edit(sql: string): void {
  const db = new Database(counts)
  db.exec(sql)
  db.close()
}

describe('counts of quotas that cannot be read', () => {
  test.each<[string, () => void]>([
    [
      'with another header',
      () => {
        writeFileSync(counts, readFileSync(counts).fill(0xff, 0, 100))
      },
    ],
    [
      'of random bytes',
      () => {
        writeFileSync(counts, Buffer.from(Array.from({ length: 9000 }, (_, index) => (index * 7919) % 251)))
      },
    ],
    [
      'of text',
      () => {
        writeFileSync(counts, 'Dear diary, '.repeat(1000))
      },
    ],
    [
      'of a little text',
      () => {
        writeFileSync(counts, 'Dear diary')
      },
    ],
    [
      'with other columns',
      () => {
        edit('DROP TABLE counts; CREATE TABLE counts (x)')
      },
    ],
    [
      'without a key',
      () => {
        edit('DROP TABLE counts; CREATE TABLE counts (name TEXT, caller TEXT, "window" INTEGER, count INTEGER)')
      },
    ],
    [
      'with a view in the place of the table',
      () => {
        edit('DROP TABLE counts; CREATE VIEW counts AS SELECT 1 AS name, 2 AS caller, 3 AS "window", 4 AS count')
      },
    ],
    [
      'in a folder',
      () => {
        renameSync(counts, `${counts}.earlier`)
        mkdirSync(`${counts}/inner`, { recursive: true })
      },
    ],
    [
      'behind a link to itself',
      () => {
        renameSync(counts, `${counts}.earlier`)
        symlinkSync(counts, counts)
      },
    ],
    [
      'behind a link to nowhere',
      () => {
        renameSync(counts, `${counts}.earlier`)
        symlinkSync(`${folder}/nowhere/counts`, counts)
      },
    ],
  ])('%s are set aside with one line in the log, and begin anew', async (_, harm) => {
    harm()
    const service = await startOnStore()
    expect(await used(service)).toBe(1)
    await service.close()
    expect(told(service)).toEqual([setAside])
    expect(service.logged.find(({ msg }) => msg === setAside)).toMatchObject({ aside: `${counts}.damaged` })
    const again = await startOnStore()
    expect(await used(again)).toBe(2)
    await again.close()
    expect(told(again)).toEqual([])
  })

  test('for want of rights are set aside', async () => {
    chmodSync(counts, 0o000)
    becomeNobody()
    const service = await startOnStore()
    expect(await used(service)).toBe(1)
    await service.close()
    expect(told(service)).toEqual([setAside])
    expect(existsSync(`${counts}.damaged`)).toBe(true)
  })

  test('and cannot be set aside are done without, with one line in the log', async () => {
    mkdirSync(`${counts}.damaged/inner`, { recursive: true })
    writeFileSync(counts, 'Dear diary, '.repeat(1000))
    const service = await startOnStore()
    expect(await used(service)).toBe(1)
    await service.close()
    expect(told(service)).toEqual([without])
    expect(readFileSync(counts, 'utf8')).toMatch(/^Dear diary/)
  })

  test('because another program has the file to itself are left, and done without', async () => {
    const other = new Database(counts)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec('BEGIN EXCLUSIVE; COMMIT')
    const service = await startOnStore()
    expect(await used(service)).toBe(1)
    await service.close()
    expect(told(service)).toEqual([without])
    other.close()
    const again = await startOnStore()
    expect(await used(again)).toBe(2)
    await again.close()
  })
})

test('counts of quotas are read though another process writes to their file at that moment', async () => {
  const other = new Database(counts)
  other.exec('BEGIN IMMEDIATE')
  const service = await startOnStore()
  expect(await used(service)).toBe(2)
  other.exec('ROLLBACK')
  other.close()
  await service.close()
  expect(told(service)).toEqual([])
})

test('counts of quotas in a file that cannot be written are read, and the log says that they are not stored', async () => {
  chmodSync(counts, 0o444)
  becomeNobody()
  const service = await startOnStore()
  expect(await used(service)).toBe(2)
  await service.close()
  expect(told(service)).toEqual(['quota counts not stored'])
})

test('counts of quotas stand in nobody’s way when a store is opened without them', async () => {
  writeFileSync(counts, 'Dear diary, '.repeat(1000))
  await sqliteStores(store).close()
  expect(readFileSync(counts, 'utf8')).toMatch(/^Dear diary/)
})
