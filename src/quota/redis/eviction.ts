import type { Redis } from 'ioredis'
import type { Log } from '../../log/log.ts'

/**
 * Warns of a Redis that removes counts when its memory is full, so that quotas are exceeded in silence. All counters expire,
 * and so every policy but `noeviction` takes them. A Redis that tells neither its settings nor its state is not judged.
 */
export async function checkEviction(node: Redis, log: Log): Promise<void> {
  const policy = (await configured(node)) ?? (await informed(node))
  if (policy === undefined || policy === 'noeviction') return
  log.warn(
    { policy },
    'the redis of REDIS_URL removes counts when its memory is full, so that quotas are exceeded: set maxmemory-policy to noeviction',
  )
}

/** Undefined where the user may not ask, as of many rented ones. */
async function configured(node: Redis): Promise<string | undefined> {
  const reply: unknown = await node.config('GET', 'maxmemory*').catch(() => undefined)
  const values = settingsOf(reply)
  const policy = values.get('maxmemory-policy')
  return policy !== undefined && values.get('maxmemory') === '0' ? 'noeviction' : policy
}

async function informed(node: Redis): Promise<string | undefined> {
  const text = await node.info('memory').catch(() => '')
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1]
  return field('maxmemory') === '0' ? 'noeviction' : field('maxmemory_policy')
}

/** Names and values in turn, or as a map. */
function settingsOf(reply: unknown): Map<string, string> {
  if (!Array.isArray(reply)) return new Map(Object.entries((reply ?? {}) as Record<string, string>))
  const texts = reply.map(String)
  return new Map(texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? ''] as const] : [])))
}
