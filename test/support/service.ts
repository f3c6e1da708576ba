import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { pino } from 'pino'
import supertest, { type Response, type Test } from 'supertest'
import { openService, type Service, type Settings } from '../../src/app.ts'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import { readConfig } from '../../src/config/config.ts'
import { loggable } from '../../src/failure.ts'
import { readPlans } from '../../src/quota/plans.ts'
import type { Key } from '../../src/store/store.ts'

export interface TestService extends Service {
  port: number
  /** An API key with limits that no ordinary test uses up. */
  key: string
  /** The lines of the log, parsed. */
  logged: Record<string, unknown>[]
  /** The folder of this service's SQLite files, which `stop` removes. */
  folder: string
  /** A request below the API root, with the key and with the checks that every answer must pass. */
  call: (method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options', path: string) => Test
  addKey: (record?: Partial<Key>) => Promise<{ key: string; record: Key }>
  stop: () => Promise<void>
}

/** A real service on a free port, on a new SQLite file unless `env` names another DATABASE_URL. */
export async function startService(env: Record<string, string> = {}, settings: Settings = {}): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  const logged: Record<string, unknown>[] = []
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>)
  const config = readConfig({
    DATABASE_URL: `sqlite:${folder}/store.db`,
    SHUTDOWN_GRACE_MS: '2000',
    ANONYMOUS_PER_MINUTE: '1000000',
    ANONYMOUS_PER_DAY: '1000000',
    ...env,
  })
  const service = await openService(config, {
    log: pino({ level: 'debug', serializers: { err: loggable } }, { write }),
    ...settings,
  })
  await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve))

  const addKey = async (record: Partial<Key> = {}): Promise<{ key: string; record: Key }> => {
    const key = newKey()
    const plain = newRecord({ plan: 'business', createdAt: 0, ...record })
    await service.stores.keys.add(plain, digestOf(key), 'a test')
    return { key, record: plain }
  }
  const plans = [...readPlans(service.document.root)]
  const [custom] = plans.find(([, limits]) => limits === 'custom') ?? []
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
  const { key } = await addKey(custom === undefined ? { plan: plans[0]?.[0] ?? '' } : { plan: custom, custom: limits })
  return {
    ...service,
    port: (service.server.address() as AddressInfo).port,
    key,
    logged,
    folder,
    addKey,
    call: (method, path) =>
      supertest(service.server)
        [method](service.apiRoot + path)
        .set('Authorization', `Bearer ${key}`)
        .expect(checkEveryAnswer),
    stop: async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Checks what every answer under the API root must have, whatever its status. */
export function checkEveryAnswer({ status, headers, text }: Pick<Response, 'status' | 'headers' | 'text'>): void {
  const header = headers as Record<string, string | undefined>
  expect(header['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  checkSafeHeaders(status, header)
  if (status >= 400) expect(header.etag).toBeUndefined()
  checkQuotaHeaders(header)
  if (status < 400) return
  expect(header['content-type']).toBe('application/json')
  if (text) expectError(text, status)
}

/** Checks what all answers have in common: those of the API, pages, and answers to malformed requests. */
export function checkSafeHeaders(status: number, headers: Record<string, string | undefined>): void {
  expect(headers['x-content-type-options']).toBe('nosniff')
  if (status >= 400) expect(headers['cache-control']).toBe('no-store')
  expect(headers['x-powered-by']).toBeUndefined()
  expect(headers.server).toBeUndefined()
}

/** Checks the quota headers, which every answer of the API must have. */
export function checkQuotaHeaders(headers: Record<string, string | undefined>): void {
  expect(headers['x-ratelimit-limit']).toMatch(/^[1-9]\d*$/)
  expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/)
  expect(headers['x-ratelimit-reset']).toMatch(/^\d+$/)
  expect(Number(headers['x-ratelimit-remaining'])).toBeLessThanOrEqual(Number(headers['x-ratelimit-limit']))
  expect(headers['ratelimit-policy']).toMatch(/^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/)
  expect(headers.ratelimit).toMatch(/^"minute";r=\d+;t=\d+, "day";r=\d+;t=\d+$/)
}

/** Checks that a body is the contract's Error, with no other field. */
export function expectError(text: string, status: number, code?: string): void {
  const body = JSON.parse(text) as { code: string; message: string; status: number }
  expect(Object.keys(body)).toEqual(['code', 'message', 'status'])
  expect(body.status).toBe(status)
  expect(body.code).toMatch(/^[a-z][a-z_]*$/)
  expect(body.message).toMatch(/^\S.*[.]$/)
  if (code !== undefined) expect(body.code).toBe(code)
}
