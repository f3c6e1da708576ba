import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startService } from '../../support/service.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

const mib = 1024 * 1024

test('the write-ahead log is short in quiet operation, is warned of under a long reader, and is cut back after it', async () => {
  const service = await startService()
  const file = `${service.folder}/store.db`
  const walBytes = (): number => statSync(`${file}-wal`).size
  const told = (): unknown[] =>
    service.logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('write-ahead log'))
  const fill = async (untilBytes: number): Promise<void> => {
    let written = 0
    while (written < untilBytes && walBytes() < untilBytes) {
      const names = Array.from({ length: 256 }, () => '\u{1f600}'.repeat(255))
      await Promise.all(names.map((name) => service.stores.pets.add({ name, categoryId: 1n, status: 'available' })))
      written += 256 * 1020
    }
  }

  await fill(24 * mib)
  const quiet = walBytes()
  expect(quiet).toBeLessThan(8 * mib)

  const reader = new Database(file, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM pets').get()
  await fill(70 * mib)
  const pinned = walBytes()
  expect(pinned).toBeGreaterThan(64 * mib)
  // several looks, one warning
  await sleep(2500)
  expect(told()).toEqual(['write-ahead log keeps growing: some process reads without an end; find and stop it'])
  expect(walBytes()).toBe(pinned)
  const metrics = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  expect(metrics).toContain(`\nstore_wal_bytes ${pinned}\n`)

  reader.exec('ROLLBACK')
  reader.close()
  // though nobody writes
  while (walBytes() > 8 * mib) await sleep(50)
  process.stdout.write(
    `WAL: ${(quiet / mib).toFixed(1)} MiB in quiet operation, ${(pinned / mib).toFixed(1)} under a reader, ` +
      `${(walBytes() / mib).toFixed(1)} after it\n`,
  )
  expect(told()).toHaveLength(1)
  await service.stop()
})
