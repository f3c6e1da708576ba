import { tsImport } from 'tsx/esm/api'
import { cores, pin } from './machine.js'

/**
 * A Redis of our own; undefined where there is none installed. `watch` gives a function that tells what was used of it
 * since: its CPU time in µs, the scripts that it was asked to run, and how often it read from its connections.
 */
export async function startRedis() {
  const { hasRedis, testRedis } = await tsImport('../../test/support/servers/redis-server.ts', import.meta.url)
  if (!hasRedis()) return undefined
  const redis = await testRedis()
  try {
    await redis.start()
    const client = redis.client()
    pin(number(await client.info('server'), 'process_id:'), cores?.load)
    return {
      env: { REDIS_URL: redis.url },
      watch: async () => {
        const before = readings(await client.info('everything'))
        return async () => {
          const after = readings(await client.info('everything'))
          return {
            redisCpuUs: after.cpuUs - before.cpuUs,
            commands: after.commands - before.commands,
            // one is that of the question itself
            reads: after.reads - before.reads - 1,
          }
        }
      },
      stop: () => redis.stop(),
    }
  } catch (error) {
    await redis.stop()
    throw error
  }
}

function readings(info) {
  return {
    cpuUs: (number(info, 'used_cpu_sys:') + number(info, 'used_cpu_user:')) * 1e6,
    // what scripts call is counted as well, but not asked for by clients
    commands: number(info, 'cmdstat_evalsha:calls=') + number(info, 'cmdstat_eval:calls='),
    reads: number(info, 'total_reads_processed:'),
  }
}

function number(info, name) {
  return Number(new RegExp(`^${name}([\\d.]+)`, 'm').exec(info)?.[1] ?? 0)
}
