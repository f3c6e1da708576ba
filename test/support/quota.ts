import { pino } from 'pino'
import { newRecord } from '../../src/auth/key.ts'
import type { Outcome } from '../../src/quota/outcome.ts'
import type { Limits, Plans } from '../../src/quota/plans.ts'
import { openQuota, type Quota, type QuotaParts } from '../../src/quota/quota.ts'
import type { CountsFile, Key } from '../../src/store/store.ts'

export const plans: Plans = new Map<string, Limits | 'custom'>([
  ['free', { perMinute: 60, perDay: 1000 }],
  ['pro', { perMinute: 300, perDay: 10_000 }],
  ['enterprise', 'custom'],
])

export interface TestQuota extends Quota {
  /** What was logged, a parsed line each. */
  logged: Record<string, unknown>[]
  /** A key whose ban, once made, stands in its record, as the store would have it. */
  key: (plan?: string, custom?: Limits) => Key
}

/** A quota with the plans above, and keys that live in this object instead of a store. */
export async function testQuota(
  parts: Partial<QuotaParts> & { counts?: CountsFile | undefined } = {},
): Promise<TestQuota> {
  const logged: Record<string, unknown>[] = []
  const keys = new Map<string, Key>()
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>)
  const quota = await openQuota({
    plans,
    anonymous: { perMinute: 60, perDay: 1000 },
    bans: { after: undefined, stepsS: [60, 300, 900, 3600] },
    keys: {
      ban: async (id, ban) => {
        const key = keys.get(id)
        if (key) key.ban = ban
      },
    },
    redisUrl: undefined,
    installation: 'test',
    counts: undefined,
    log: pino({ level: 'debug' }, { write }),
    metrics: { banned: () => undefined, redisReplied: () => undefined },
    now: () => 0,
    ...parts,
  })
  return {
    ...quota,
    logged,
    key: (plan = 'free', custom) => {
      const key = newRecord({ plan, custom, createdAt: 0 })
      keys.set(key.id, key)
      return key
    },
  }
}

/** Sends requests one after another, at the same time. */
export async function spend(
  quota: Quota,
  caller: Parameters<Quota['admit']>[0],
  count: number,
  now: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let sent = 0; sent < count; sent += 1) outcomes.push(await quota.admit(caller, now))
  return outcomes
}

/** How often each verdict was given. */
export function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verdict } of outcomes) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

/** Resolves once it holds; rejects after 15 s. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It did not come about in time.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Sends requests all at once. */
export async function burst(
  quota: Quota,
  caller: Parameters<Quota['admit']>[0],
  count: number,
  now: number,
): Promise<Outcome[]> {
  return Promise.all(Array.from({ length: count }, async () => quota.admit(caller, now)))
}
