import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import type { Limits } from '../../src/quota/plans.ts'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { serve, type Server } from './process.ts'

const room: Limits = { perMinute: 1_000_000, perDay: 1_000_000 }

/** Adds a key, by default with room for a test's requests, to the SQLite file of a process, which need not be there yet. */
export async function enterpriseKey(file: string, custom = room): Promise<string> {
  const key = newKey()
  const stores = sqliteStores(file)
  await stores.keys.add(newRecord({ plan: 'enterprise', custom, createdAt: 0 }), digestOf(key))
  await stores.close()
  return key
}

export interface KeyedServer {
  server: Server
  key: string
  file: string
}

/** Starts the service as it runs in production on an SQLite file, with such a key in it. */
export async function serveWithKey(file: string, env: Record<string, string> = {}): Promise<KeyedServer> {
  const key = await enterpriseKey(file)
  return { server: await serve({ DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production', ...env }), key, file }
}
