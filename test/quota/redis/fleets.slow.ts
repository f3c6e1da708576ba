import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import type { Options } from 'express-rate-limit'
import { testFolder } from '../../support/process.ts'
import { burst, tally, until } from '../../support/quota.ts'
import { testCluster, testSentinels, type RedisFleet } from '../../support/servers/redis-fleet.ts'
import { describeRedis } from '../../support/servers/redis.ts'
import { testTls } from '../../support/servers/tls.ts'
import { sharedQuotas } from '../../support/shared-quotas.ts'
import { eventually } from '../../support/wait.ts'

const minute = 60_000
const start = 20_000 * 86_400_000
const limits = { perMinute: 400, perDay: 1_000_000 }
const callers = 48
/** For counts that must all be shared, on a busy machine. */
const patient = { redisTimeoutMs: 10_000 }

const sharedQuota = sharedQuotas()
let fleet: RedisFleet | undefined
afterEach(async () => {
  await fleet?.stop()
  fleet = undefined
})

const folder = testFolder()
const kinds = [
  ['a cluster of six nodes', () => testCluster()],
  ['a Redis that three Sentinels watch', () => testSentinels()],
  ['a cluster of six nodes over TLS', () => testCluster(testTls(folder))],
  ['a Redis that three Sentinels watch, over TLS', () => testSentinels(testTls(folder))],
] as const

describeRedis('a cluster', () => {
  test('needs of its user the rights that the guide lists', async () => {
    fleet = await testCluster()
    const [, command = ''] = /```redis-acl\nACL (.+)\n/.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
    await fleet.everywhere((node) => node.call('ACL', ...command.replace('PASSWORD', 'hunter2').split(' ')))
    const quota = await sharedQuota(fleet.url.replace('//', '//animals:hunter2@'), patient)
    for (let caller = 0; caller < callers; caller += 1) {
      expect(tally(await burst(quota, { key: quota.key() }, 61, start))).toEqual({ admitted: 60, minute: 1 })
    }
    expect([quota.degraded(), quota.logged]).toEqual([false, []])
  })

  test('that does not serve every hash slot is told in the log, and costs no request', async () => {
    fleet = await testCluster()
    const quota = await sharedQuota(fleet.url)
    await fleet.everywhere((node) => node.call('CLUSTER', 'DELSLOTSRANGE', 0, 5460).catch(() => undefined))
    const told = 'the cluster of redis has hash slots that no node serves, quotas are counted in this process'
    for (const one of [quota, await sharedQuota(fleet.url)]) {
      for (let caller = 0; caller < callers; caller += 1) await burst(one, { key: one.key() }, 1, start)
      await until(() => one.logged.some(({ msg }) => msg === told))
      expect(one.degraded()).toBe(true)
    }
  })
})

for (const [name, open] of kinds) {
  describeRedis(name, () => {
    test('has exact counts over two processes, for callers on all of its nodes', async () => {
      fleet = await open()
      const [one, two] = [await sharedQuota(fleet.url, patient), await sharedQuota(fleet.url, patient)]
      await Promise.all(
        Array.from({ length: callers }, async () => {
          const key = one.key()
          const outcomes = await Promise.all([one, two].map((quota) => burst(quota, { key }, 50, start)))
          expect(tally(outcomes.flat())).toEqual({ admitted: 60, minute: 40 })
        }),
      )
      for (const quota of [one, two]) {
        await quota.pageStore.init?.({ windowMs: minute } as Options)
        expect(await quota.pageStore.increment('a')).toMatchObject({ totalHits: quota === one ? 1 : 2 })
        expect([quota.degraded(), quota.logged]).toEqual([false, []])
      }
    })

    test('fails no request in a failover, and admits no more above a limit than the promoted node lacked', async () => {
      fleet = await open()
      const quota = await sharedQuota(fleet.url)
      const keys = Array.from({ length: callers }, () => quota.key('enterprise', limits))
      const admitted = new Map<string, number>()
      let isOver = false
      const client = async (key: (typeof keys)[number]): Promise<void> => {
        for (let refused = 0; !isOver || refused < 3;) {
          const { verdict } = await quota.admit({ key }, start)
          if (verdict === 'admitted') admitted.set(key.account, (admitted.get(key.account) ?? 0) + 1)
          else refused += 1
          await sleep(30)
        }
      }
      const clients = keys.map(client)
      await eventually(() => admitted.size === callers)
      await sleep(1000)
      const { replica, kill } = await fleet.freezeOwner('{0}')
      // what was sent to it before has arrived
      await sleep(200)
      const lacked = new Map<string, number>()
      for (const stored of await replica.keys(`animal-store:test:*minute:${start / minute}:*`)) {
        const account = stored.slice(stored.lastIndexOf(':') + 1)
        lacked.set(account, (admitted.get(account) ?? 0) - Number(await replica.get(stored)))
      }
      await kill()
      await eventually(() => quota.degraded())
      await eventually(async () => (await replica.info('replication')).includes('role:master'))
      await eventually(() => !quota.degraded())
      isOver = true
      await Promise.all(clients)

      expect(lacked.size).toBeGreaterThan(0)
      const above = keys.map(({ account }) => ({
        above: (admitted.get(account) ?? 0) - limits.perMinute,
        allowed: Math.max(0, lacked.get(account) ?? 0),
      }))
      expect(above.filter(({ above: more, allowed }) => more > allowed)).toEqual([])
      // every caller came to its limit
      expect(above.filter(({ above: more }) => more < 0)).toEqual([])
      const { breakerOpenings, countedLocally } = quota.readings()
      process.stdout.write(
        `${JSON.stringify({ name, admitted: [...admitted.values()].reduce((sum, one) => sum + one), callersOfNode: lacked.size, lackedMost: Math.max(...lacked.values()), aboveMost: Math.max(...above.map((one) => one.above)), breakerOpenings, countedLocally })}\n`,
      )
      const told = quota.logged.map(({ msg }) => String(msg)).filter((msg) => msg.startsWith('redis '))
      expect(told.at(-1)).toBe('redis is back, quotas are shared')
    })
  })
}
