import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from '@jest/globals'
import { growthSince, samplesOf, type Samples } from '../support/metrics.ts'
import { describeMount, smallDisk } from '../support/mount.ts'
import { endAll, newFiles, serve, testFolder } from '../support/process.ts'
import { describePostgres, testPostgres } from '../support/servers/postgres.ts'
import { describeRedis, testRedis } from '../support/servers/redis.ts'
import { weather } from '../support/servers/weather.ts'
import { startService, type TestService } from '../support/service.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'

const newFile = newFiles(testFolder())
afterAll(endAll)

/** Who is asked what a person on call would ask: what has grown, and what was logged. */
async function during(service: TestService, act: () => Promise<void>): Promise<(name: string) => number> {
  const before = await samplesOf(service)
  service.logged.length = 0
  await act()
  return growthSince(before, await samplesOf(service))
}

/** How many observations of a histogram were longer than a bound. */
function above(grown: (name: string) => number, name: string, boundS: string, labels = ''): number {
  const own = labels === '' ? '' : `{${labels}}`
  return grown(`${name}_count${own}`) - grown(`${name}_bucket{le="${boundS}"${labels === '' ? '' : `,${labels}`}}`)
}

const statements = 'store_statement_duration_seconds'
const create = async (service: TestService): Promise<number> =>
  (await service.call('post', '/pets').send({ name: 'Rex', categoryId: 7 })).status

describeRedis('a Redis that takes 60 ms more', () => {
  test('is named by the time of its commands and by the parts of slow requests, and by nothing else', async () => {
    const redis = await testRedis()
    await redis.start()
    const way = await weather(redis.port)
    const service = await startService({ REDIS_URL: `redis://127.0.0.1:${way.port}`, SLOW_REQUEST_MS: '60' })
    await service.call('get', '/pets').expect(200)
    way.delayMs.there = 30
    way.delayMs.back = 30
    const grown = await during(service, async () => {
      for (let sent = 0; sent < 5; sent += 1) await service.call('get', '/pets').expect(200)
    })
    expect(grown('redis_command_duration_seconds_count')).toBe(5)
    expect(above(grown, 'redis_command_duration_seconds', '0.05')).toBe(5)
    expect(grown('quota_breaker_openings_total')).toBe(0)
    expect(above(grown, statements, '0.05', 'operation="SELECT",table="pets"')).toBe(0)
    const slow = service.logged.filter(({ msg }) => msg === 'slow request')
    expect(slow).toHaveLength(5)
    for (const { parts } of slow as { parts: Record<string, number> }[]) {
      expect(parts.quotaMs).toBeGreaterThanOrEqual(55)
      expect(parts.handlerMs).toBeLessThan(parts.quotaMs ?? 0)
    }
    // and one that takes longer than the time-out
    way.delayMs.back = 400
    const outage = await during(service, async () => {
      for (let sent = 0; sent < 5; sent += 1) await service.call('get', '/pets').expect(200)
    })
    expect(outage('quota_breaker_openings_total')).toBe(1)
    expect(outage('redis_command_failures_total')).toBeGreaterThanOrEqual(1)
    expect(outage('quota_local_requests_total')).toBe(5)
    await service.stop()
    await way.close()
    await redis.stop()
  })
})

describePostgres('a lock on PostgreSQL', () => {
  test('is named by the one table whose statements are slow, and by the reason of the failures', async () => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    const service = await startService({ DATABASE_URL: url })
    expect(await create(service)).toBe(201)
    const other = await server.client(url)
    await other.query('BEGIN; LOCK TABLE pets IN SHARE MODE')
    const grown = await during(service, async () => {
      expect(await create(service)).toBe(503)
      await service.call('get', '/pets/1').expect(200)
    })
    await other.query('ROLLBACK')
    expect(above(grown, statements, '1', 'operation="INSERT",table="pets"')).toBe(1)
    expect(grown(`${statements}_count{operation="SELECT",table="pets"}`)).toBe(1)
    expect(above(grown, statements, '1', 'operation="SELECT",table="pets"')).toBe(0)
    expect(grown('store_unavailable_total{reason="locked"}')).toBe(1)
    expect(grown('store_pool_failures_total')).toBe(0)
    const [failed] = service.logged as { msg: string; parts: { handlerMs: number } }[]
    expect(failed?.msg).toBe('request failed')
    expect(failed?.parts.handlerMs).toBeGreaterThan(1500)
    expect(JSON.stringify(failed)).toContain('locked by another process')
    await service.stop()
    await server.stop()
  })

  test('a pool without a free connection is named by what waits, and a server that is gone by its reason', async () => {
    const server = await testPostgres()
    await server.start()
    const url = await server.newDatabase()
    const service = await startService({ DATABASE_URL: url })
    expect(await create(service)).toBe(201)
    const other = await server.client(url)
    await other.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE')
    let inside: Samples | undefined
    const grown = await during(service, async () => {
      const busy = Array.from({ length: 12 }, async (_, index) => {
        // one after another, since those of a turn share a statement
        await new Promise((resolve) => setTimeout(resolve, 20 * index))
        return service.call('get', '/pets/1')
      })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      inside = await samplesOf(service)
      expect(new Set((await Promise.all(busy)).map(({ status }) => status))).toEqual(new Set([503]))
    })
    // those for creates have nothing to do
    expect(inside?.get('store_pool_connections{state="in_use"}')).toBe(8)
    expect(inside?.get('store_pool_waiting')).toBeGreaterThanOrEqual(4)
    expect(grown('store_unavailable_total{reason="timeout"}')).toBeGreaterThanOrEqual(8)
    await other.query('ROLLBACK')
    await server.kill()
    const gone = await during(service, async () => {
      await service.call('get', '/pets/1').expect(503)
    })
    expect(gone('store_unavailable_total{reason="unreachable"}')).toBe(1)
    expect(gone('store_pool_failures_total')).toBe(1)
    await service.stop()
    await server.stop()
  })
})

