import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { endAll, serve, type Server } from '../support/process.ts'

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  env = { DATABASE_URL: `sqlite:${folder}/store.db`, NODE_ENV: 'production' }
})
afterEach(async () => {
  await endAll()
  rmSync(folder, { recursive: true })
})

async function addKey(perMinute: number): Promise<string> {
  const key = newKey()
  const stores = sqliteStores(`${folder}/store.db`)
  const record = newRecord({ plan: 'enterprise', custom: { perMinute, perDay: 1_000_000 }, createdAt: 0 })
  await stores.keys.add(record, digestOf(key), 'a test')
  await stores.close()
  return key
}

async function call(server: Server, key: string): Promise<Response> {
  return fetch(`${server.address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
}

/** How many requests the day was charged with, the one of this question included. */
async function usedToday(server: Server, key: string): Promise<number> {
  const { headers } = await call(server, key)
  return 1_000_000 - Number(/"day";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
}

async function end(server: Server, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  server.child.kill(signal)
  await server.ended
}

describe('a process that is ended', () => {
  test('by SIGTERM has kept its counts exactly', async () => {
    const key = await addKey(1_000_000)
    const first = await serve(env)
    for (let sent = 0; sent < 57; sent += 1) await call(first, key)
    await end(first, 'SIGTERM')
    expect(await usedToday(await serve(env), key)).toBe(58)
  })

  test('by SIGKILL has kept its counts but for the last second', async () => {
    const key = await addKey(1_000_000)
    const first = await serve(env)
    let early = 0
    let sent = 0
    const began = performance.now()
    while (performance.now() - began < 3000) {
      await call(first, key)
      sent += 1
      // a second until they are stored, and half a one for a busy machine to do it
      if (performance.now() - began < 1500) early = sent
    }
    await end(first, 'SIGKILL')
    const kept = (await usedToday(await serve(env), key)) - 1
    expect(kept).toBeGreaterThanOrEqual(early)
    expect(kept).toBeLessThanOrEqual(sent)
  })

  test('by SIGKILL right after a ban has kept the ban', async () => {
    const key = await addKey(1)
    env = { ...env, BAN_AFTER: '1', BAN_SECONDS: '3600' }
    const first = await serve(env)
    let code: string | undefined
    while (code !== 'key_banned') {
      code = ((await (await call(first, key)).json()) as { code?: string }).code
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await end(first, 'SIGKILL')
    const answer = await call(await serve(env), key)
    expect(answer.status).toBe(429)
    expect(await answer.json()).toMatchObject({ code: 'key_banned', status: 429 })
  })
})
