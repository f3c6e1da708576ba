import { describe } from '@jest/globals'
import { hasPostgres } from './postgres-server.ts'

export { serverOwner, testPostgres, type TestPostgres } from './postgres-server.ts'

/** `describe` where PostgreSQL is installed. Where servers are required, the tests run and fail without one. */
export const describePostgres =
  hasPostgres || process.env.REQUIRE_SERVERS === '1'
    ? describe
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs PostgreSQL, as from apt-get install postgresql)`, body)
      }