describe('a lock on SQLite', () => {
  test('is named by the reason of the failures', async () => {
    const service = await startService()
    expect(await create(service)).toBe(201)
    const other = new Database(`${service.folder}/store.db`)
    other.exec('BEGIN IMMEDIATE')
    const grown = await during(service, async () => {
      expect(await create(service)).toBe(503)
      await service.call('get', '/pets/1').expect(200)
    })
    other.close()
    expect(grown('store_unavailable_total{reason="locked"}')).toBe(1)
    expect(grown('http_errors_total{code="unavailable"}')).toBe(1)
    await service.stop()
  })
})

describe('a client that hammers', () => {
  test('is named by the refusals, and by a line of the log with its key id', async () => {
    const service = await startService({}, { now: () => 60_000 })
    const { key, record } = await service.addKey({ plan: 'free' })
    const grown = await during(service, async () => {
      await Promise.all(
        Array.from({ length: 200 }, () => service.call('get', '/pets').set('Authorization', `Bearer ${key}`)),
      )
    })
    expect(grown('http_errors_total{code="rate_limited"}')).toBe(140)
    expect(service.logged.filter(({ level }) => level === 40)).toMatchObject([{ keyId: record.id, refused: 100 }])
    await service.stop()
  })
})

describe('a leak', () => {
  /** Keeps a megabyte of each request for ever. */
  const leak = `data:text/javascript,${encodeURIComponent(`
    import { subscribe } from 'node:diagnostics_channel'
    const kept = []
    subscribe('http.server.request.start', () => kept.push(Array.from({ length: 131072 }, Math.random)))
  `)}`

  test('is named by the heap, which the next collection does not give back', async () => {
    const server = await serve({ DATABASE_URL: `sqlite:${newFile()}`, NODE_OPTIONS: `--import=${leak}` })
    const before = await samplesOf(server)
    for (let sent = 0; sent < 64; sent += 1) await fetch(`http://127.0.0.1:${server.port}/livez`)
    const after = await samplesOf(server)
    const grown = growthSince(before, after)
    expect(grown('nodejs_heap_size_used_bytes')).toBeGreaterThan(48 * 2 ** 20)
    expect(grown('process_resident_memory_bytes')).toBeGreaterThan(32 * 2 ** 20)
    expect(after.get('nodejs_heap_size_limit_bytes')).toBeGreaterThan(after.get('nodejs_heap_size_used_bytes') ?? NaN)
    await server.stop()
  })
})

describeMount('a full disk', () => {
  test('is named by its free bytes before it is full, and by the reason of the failures after', async () => {
    const disk = smallDisk(4000)
    const service = await startService({ DATABASE_URL: `sqlite:${disk.folder}/store.db` })
    const roomy = (await samplesOf(service)).get('store_free_bytes') ?? 0
    expect(roomy).toBeGreaterThan(3_000_000)
    expect(roomy).toBeLessThan(4000 * 1024)
    writeFileSync(`${disk.folder}/filler`, Buffer.alloc(3_500_000))
    const grown = await during(service, async () => {
      for (let count = 0; count < 10_000; count += 1) if ((await create(service)) !== 201) break
    })
    const full = (await samplesOf(service)).get('store_free_bytes')
    expect(full).toBeLessThan(100_000)
    expect(grown('store_unavailable_total{reason="disk_full"}')).toBe(1)
    expect(service.logged.map(({ msg }) => msg)).toContain(
      'store cannot write: make room on its disk, or make it writable',
    )
    await service.stop()
    disk.remove()
  })
})
