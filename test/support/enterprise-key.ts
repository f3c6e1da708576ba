import { digestOf, newKey, newRecord } from '../../src/auth/key.ts'
import type { Limits } from '../../src/quota/plans.ts'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { serve, type Server } from './process.ts'

const room: Limits = { perMinute: 1_000_000, perDay: 1_000_000 }

/** Adds an enterprise key to an SQLite file, which is made when it does not exist. No test uses up the default limits. */
export async function enterpriseKey(file: string, custom = room): Promise<string> {
  const key = newKey()
  const stores = sqliteStores(file)
  await stores.keys.add(newRecord({ plan: 'enterprise', custom, createdAt: 0 }), digestOf(key), 'a test')
  await stores.close()
  return key
}

export interface KeyedServer {
  server: Server
  key: string
  file: string
}

/** Starts the service in production mode on an SQLite file with an enterprise key. */
export async function serveWithKey(file: string, env: Record<string, string> = {}): Promise<KeyedServer> {
  const key = await enterpriseKey(file)
  return { server: await serve({ DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production', ...env }), key, file }
}
