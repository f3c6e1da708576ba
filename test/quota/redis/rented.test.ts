import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Options } from 'express-rate-limit'
import { burst, tally, type TestQuota } from '../../support/quota.ts'
import { describeRedis, freePort } from '../../support/servers/redis.ts'
import { testTls } from '../../support/servers/tls.ts'
import { weather } from '../../support/servers/weather.ts'
import { redisQuotas } from '../../support/shared-quotas.ts'
import { eventually } from '../../support/wait.ts'

const start = 20_000 * 86_400_000

const { redis, sharedQuota } = redisQuotas()

const messages = (quota: TestQuota): unknown[] => quota.logged.map(({ msg }) => msg)
const evicts = /^the redis of REDIS_URL removes counts when its memory is full/

describeRedis('a user of Redis', () => {
  /** The command that the guide has. */
  const [, command = ''] = /```redis-acl\nACL (.+)\n/.exec(readFileSync('docs/operating.md', 'utf8')) ?? []

  test('needs the rights that the guide lists, and no others', async () => {
    await redis().start('--databases', '4')
    const admin = redis().client()
    const rights = command.replace('PASSWORD', 'hunter2').split(' ')
    expect(rights.slice(0, 3)).toEqual(['SETUSER', 'animals', 'on'])
    await admin.call('ACL', ...rights)
    const url = `redis://animals:hunter2@127.0.0.1:${redis().port}/3`
    const quota = await sharedQuota(url)
    const key = quota.key()
    expect(tally(await burst(quota, { key }, 70, start))).toEqual({ admitted: 60, minute: 10 })
    await quota.pageStore.init?.({ windowMs: 60_000 } as Options)
    for (const totalHits of [1, 2]) expect(await quota.pageStore.increment('a')).toMatchObject({ totalHits })
    await admin.select(3)
    expect(await admin.get('animal-store:test:page:a')).toBe('2')
    expect(quota.degraded()).toBe(false)
    expect(messages(quota)).toEqual([])
    const log = (await admin.call('ACL', 'LOG')) as unknown[][]
    // what the start asks for and can do without
    const denied = log.map((entry) => entry[entry.indexOf('object') + 1])
    expect([...new Set(denied)].sort()).toEqual(['config|get', 'info'])

    // each of them is needed; those of a cluster are tried with one
    for (const right of rights.filter((one) => one.startsWith('+') && !/cluster|get$|select/.test(one))) {
      await admin.call('ACL', 'SETUSER', 'animals', right.replace('+', '-'))
      await admin.script('FLUSH')
      const lacking = await sharedQuota(url)
      await burst(lacking, { key: lacking.key() }, 2, start)
      const page = `of ${right}`
      await lacking.pageStore.init?.({ windowMs: 60_000 } as Options)
      for (let time = 0; time < 2; time += 1) await lacking.pageStore.increment(page)
      const isMissed = lacking.degraded() || (await admin.get(`animal-store:test:page:${page}`)) !== '2'
      expect({ right, isMissed }).toEqual({ right, isMissed: true })
      await admin.call('ACL', 'SETUSER', 'animals', right)
    }
  })
})

describeRedis('a Redis that removes counts', () => {
  test.each([
    ['allkeys-lru', ['100mb'], true],
    ['volatile-ttl', ['100mb'], true],
    ['noeviction', ['100mb'], false],
    // without a limit nothing is removed
    ['allkeys-lru', ['0'], false],
  ])('is warned of at the start: %s with maxmemory %s', async (policy, [maxmemory = ''], isWarned) => {
    await redis().start('--maxmemory-policy', policy, '--maxmemory', maxmemory)
    const admin = redis().client()
    for (const rights of [[], ['-config'], ['-config', '-info']]) {
      await admin.call('ACL', 'SETUSER', 'default', ...rights)
      const quota = await sharedQuota(redis().url)
      const isTold = isWarned && rights.length < 2
      if (isTold) await eventually(() => quota.logged.some(({ msg }) => evicts.test(String(msg))))
      // whatever was asked is answered before a later command
      await burst(quota, { key: quota.key() }, 1, start)
      expect(quota.logged).toEqual(isTold ? [expect.objectContaining({ policy, level: 40 })] : [])
      expect(quota.degraded()).toBe(false)
    }
  })
})

describeRedis('REDIS_URL', () => {
  test('keeps a copy of an installation apart by its prefix', async () => {
    await redis().start()
    const [one, copy] = [await sharedQuota(redis().url), await sharedQuota(`${redis().url}?prefix=copy`)]
    const key = one.key()
    expect(tally(await burst(one, { key }, 60, start))).toEqual({ admitted: 60 })
    expect(tally(await burst(copy, { key }, 61, start))).toEqual({ admitted: 60, minute: 1 })
    const names = await redis().client().keys('animal-store:test:copy:minute:*')
    expect(names).toHaveLength(1)
  })

  test('has its time-out from REDIS_TIMEOUT_MS', async () => {
    await redis().start()
    const network = await weather(redis().port)
    network.delayMs.back = 300
    const url = `redis://127.0.0.1:${network.port}`
    const [patient, hasty] = [
      await sharedQuota(url, { redisTimeoutMs: 5000 }),
      await sharedQuota(url, { redisTimeoutMs: 50 }),
    ]
    for (const quota of [patient, hasty]) await burst(quota, { key: quota.key() }, 1, start)
    expect([patient.degraded(), hasty.degraded()]).toEqual([false, true])
    await network.close()
  })

  test('trusts its own authority, and shows a client certificate, over TLS', async () => {
    const port = await freePort()
    const { file, settings } = testTls(redis().folder)
    const own = Object.entries(settings(port)).filter(([name]) => name !== 'port')
    await redis().start(...own.flatMap(([name, value]) => [`--${name}`, value]))
    const url = `rediss://127.0.0.1:${port}`
    const client = `sslcert=${file('client.pem')}&sslkey=${file('client.key')}`
    const isShared = async (redisUrl: string): Promise<boolean> => {
      const quota = await sharedQuota(redisUrl)
      await burst(quota, { key: quota.key() }, 1, start)
      return !quota.degraded()
    }
    expect(await isShared(`${url}?sslrootcert=${file('ca.pem')}&${client}`)).toBe(true)
    expect(await isShared(`${url}?sslmode=no-verify&${client}`)).toBe(true)
    expect(await isShared(`${url}?sslrootcert=${file('ca.pem')}`)).toBe(false)
    expect(await isShared(`${url}?${client}`)).toBe(false)
  })

  test('that is of another kind of Redis is told in the log', async () => {
    await redis().start('--cluster-enabled', 'yes')
    const node = await sharedQuota(redis().url)
    await burst(node, { key: node.key() }, 1, start)
    await eventually(() => messages(node).some((text) => /cluster/.test(String(text))))
    await redis().kill()
    await redis().start()
    const single = await sharedQuota(redis().url.replace('redis:', 'redis+cluster:'))
    await burst(single, { key: single.key() }, 1, start)
    await eventually(() =>
      messages(single).includes(
        'redis is no cluster, and REDIS_URL must begin with redis or redis+sentinel, quotas are counted in this process',
      ),
    )
    expect(single.degraded()).toBe(true)
  })
})
