import { describe } from '@jest/globals'
import { hasRedis } from './redis-server.ts'

export { freePort, testRedis, type TestRedis } from './redis-server.ts'

/** `describe` where a redis-server is on PATH. Where servers are required, the tests run and fail without one. */
export const describeRedis =
  hasRedis() || process.env.REQUIRE_SERVERS === '1'
    ? describe
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs redis-server on PATH, as from apt-get install redis-server)`, body)
      }
