import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import { testFolder } from '../support/process.ts'
import { describePostgres, testPostgres } from '../support/servers/postgres.ts'
import { describeRedis, testRedis } from '../support/servers/redis.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

// servers are started
jest.setTimeout(120_000)

const folder = testFolder()

async function readiness({ port }: { port: number }): Promise<string> {
  return ((await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { status: string }).status
}

describePostgres('a new password of PostgreSQL in DATABASE_URL_FILE', () => {
  test('is used by the connections that are made after it, also with a new user', async () => {
    const postgres = await testPostgres()
    await postgres.start()
    const database = await postgres.newDatabase()
    const file = join(folder, 'database-url')
    const urlOf = (user: string, password: string): string => {
      const url = new URL(database)
      return Object.assign(url, { username: user, password }).href
    }
    await postgres.sql(database, `CREATE ROLE animals LOGIN PASSWORD 'first'; ALTER SCHEMA public OWNER TO animals`)
    writeFileSync(file, `${urlOf('animals', 'first')}\n`)
    const service = await startService({ DATABASE_URL: '', DATABASE_URL_FILE: file })
    const disconnectAll = (): Promise<unknown> =>
      postgres.sql(database, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'animals%'`)
    try {
      await service.call('get', '/pets').expect(200)
      await postgres.sql(database, `ALTER ROLE animals PASSWORD 'second'`)
      await disconnectAll()
      await service.call('get', '/pets').expect(503)
      // what is there for a moment only, as while a file is written, is not used
      writeFileSync(file, '')
      await service.call('get', '/pets').expect(503)
      writeFileSync(file, `${urlOf('animals', 'second')}\n`)
      await service.call('get', '/pets').expect(200)

      await postgres.sql(database, `CREATE ROLE animals2 LOGIN PASSWORD 'third' IN ROLE animals`)
      writeFileSync(file, `${urlOf('animals2', 'third')}\n`)
      await disconnectAll()
      await eventually(async () => (await readiness(service)) === 'ready')
      await service.call('get', '/pets').expect(200)
      expect(
        await postgres.sql(database, `SELECT DISTINCT usename FROM pg_stat_activity WHERE usename LIKE 'animals%'`),
      ).toEqual([{ usename: 'animals2' }])
    } finally {
      await service.stop()
      await postgres.stop()
    }
  })
})

describeRedis('a new password of Redis in REDIS_URL_FILE', () => {
  test('is used by the connections that are made after it', async () => {
    const redis = await testRedis()
    await redis.start()
    const admin = redis.client()
    await admin.acl('SETUSER', 'default', 'resetpass', '>first')
    const file = join(folder, 'redis-url')
    writeFileSync(file, redis.url.replace('redis://', 'redis://:first@'))
    chmodSync(file, 0o400)
    const service = await startService({ REDIS_URL: '', REDIS_URL_FILE: file })
    try {
      const state = async (): Promise<string> => {
        await service.call('get', '/pets').expect(200)
        return readiness(service)
      }
      expect(await state()).toBe('ready')
      await admin.acl('SETUSER', 'default', 'resetpass', '>second')
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await eventually(async () => (await state()) === 'degraded')
      chmodSync(file, 0o600)
      writeFileSync(file, redis.url.replace('redis://', 'redis://default:second@'))
      await eventually(async () => (await state()) === 'ready')
    } finally {
      await service.stop()
      await redis.stop()
    }
  })
})
