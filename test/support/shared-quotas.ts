import { afterEach, beforeEach } from '@jest/globals'
import { testQuota, type TestQuota } from './quota.ts'
import { testRedis, type TestRedis } from './servers/redis.ts'

type OpenQuota = (redisUrl: string, parts?: Parameters<typeof testQuota>[0]) => Promise<TestQuota>

/** Opens quotas over Redis for the tests of a file, and closes them after each. */
export function sharedQuotas(): OpenQuota {
  const quotas: TestQuota[] = []
  afterEach(() => {
    for (const quota of quotas.splice(0)) quota.close()
  })
  return async (redisUrl, parts) => {
    const quota = await testQuota({ redisUrl, ...parts })
    quotas.push(quota)
    return quota
  }
}

/** A redis-server for each test of a file, which the test starts, and quotas over it. */
export function redisQuotas(): {
  redis: () => TestRedis
  sharedQuota: (redisUrl?: string, parts?: Parameters<typeof testQuota>[0]) => Promise<TestQuota>
} {
  const open = sharedQuotas()
  let redis: TestRedis
  beforeEach(async () => {
    redis = await testRedis()
  })
  afterEach(() => redis.stop())
  return { redis: () => redis, sharedQuota: (redisUrl = redis.url, parts = {}) => open(redisUrl, parts) }
}
