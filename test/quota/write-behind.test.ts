import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { countsFile } from '../../src/store/sqlite/counts-file.ts'
import type { Key } from '../../src/store/store.ts'
import { spend, testQuota, type TestQuota } from '../support/quota.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'

const minute = 60_000
const start = 20_000 * 86_400_000 + 5 * minute

let folder: string
let file: string
let key: Key
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  file = join(folder, 'counts')
  key = (await testQuota()).key('enterprise', { perMinute: 100, perDay: 1000 })
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

function quotaAt(now: number): Promise<TestQuota> {
  return testQuota({ counts: countsFile(file), now: () => now })
}

/** What a quota that starts at this time knows of the key. */
async function knownAt(now: number): Promise<{ minuteUsed: number; dayUsed: number }> {
  const quota = await quotaAt(now)
  const { minuteUsed, dayUsed } = quota.peek({ key }, now)
  quota.close()
  return { minuteUsed, dayUsed }
}

describe('counts', () => {
  test('are exactly there again after a stop and a start', async () => {
    const quota = await quotaAt(start)
    await spend(quota, { key }, 30, start - minute)
    await spend(quota, { key }, 37, start)
    quota.close()
    expect(await knownAt(start + 59_999)).toEqual({ minuteUsed: 37, dayUsed: 67 })
  })

  test('of a past minute are not read, and those of the day are', async () => {
    const quota = await quotaAt(start)
    await spend(quota, { key }, 37, start)
    quota.close()
    expect(await knownAt(start + minute)).toEqual({ minuteUsed: 0, dayUsed: 37 })
  })

  test('of windows that the clock has stepped back behind hold nobody up', async () => {
    const quota = await quotaAt(start + 86_400_000)
    await spend(quota, { key }, 100, start + 86_400_000)
    quota.close()
    expect(await knownAt(start)).toEqual({ minuteUsed: 0, dayUsed: 0 })
  })

  test('are stored every second meanwhile, so that a killed process forgets no more', async () => {
    const quota = await quotaAt(start)
    await spend(quota, { key }, 5, start)
    const reader = new Database(file, { readonly: true })
    const stored = reader.prepare('SELECT count FROM counts WHERE name = ? AND caller = ?').pluck()
    const deadline = performance.now() + 10_000
    while (stored.get('minute', key.id) !== 5 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(stored.get('minute', key.id)).toBe(5)
    reader.close()
    quota.close()
  })

  test('that make no sense are not read', async () => {
    ;(await quotaAt(start)).close()
    const db = new Database(file)
    const insert = db.prepare('INSERT INTO counts (name, caller, "window", count) VALUES (?, ?, ?, ?)')
    insert.run('minute', key.id, Math.floor(start / minute), -5)
    insert.run('day', key.id, Math.floor(start / 86_400_000) + 9, 1000)
    db.close()
    expect(await knownAt(start)).toEqual({ minuteUsed: 0, dayUsed: 0 })
  })

  test('of addresses are not stored, so that strangers cannot fill the disk', async () => {
    const quota = await quotaAt(start)
    await spend(quota, { address: '10.0.0.1' }, 5, start)
    quota.close()
    const db = new Database(file, { readonly: true })
    expect(db.prepare('SELECT count(*) FROM counts').pluck().get()).toBe(0)
    db.close()
  })

  test('of past windows do not stay in the file', async () => {
    const quota = await quotaAt(start)
    await spend(quota, { key }, 5, start)
    quota.close()
    const later = await quotaAt(start + 2 * 86_400_000)
    await spend(later, { key }, 2, start + 2 * 86_400_000)
    later.close()
    const db = new Database(file, { readonly: true })
    expect(db.prepare('SELECT count FROM counts').pluck().all()).toEqual([2, 2])
    db.close()
  })

  test.each([[1], [2]])(
    'in a file that is damaged from page %i on begin anew, and the file is set aside',
    async (page) => {
      const quota = await quotaAt(start)
      const callers = Array.from({ length: 500 }, (_, index) => `key_${index}`)
      const counts = countsFile(file)
      counts?.save(
        'day',
        callers.map((caller) => ({ window: 20_000, caller, count: 1 })),
      )
      counts?.close()
      quota.close()
      const whole = readFileSync(file)
      writeFileSync(file, whole.fill(0xff, page * 4096))
      expect(await knownAt(start)).toEqual({ minuteUsed: 0, dayUsed: 0 })
      expect(readFileSync(`${file}.damaged`)).toEqual(whole)
      const again = await quotaAt(start)
      await spend(again, { key }, 3, start)
      again.close()
      expect(await knownAt(start)).toEqual({ minuteUsed: 3, dayUsed: 3 })
    },
  )

  test('that cannot be stored for a while are stored later, and the log says so once', async () => {
    const saved: unknown[] = []
    let broken = true
    const quota = await testQuota({
      now: () => start,
      counts: {
        load: () => [],
        save: (name, counts) => {
          if (broken) throw new Error('disk full')
          saved.push(...counts.map((count) => ({ name, ...count })))
        },
        close: () => undefined,
      },
    })
    await spend(quota, { key }, 3, start)
    while (quota.logged.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    broken = false
    quota.close()
    expect(quota.logged.map(({ msg }) => msg)).toEqual(['quota counts not stored'])
    expect(saved).toEqual([
      { name: 'minute', window: Math.floor(start / minute), caller: key.id, count: 3 },
      { name: 'day', window: 20_000, caller: key.id, count: 3 },
    ])
  })
})
