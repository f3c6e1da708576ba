import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { eventually } from '../wait.ts'
import { freePort, testRedis, type TestRedis } from './redis-server.ts'
import type { TestTls } from './tls.ts'

/** Several redis-servers that belong together. */
export interface RedisFleet {
  url: string
  /** Stops the node that has a key where it is. Gives the replica that is to follow it, and what ends it for good. */
  freezeOwner: (key: string) => Promise<{ replica: Redis; kill: () => Promise<void> }>
  /** Runs something on every node that keeps data. */
  everywhere: (run: (node: Redis) => Promise<unknown>) => Promise<void>
  stop: () => Promise<void>
}

/** How soon a node that is silent is taken for dead, in ms. */
const silenceMs = '1000'

/** A cluster of three nodes with a replica each. With `tls` they speak nothing else, also with one another. */
export async function testCluster(tls?: TestTls): Promise<RedisFleet> {
  const nodes: { redis: TestRedis; client: Redis; bus: number }[] = []
  for (let index = 0; index < 6; index += 1) {
    const [redis, bus] = [await testRedis(tls), await freePort()]
    const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', silenceMs, '--cluster-port', String(bus)]
    await redis.start(...settings, ...(tls ? ['--tls-cluster', 'yes'] : []))
    nodes.push({ redis, client: redis.client(), bus })
  }
  const [first, ...others] = nodes
  for (const { redis, bus } of others) await first?.client.call('CLUSTER', 'MEET', '127.0.0.1', redis.port, bus)
  const bounds = [0, 5461, 10_923, 16_384]
  for (const [index, { client }] of nodes.slice(0, 3).entries()) {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', bounds[index] ?? 0, (bounds[index + 1] ?? 0) - 1)
  }
  for (const [index, { client }] of nodes.slice(3).entries()) {
    const id = String(await nodes[index]?.client.call('CLUSTER', 'MYID'))
    await eventually(() =>
      client.call('CLUSTER', 'REPLICATE', id).then(
        () => true,
        () => false,
      ),
    )
  }
  const isWhole = async ({ client }: { client: Redis }): Promise<boolean> => {
    const [state, table] = [await client.cluster('INFO'), String(await client.call('CLUSTER', 'NODES'))]
    return state.includes('cluster_state:ok') && table.match(/\bslave\b/g)?.length === 3
  }
  await eventually(async () => (await Promise.all(nodes.map(isWhole))).every(Boolean))
  for (const { client } of nodes.slice(3)) await eventually(() => isLinked(client))
  return {
    url: `${schemeOf(tls)}+cluster://${nodes.map(({ redis }) => `127.0.0.1:${redis.port}`).join(',')}${tls?.query ?? ''}`,
    freezeOwner: async (key) => {
      const slot = Number(await first?.client.call('CLUSTER', 'KEYSLOT', key))
      const index = bounds.findIndex((bound) => bound > slot) - 1
      const [owner, follower] = [nodes[index], nodes[index + 3]]
      if (!owner || !follower) throw new Error(`No node has the slot ${slot}.`)
      owner.redis.freeze()
      const replica = follower.redis.client()
      await replica.readonly()
      return { replica, kill: owner.redis.kill }
    },
    everywhere: async (run) => {
      for (const { client } of nodes) await run(client)
    },
    stop: async () => {
      await Promise.all(nodes.map(({ redis }) => redis.stop()))
    },
  }
}

/** A Redis with a replica, and three Sentinels that watch it. With `tls` they speak nothing else. */
export async function testSentinels(tls?: TestTls): Promise<RedisFleet> {
  const [main, spare] = [await testRedis(tls), await testRedis(tls)]
  await main.start()
  await spare.start('--replicaof', '127.0.0.1', String(main.port))
  await eventually(() => isLinked(spare.client()))
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-sentinels-'))
  const sentinels = await Promise.all(
    [0, 1, 2].map(async (index) => {
      const port = await freePort()
      const file = join(folder, `${index}.conf`)
      const lines = [
        ...Object.entries(tls?.settings(port) ?? { port: String(port) }).map(([name, value]) => `${name} ${value}`),
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor main 127.0.0.1 ${main.port} 2`,
      ]
      const times = [`sentinel down-after-milliseconds main ${silenceMs}`, 'sentinel failover-timeout main 3000']
      writeFileSync(file, [...lines, ...times, ''].join('\n'))
      const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      return { port, child, ended }
    }),
  )
  for (const { port } of sentinels) {
    const client = new Redis(port, '127.0.0.1', {
      ...{ retryStrategy: () => 50, maxRetriesPerRequest: null },
      ...(tls && { tls: tls.client }),
    })
    client.on('error', () => undefined)
    await eventually(async () => {
      const text = await client.info('sentinel')
      return text.includes('slaves=1,sentinels=3')
    })
    client.disconnect()
  }
  return {
    url: `${schemeOf(tls)}+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/main${tls?.query ?? ''}`,
    freezeOwner: async () => {
      main.freeze()
      return { replica: spare.client(), kill: main.kill }
    },
    everywhere: async (run) => {
      for (const one of [main, spare]) await run(one.client())
    },
    stop: async () => {
      for (const { child } of sentinels) child.kill('SIGKILL')
      await Promise.all(sentinels.map(({ ended }) => ended))
      await Promise.all([main.stop(), spare.stop()])
      rmSync(folder, { recursive: true })
    },
  }
}

function schemeOf(tls: TestTls | undefined): string {
  return tls ? 'rediss' : 'redis'
}

async function isLinked(replica: Redis): Promise<boolean> {
  return (await replica.info('replication')).includes('master_link_status:up')
}
