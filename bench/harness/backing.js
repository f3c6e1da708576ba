import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import { cpuUs } from './machine.js'
import { sum } from './statistics.js'

const copy = fileURLToPath(new URL('../../dist/scripts/store-copy.js', import.meta.url))

/**
 * A PostgreSQL and a Redis of our own with the animals and keys of a database; undefined where they are not installed.
 * `cpuUs` gives the CPU time that Redis and each process of PostgreSQL have used; `costUs` what was used between two of
 * those.
 */
export async function startBacking(database) {
  const { hasPostgres, testPostgres } = await tsImport('../../test/support/servers/postgres-server.ts', import.meta.url)
  const { hasRedis, testRedis } = await tsImport('../../test/support/servers/redis-server.ts', import.meta.url)
  if (!hasPostgres || !hasRedis()) return undefined
  const postgres = await testPostgres()
  const redis = await testRedis()
  const stop = async () => {
    await postgres.stop()
    await redis.stop()
  }
  try {
    // an animal is on disk before it is acknowledged, as with SQLite
    await postgres.start({ fsync: 'on' })
    await redis.start()
    const url = await postgres.newDatabase()
    execFileSync(process.execPath, [copy, `sqlite:${database.file}`, url], { stdio: 'ignore' })
    await postgres.sql(url, 'VACUUM ANALYZE')
    return {
      env: { DATABASE_URL: url, REDIS_URL: redis.url },
      cpuUs: async () => {
        const processes = await postgres.sql(url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
        return {
          postgres: new Map(processes.map(({ pid }) => [pid, cpuUs(pid) ?? NaN])),
          redis: await redisCpuUs(redis),
        }
      },
      costUs: (before, after) => ({
        // what ended in between is not seen
        postgres: sum(Array.from(after.postgres, ([pid, used]) => used - (before.postgres.get(pid) ?? 0))),
        redis: after.redis - before.redis,
      }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function redisCpuUs(redis) {
  const client = redis.client()
  const text = await client.info('cpu')
  client.disconnect()
  return sum([...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, seconds]) => Number(seconds) * 1e6))
}
