import type { IncrementResponse, Store } from 'express-rate-limit'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { CountsFile, Key, KeyStore } from '../store/store.ts'
import { openBans, type BanRules } from './bans.ts'
import { addressMark, EmbeddedStore } from './embedded-store.ts'
import { dayMs, minuteMs, type Outcome } from './outcome.ts'
import type { Limits, Plans } from './plans.ts'
import { writeBehind } from './write-behind.ts'

/** Who is counted: a key, or the network address of a caller without a valid one. */
export type Caller = { key: Key } | { address: string }

export interface Quota {
  /**
   * Counts a request, and admits or refuses it; `now` is Unix time in ms. A promise only when Redis is asked, or when the
   * request makes a ban, which is stored first.
   */
  admit: (caller: Caller, now: number) => Outcome | Promise<Outcome>
  /** The counts of a caller as far as this process knows them, without counting a request. */
  peek: (caller: Caller, now: number) => Outcome
  /** Whether this process counts alone although Redis is configured. */
  degraded: () => boolean
  /** Stores all counts. */
  close: () => void
}

export interface QuotaParts {
  plans: Plans
  /** For callers without a valid key. */
  anonymous: Limits
  bans: BanRules
  keys: Pick<KeyStore, 'ban'>
  /** The Redis that shares the counts. Without it this process counts alone, and stores its counts in `counts`. */
  redisUrl: string | undefined
  counts: CountsFile | undefined
  log: Log
  metrics: Pick<Metrics, 'banned'>
  now: () => number
}

/** The limits of one request, and its keys in the two counters. */
interface Charge {
  limits: Limits
  minuteKey: string
  dayKey: string
}

/** Opens the counters of minutes and days. A request is charged to both or, when it is refused, to none. */
export async function openQuota({
  plans,
  anonymous,
  bans: rules,
  keys,
  redisUrl,
  counts,
  log,
  metrics,
  now,
}: QuotaParts): Promise<Quota> {
  const tracked = redisUrl === undefined && counts !== undefined
  const local = { minute: new EmbeddedStore({ tracked }), day: new EmbeddedStore({ tracked }) }
  const shared =
    redisUrl === undefined ? undefined : await (await import('./redis-store.ts')).sharedCounters(redisUrl, log)
  const persisted = tracked ? writeBehind(counts, local, log, now()) : undefined
  const stores: Record<'minute' | 'day', Store> = {
    minute: shared?.store('minute', minuteMs, local.minute) ?? local.minute,
    day: shared?.store('day', dayMs, local.day) ?? local.day,
  }
  const bans = openBans(keys, rules, log, metrics)

  /** Plans that were logged because the contract does not have them. */
  const unlimited = new Set<string>()
  const limitsOf = (caller: Caller): Limits => {
    if (!('key' in caller)) return anonymous
    const { id, plan: name, custom } = caller.key
    const plan = plans.get(name)
    const limits = plan === 'custom' ? custom : plan
    if (!limits && !unlimited.has(name)) {
      unlimited.add(name)
      log.error(
        { keyId: id, plan: name },
        'the contract has no such plan, so this key has the limits of a caller without a key',
      )
    }
    return limits ?? anonymous
  }

  const chargeOf = (caller: Caller, at: number): Charge => {
    const name = 'key' in caller ? caller.key.id : addressMark + caller.address
    return {
      limits: limitsOf(caller),
      minuteKey: `${Math.floor(at / minuteMs)}:${name}`,
      dayKey: `${Math.floor(at / dayMs)}:${name}`,
    }
  }

  /** The counts that this process knows. */
  const seen = ({ limits, minuteKey, dayKey }: Charge, at: number): Outcome => {
    const minuteUsed = local.minute.count(minuteKey)
    const dayUsed = local.day.count(dayKey)
    return { verdict: 'admitted', limits, minuteUsed, dayUsed, now: at }
  }

  /** Admits a request that both counters have counted, or takes both charges back. */
  const judge = (caller: Caller, charge: Charge, counted: Outcome): Outcome | Promise<Outcome> => {
    const verdict = refusing(counted)
    if (!verdict) return counted
    void stores.minute.decrement(charge.minuteKey)
    void stores.day.decrement(charge.dayKey)
    return refuse(caller, { ...counted, verdict })
  }

  const refuse = (caller: Caller, refused: Outcome): Outcome | Promise<Outcome> => {
    const ban = 'key' in caller ? bans.strike(caller.key, refused.limits, refused.now) : undefined
    return ban ? ban.then((bannedUntil) => ({ ...refused, verdict: 'banned', bannedUntil })) : refused
  }

  return {
    peek: (caller, at) => seen(chargeOf(caller, at), at),

    admit: (caller, at) => {
      const charge = chargeOf(caller, at)
      const outcome = seen(charge, at)
      const bannedUntil = 'key' in caller ? bans.until(caller.key, at) : undefined
      if (bannedUntil !== undefined) return { ...outcome, verdict: 'banned', bannedUntil }
      // a window that is known to be full costs no command
      const full = refusing({ ...outcome, minuteUsed: outcome.minuteUsed + 1, dayUsed: outcome.dayUsed + 1 })
      if (full) return refuse(caller, { ...outcome, verdict: full })

      const minute = stores.minute.increment(charge.minuteKey)
      const day = stores.day.increment(charge.dayKey)
      if (minute instanceof Promise || day instanceof Promise) {
        return Promise.all([minute, day]).then((counts) => judge(caller, charge, counted(outcome, ...counts)))
      }
      return judge(caller, charge, counted(outcome, minute, day))
    },

    degraded: () => shared?.degraded() ?? false,

    close: () => {
      persisted?.close()
      shared?.close()
    },
  }
}

function counted(outcome: Outcome, minute: IncrementResponse, day: IncrementResponse): Outcome {
  return { ...outcome, minuteUsed: minute.totalHits, dayUsed: day.totalHits }
}

/** The window whose count is above its limit; of both, the one that ends later. */
function refusing({ limits, minuteUsed, dayUsed }: Outcome): 'minute' | 'day' | undefined {
  if (dayUsed > limits.perDay) return 'day'
  return minuteUsed > limits.perMinute ? 'minute' : undefined
}
