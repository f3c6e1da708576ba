import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { endAll, newFiles, runCommand, serve, testFolder, type Server } from '../support/process.ts'
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/servers/otlp.ts'
import { describePostgres, testPostgres } from '../support/servers/postgres.ts'
import { describeRedis, testRedis } from '../support/servers/redis.ts'

const newFile = newFiles(testFolder())
const SERVER = 2
const CLIENT = 3
const ERROR = 2

let receiver: OtlpReceiver
beforeEach(async () => {
  receiver = await otlpReceiver()
})
afterEach(() => receiver.stop())
afterAll(endAll)

/** The service as a process, since its libraries read the environment. */
async function traced(env: Record<string, string> = {}): Promise<{ server: Server; key: string }> {
  const server = await serve({
    DATABASE_URL: `sqlite:${newFile()}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  })
  const [key = ''] = await server.until(/ak_[0-9A-Za-z]{20,}/)
  return { server, key }
}

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

function byName(name: string): ReceivedSpan[] {
  return receiver.spans.filter((span) => span.name === name)
}

describe('tracing', () => {
  test('sends a span of each operation with its children, in the trace of the client', async () => {
    const { server, key } = await traced({ OTEL_SERVICE_NAME: 'animals-eu', OTEL_RESOURCE_ATTRIBUTES: 'a.b=c' })
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'X-Request-Id': 'mine-1' }
    const body = '{"name":"SENTINEL","categoryId":7}'
    await fetch(`${server.address}/pets`, { method: 'POST', headers: { ...headers, traceparent: parent }, body })
    await fetch(`${server.address}/pets/1?x=SENTINEL`, { headers })
    await fetch(`${server.address}/${key}`, { headers })
    await receiver.until(5)
    await server.stop()
    expect(receiver.resource()).toMatchObject({ 'service.name': 'animals-eu', 'service.version': '1.0.0', 'a.b': 'c' })
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'content-type': 'application/json' } })

    const [created] = byName('POST /v1/pets')
    expect(created).toMatchObject({
      kind: SERVER,
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/pets',
        'http.response.status_code': 201,
        'url.path': '/v1/pets',
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
        'animal_store.request_id': 'mine-1',
        'animal_store.operation_id': 'createPet',
      },
    })
    const children = receiver.spans.filter(({ parentSpanId }) => parentSpanId === created?.spanId)
    expect(children.map(({ name, kind, traceId, attributes }) => ({ name, kind, traceId, attributes }))).toEqual([
      {
        name: 'SELECT keys',
        kind: CLIENT,
        traceId: created?.traceId,
        attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'SELECT', 'db.collection.name': 'keys' },
      },
      {
        name: 'INSERT pets',
        kind: CLIENT,
        traceId: created?.traceId,
        attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'INSERT', 'db.collection.name': 'pets' },
      },
    ])
    for (const { startMs, endMs } of children) {
      expect(startMs).toBeGreaterThanOrEqual(created?.startMs ?? NaN)
      expect(endMs).toBeGreaterThanOrEqual(startMs)
      expect(endMs).toBeLessThanOrEqual(created?.endMs ?? NaN)
    }
    // a query that the operation does not know is a 400 before the store is asked
    const [refused] = byName('GET /v1/pets/{petId}')
    expect(refused).toMatchObject({ kind: SERVER, status: {}, attributes: { 'http.response.status_code': 400 } })
    expect(refused?.parentSpanId).toBeUndefined()
    expect(refused?.traceId).not.toBe(created?.traceId)
    const [strayed] = byName('GET')
    expect(strayed?.attributes).toMatchObject({ 'url.path': '/v1/ak_…', 'http.response.status_code': 404 })
    expect(JSON.stringify(receiver.spans)).not.toMatch(/SENTINEL|ak_[0-9A-Za-z]/)
    // the log leads to the trace
    const lines = server.stdout().split('\n')
    expect(lines.filter((line) => line.includes(`"traceId":"${refused?.traceId}"`))).toHaveLength(1)
  })

  test('sends protobuf unless JSON is asked for', async () => {
    const { server, key } = await traced({ OTEL_EXPORTER_OTLP_PROTOCOL: '' })
    await fetch(`${server.address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    await server.stop()
    expect(receiver.requests).toMatchObject([
      { path: '/v1/traces', headers: { 'content-type': 'application/x-protobuf' } },
    ])
  })

  test('keeps to the sampler and to the decision of the client', async () => {
    const { server, key } = await traced({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    const headers = { Authorization: `Bearer ${key}` }
    for (let sent = 0; sent < 5; sent += 1) await fetch(`${server.address}/pets`, { headers })
    await fetch(`${server.address}/pets`, { headers: { ...headers, traceparent: parent.replace(/01$/, '00') } })
    await fetch(`${server.address}/pets/7`, { headers: { ...headers, traceparent: parent } })
    await receiver.until(2)
    await server.stop()
    expect(receiver.spans.map(({ name }) => name).sort()).toEqual(['GET /v1/pets/{petId}', 'SELECT pets'])

    receiver.spans.length = 0
    const deaf = await traced({ OTEL_TRACES_SAMPLER: 'always_off' })
    const own = { Authorization: `Bearer ${deaf.key}`, traceparent: parent }
    await fetch(`${deaf.server.address}/pets`, { headers: own })
    await fetch(`${deaf.server.address}/pets`, { headers: { Authorization: own.Authorization } })
    await deaf.server.stop()
    expect(receiver.spans).toEqual([])
    const eager = await traced({ OTEL_TRACES_SAMPLER: 'always_on' })
    const unwanted = { Authorization: `Bearer ${eager.key}`, traceparent: parent.replace(/01$/, '00') }
    await fetch(`${eager.server.address}/pets`, { headers: unwanted })
    await eager.server.stop()
    expect(byName('GET /v1/pets')).toHaveLength(1)
  })

  test('sends what is left when the process ends, and none without tracing', async () => {
    const { server, key } = await traced({ OTEL_BSP_SCHEDULE_DELAY: '3600000' })
    await fetch(`${server.address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await server.stop()).toBe(0)
    expect(byName('GET /v1/pets')).toHaveLength(1)
    const sent = receiver.requests.length
    const off = await traced({ OTEL_TRACES_EXPORTER: 'none' })
    await fetch(`${off.server.address}/pets`, { headers: { Authorization: `Bearer ${off.key}` } })
    await off.server.stop()
    expect(receiver.requests).toHaveLength(sent)
  })

  test('costs no request when the receiver is gone, says so once, and delays no end', async () => {
    const { server, key } = await traced({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' })
    await receiver.stop()
    for (let sent = 0; sent < 20; sent += 1) {
      const { status } = await fetch(`${server.address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
      expect(status).toBe(200)
    }
    await server.until(/"spans are not sent: [^"]+"/)
    expect(await server.stop()).toBe(0)
    expect(server.stdout().match(/spans are not sent/g)).toHaveLength(1)
  })

  test('makes spans of all that are answered in a burst', async () => {
    const { server, key } = await traced({ OTEL_BSP_MAX_QUEUE_SIZE: '100000' })
    const headers = { Authorization: `Bearer ${key}` }
    const get = (): Promise<Response> => fetch(`${server.address}/pets/1`, { headers })
    for (let wave = 0; wave < 10; wave += 1) await Promise.all(Array.from({ length: 100 }, get))
    expect(await server.stop()).toBe(0)
    const roots = receiver.spans.filter(({ kind }) => kind === SERVER)
    expect(roots).toHaveLength(1000)
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(1000)
  })

  test('loads no library of OpenTelemetry when it is off', async () => {
    const hook = `data:text/javascript,${encodeURIComponent(`
      import { createRequire } from 'node:module'
      const { cache } = createRequire(${JSON.stringify(import.meta.url)})
      process.on('exit', () => {
        // prom-client brings the interfaces along
        const loaded = Object.keys(cache).filter((file) => /@opentelemetry[\\\\/](?!api[\\\\/])/.test(file))
        console.error('loaded ' + loaded.length)
      })
    `)}`
    for (const [endpoint, loaded] of [
      ['', /loaded 0$/m],
      [receiver.url, /loaded [1-9]/],
    ] as const) {
      const server = await serve({
        DATABASE_URL: `sqlite:${newFile()}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        NODE_OPTIONS: `--import=${hook}`,
      })
      await server.stop()
      expect(server.stderr()).toMatch(loaded)
    }
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'OTEL_TRACES_SAMPLER must be always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '1%', 'OTEL_TRACES_SAMPLER_ARG must be a number, 0 to 1'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'OTEL_TRACES_EXPORTER must be otlp or none'],
  ])('%s=%s is refused by name', async (name, value, sentence) => {
    const env = { DATABASE_URL: `sqlite:${newFile()}`, [name]: value }
    const { code, stderr } = await runCommand(process.execPath, ['--import', 'tsx', 'src/main.ts'], { env })
    expect(code).toBe(1)
    expect(stderr).toContain(sentence)
  })
})

describeRedis('tracing of Redis', () => {
  test('shows the charge of a request', async () => {
    const redis = await testRedis()
    await redis.start()
    const { server, key } = await traced({ REDIS_URL: redis.url })
    await fetch(`${server.address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    await receiver.until(4)
    await server.stop()
    const [root] = byName('GET /v1/pets')
    expect(byName('EVALSHA')).toMatchObject([
      {
        kind: CLIENT,
        parentSpanId: root?.spanId,
        attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' },
      },
    ])
    await redis.stop()
  })
})

describePostgres('tracing of PostgreSQL', () => {
  test('shows a store that cannot answer as an error of both spans', async () => {
    const postgres = await testPostgres()
    await postgres.start()
    const { server, key } = await traced({ DATABASE_URL: await postgres.newDatabase() })
    const get = (): Promise<Response> =>
      fetch(`${server.address}/pets/1`, { headers: { Authorization: `Bearer ${key}` } })
    expect((await get()).status).toBe(404)
    await postgres.kill()
    expect((await get()).status).toBe(503)
    await receiver.until(5)
    await server.stop()
    expect(byName('GET /v1/pets/{petId}')[1]).toMatchObject({
      status: { code: ERROR },
      attributes: { 'error.type': 'unavailable', 'http.response.status_code': 503 },
    })
    expect(byName('SELECT pets')[1]).toMatchObject({
      status: { code: ERROR },
      attributes: { 'db.system.name': 'postgresql', 'error.type': 'unreachable' },
    })
    await postgres.stop()
  })
})
