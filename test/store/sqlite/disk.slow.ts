import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { describeMount, smallDisk } from '../../support/mount.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'
import { Database } from '../../../src/store/sqlite/connection/driver.ts'

function post(service: TestService, name: string): Promise<{ status: number; text: string; headers: unknown }> {
  return service
    .call('post', '/pets')
    .set('Content-Type', 'application/json')
    .send(JSON.stringify({ name, categoryId: 7 }))
    .then((answer) => answer)
}

async function page(service: TestService, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${service.port}${path}`)).status
}

describeMount('a full disk', () => {
  test('refuses animals with 503, whole ones stay, reads go on, and it heals by itself when there is room', async () => {
    const disk = smallDisk(4000)
    const file = `${disk.folder}/store.db`
    const service = await startService({ DATABASE_URL: `sqlite:${file}` })
    writeFileSync(`${disk.folder}/filler`, Buffer.alloc(3_500_000))
    const acknowledged: string[] = []
    try {
      let refused: Awaited<ReturnType<typeof post>> | undefined
      for (let count = 0; !refused && count < 10_000; count += 1) {
        const name = `${'N'.repeat(200)} ${count}`
        const answer = await post(service, name)
        if (answer.status === 201) acknowledged.push(name)
        else refused = answer
      }
      expectError(refused?.text ?? '', 503, 'unavailable')
      expect(refused?.headers).toMatchObject({ 'retry-after': '1' })
      expect(acknowledged.length).toBeGreaterThan(10)

      // for longer than the store takes to try again
      for (let count = 0; count < 15; count += 1) {
        await sleep(100)
        expect((await service.call('get', '/pets/1')).status).toBe(200)
        expect((await service.call('get', '/pets?limit=5')).status).toBe(200)
        expect((await service.call('get', `/pets/${acknowledged.length + 1}`)).status).toBe(404)
        expect(await page(service, '/readyz')).toBe(503)
        expect(await page(service, '/livez')).toBe(200)
      }
      expect(toldBy(service)).toEqual(['store cannot write: make room on its disk, or make it writable'])

      rmSync(`${disk.folder}/filler`)
      // without a request that writes
      while ((await page(service, '/readyz')) !== 200) await sleep(50)
      expect((await post(service, 'Rex')).status).toBe(201)
      expect(toldBy(service)).toEqual([
        'store cannot write: make room on its disk, or make it writable',
        'store can write again',
      ])
      await service.stop()
      const db = new Database(file, { readonly: true })
      expect(db.prepare('SELECT name FROM pets ORDER BY id').pluck().all()).toEqual([...acknowledged, 'Rex'])
      expect(db.pragma('quick_check', { simple: true })).toBe('ok')
      db.close()
    } finally {
      disk.remove()
    }
  })
})

test('a commit of more than a second is told of with its time', async () => {
  const service = await startService()
  const file = `${service.folder}/store.db`
  const db = new Database(file)
  // as long as a slow disk would take
  db.exec(
    `CREATE VIEW numbers AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT i FROM n;
     CREATE TRIGGER slow AFTER INSERT ON pets WHEN new.name = 'Slow' BEGIN SELECT count(*) FROM numbers; END`,
  )
  db.close()
  expect((await post(service, 'Quick')).status).toBe(201)
  expect((await post(service, 'Slow')).status).toBe(201)
  const told = service.logged.filter(({ msg }) => String(msg).startsWith('slow commit'))
  expect(told).toEqual([
    expect.objectContaining({
      level: 40,
      file,
      msg: 'slow commit: nothing else was answered meanwhile; look at the disk',
    }),
  ])
  expect(told[0]?.ms).toBeGreaterThan(1000)
  await service.stop()
})

function toldBy({ logged }: TestService): unknown[] {
  return logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('store '))
}
