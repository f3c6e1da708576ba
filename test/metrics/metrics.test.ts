import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { errorStatuses } from '../../src/api-error.ts'
import { reasons } from '../../src/store/unavailable.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import { samplesOf, type Samples } from '../support/metrics.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const samples = (from = service): Promise<Samples> => samplesOf(from)

describe('/metrics', () => {
  test('has every operation, status and error code of the contract from the start, with 0, and no series is added', async () => {
    const own = await startService()
    try {
      const ours = (all: ReadonlyMap<string, number>): [string, number][] =>
        [...all].filter(([name]) => !/^(nodejs|process)_/.test(name))
      const fresh = ours(await samples(own))
      const values = new Map(fresh)
      const { operations } = modelOf(own.document)
      expect(operations).toHaveLength(3)
      for (const { operationId, responses } of operations) {
        const statuses = [...responses.keys()].filter((status) => status !== 'default')
        for (const status of [...statuses, '500']) {
          expect(values.get(`http_requests_total{operation="${operationId}",status="${status}"}`)).toBe(0)
        }
        expect(values.get(`http_request_duration_seconds_bucket{le="+Inf",operation="${operationId}"}`)).toBe(0)
      }
      for (const code of Object.keys(errorStatuses)) {
        expect(values.get(`http_errors_total{code="${code}"}`)).toBe(0)
      }
      expect(values.get('http_requests_total{operation="none",status="401"}')).toBe(0)
      expect(values.get('deprecated_requests_total{operation="getPet"}')).toBe(0)
      expect(values.get('quota_bans_total')).toBe(0)
      for (const name of [
        'quota_breaker_openings_total',
        'quota_local_requests_total',
        'redis_command_failures_total',
      ]) {
        expect(values.get(name)).toBe(0)
      }
      expect(values.get('redis_command_duration_seconds_count')).toBe(0)
      for (const reason of reasons) expect(values.get(`store_unavailable_total{reason="${reason}"}`)).toBe(0)
      expect(values.get('store_statement_duration_seconds_count{operation="INSERT",table="pets"}')).toBe(0)

      await own.call('post', '/pets').send({ name: 'Rex', categoryId: 7 }).expect(201)
      await own.call('get', '/pets/1').expect(200)
      await own.call('get', '/nothing').expect(404)
      await own.call('options', '/pets').expect(204)
      await own.call('get', '/pets').set('Authorization', 'Bearer x').expect(401)
      await fetch(`http://127.0.0.1:${own.port}/v1/pets`, { method: 'PUT' })
      expect(ours(await samples(own)).map(([name]) => name)).toEqual(fresh.map(([name]) => name))
    } finally {
      await own.stop()
    }
  })

  test('tells which contract and which Node.js run, as Prometheus joins it to other series', async () => {
    const { root, digest } = service.document
    const labels = `version="${root.info.version}",node_version="${process.version}",contract_digest="${digest}"`
    expect(digest).toMatch(/^[\da-f]{64}$/)
    expect((await samples()).get(`animal_store_build_info{${labels}}`)).toBe(1)
    const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
    expect(text).toContain('\n# TYPE animal_store_build_info gauge\n')
  })

  test('counts answers by operation and final status, with their time', async () => {
    const before = await samples()
    const created = await service.call('post', '/pets').send({ name: 'Rex', categoryId: 7 }).expect(201)
    await service.call('get', `/pets/${(created.body as { id: number }).id}`).expect(200)
    await service.call('get', '/pets/999999').expect(404)
    await service.call('get', '/pets?limit=0').expect(400)
    const after = await samples()
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
    expect(grown('http_requests_total{operation="createPet",status="201"}')).toBe(1)
    expect(grown('http_requests_total{operation="getPet",status="200"}')).toBe(1)
    expect(grown('http_requests_total{operation="getPet",status="404"}')).toBe(1)
    expect(grown('http_requests_total{operation="listPets",status="400"}')).toBe(1)
    const duration = 'http_request_duration_seconds'
    expect(grown(`${duration}_count{operation="getPet"}`)).toBe(2)
    const took = grown(`${duration}_sum{operation="getPet"}`)
    expect(took).toBeGreaterThan(0)
    const bounds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf']
    const buckets = bounds.map((le) => grown(`${duration}_bucket{le="${le}",operation="getPet"}`))
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
    expect(buckets.at(-1)).toBe(2)
    // no request took longer than both, nor the longer one less than half
    for (const [index, count] of buckets.entries()) {
      const bound = Number(bounds[index])
      if (bound >= took) expect(count).toBe(2)
      if (bound < took / 2) expect(count).toBeLessThan(2)
    }
    expect(grown('http_errors_total{code="not_found"}')).toBe(1)
    expect(grown('deprecated_requests_total{operation="getPet"}')).toBe(2)
    const statement = (labels: string): number => grown(`store_statement_duration_seconds_count{${labels}}`)
    expect(statement('operation="INSERT",table="pets"')).toBe(1)
    expect(statement('operation="SELECT",table="pets"')).toBe(2)
    expect(statement('operation="COMMIT",table=""')).toBe(1)
    const written = grown('store_statement_duration_seconds_sum{operation="COMMIT",table=""}')
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThan(grown(`${duration}_sum{operation="createPet"}`))
    expect(after.get('store_free_bytes')).toBeGreaterThan(0)
    expect(after.get('store_waiting_creates')).toBe(0)
    expect(after.get('store_wal_bytes')).toBeGreaterThan(0)
    expect(after.get('quota_degraded')).toBe(0)
    expect(after.get('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
  })

  test('counts refusals and bans', async () => {
    let now = 60_000
    const own = await startService({ BAN_AFTER: '1' }, { now: () => now })
    try {
      const { key } = await own.addKey({ plan: 'enterprise', custom: { perMinute: 1, perDay: 100 } })
      const statuses: number[] = []
      for (const at of [60_000, 60_001, 62_000, 62_001]) {
        now = at
        const { status } = await own.call('get', '/pets').set('Authorization', `Bearer ${key}`)
        statuses.push(status)
      }
      expect(statuses).toEqual([200, 429, 429, 429])
      const shown = await samples(own)
      expect(shown.get('http_errors_total{code="rate_limited"}')).toBe(1)
      expect(shown.get('http_errors_total{code="key_banned"}')).toBe(2)
      expect(shown.get('quota_bans_total')).toBe(1)
    } finally {
      await own.stop()
    }
  })

  test('has as many series whatever clients send', async () => {
    const own = await startService()
    try {
      await own.call('get', '/nothing').expect(404)
      await own.call('put', '/pets').expect(405)
      await own.call('get', '/pets/1').expect(404)
      const series = async (): Promise<string[]> =>
        [...(await samples(own)).keys()].filter((name) => !/^(nodejs|process)_/.test(name))
      const before = await series()
      for (let index = 0; index < 300; index++) {
        await own.call('get', `/nothing-${index}?key=${own.key}`).expect(404)
        await own.call('get', `/pets/${index + 2}`).expect(404)
      }
      const after = await series()
      expect(after).toEqual(before)
      expect(after.join()).not.toContain(own.key)
    } finally {
      await own.stop()
    }
  })
})

interface Slow {
  durationMs: number
  parts: Record<string, number>
}

describe('the log', () => {
  test('has one line for each request, with its id, operation, key id, status and time, and nothing of its content', async () => {
    const { key, record } = await service.addKey({ plan: 'pro' })
    service.logged.length = 0
    await service
      .call('post', '/pets')
      .set('Authorization', `Bearer ${key}`)
      .set('X-Request-Id', 'mine-1')
      .send({ name: 'SENTINEL', categoryId: 7 })
      .expect(201)
    await service.call('get', `/pets/1?api_key=${key}`).set('Authorization', `Bearer ${key}x`).expect(401)
    await service.call('get', '/SENTINEL').set('User-Agent', 'SENTINEL').expect(404)
    expect(service.logged).toMatchObject([
      {
        level: 30,
        msg: 'request',
        requestId: 'mine-1',
        method: 'POST',
        operationId: 'createPet',
        keyId: record.id,
        status: 201,
      },
      { level: 30, msg: 'request', method: 'GET', status: 401, code: 'unauthorized' },
      { level: 30, msg: 'request', method: 'GET', status: 404, code: 'not_found' },
    ])
    for (const line of service.logged) expect(line.durationMs).toBeGreaterThan(0)
    const text = JSON.stringify(service.logged)
    expect(text).not.toContain('SENTINEL')
    expect(text).not.toContain(key.slice(3, 46))
  })

  test('names a slow request and its parts, which together are the whole', async () => {
    const own = await startService({ SLOW_REQUEST_MS: '40' })
    const socket = connect(own.port)
    try {
      const body = '{"name":"Rex","categoryId":7}'
      const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${own.key}\r\n`
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`)
      await sleep(200)
      socket.end(body)
      socket.resume()
      await once(socket, 'close')
      await own.call('get', '/pets/1').expect(200)
      const [slow, quick] = own.logged.filter(({ status }) => status !== undefined) as unknown as Slow[]
      expect(slow).toMatchObject({ level: 40, msg: 'slow request', operationId: 'createPet', status: 201 })
      const { keyMs = 0, bodyMs = 0, handlerMs = 0, restMs = 0, ...others } = slow?.parts ?? {}
      expect(others).toEqual({})
      expect(bodyMs).toBeGreaterThan(40)
      expect(handlerMs).toBeGreaterThan(0)
      expect(keyMs + bodyMs + handlerMs + restMs).toBeCloseTo(slow?.durationMs ?? 0, 6)
      expect(quick).toMatchObject({ level: 30, msg: 'request', operationId: 'getPet' })
      expect(quick).not.toHaveProperty('parts')
    } finally {
      await own.stop()
    }
  })

  test('names a caller that goes on while it is refused, at each power of ten', async () => {
    const own = await startService({ ANONYMOUS_PER_MINUTE: '1', BAN_AFTER: '50' }, { now: () => 60_000 })
    try {
      const { key, record } = await own.addKey({ plan: 'enterprise', custom: { perMinute: 1, perDay: 100 } })
      for (let sent = 0; sent <= 100; sent += 1) await own.call('get', '/pets').set('Authorization', `Bearer ${key}`)
      for (let sent = 0; sent <= 100; sent += 1) await own.call('get', '/pets').set('Authorization', 'Bearer x')
      const warned = own.logged.filter(({ level }) => level === 40)
      const msg = 'a caller goes on sending while it is refused'
      expect(warned).toMatchObject([
        { msg, keyId: record.id, refused: 100 },
        { msg, address: '127.0.0.1', refused: 100 },
      ])
    } finally {
      await own.stop()
    }
  })

  test('has none for the pages of operators', async () => {
    service.logged.length = 0
    for (const path of ['/livez', '/readyz', '/metrics']) await fetch(`http://127.0.0.1:${service.port}${path}`)
    expect(service.logged).toEqual([])
  })
})
