import type { Store } from 'express-rate-limit'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { CountsFile, Key, KeyStore } from '../store/store.ts'
import { openBans, type BanRules } from './bans.ts'
import {
  fullWindow,
  localCounters,
  type Charge,
  type Charged,
  type Counters,
  type SharingReadings,
} from './counters.ts'
import { EmbeddedStore } from './embedded-store.ts'
import { openHammering } from './hammering.ts'
import { dayMs, minuteMs, type Outcome } from './outcome.ts'
import type { Limits, Plans } from './plans.ts'
import type { SharedCounters, SharedParts } from './redis/shared.ts'
import { addressMark } from './window-counts.ts'
import { writeBehind } from './write-behind.ts'

/** Who is counted: a key, or the network address of a caller without a valid one. */
export type Caller = { key: Key } | { address: string }

export interface Quota {
  /**
   * Counts a request, and admits or refuses it; `now` is Unix time in ms. A promise only when Redis is asked, or when the
   * request makes a ban, which is stored first. `cameAt` is when the request was received; only requests that come after
   * a refusal can lead to a ban.
   */
  admit: (caller: Caller, now: number, cameAt?: number) => Outcome | Promise<Outcome>
  /** The counts of a caller as far as this process knows them, without counting a request. */
  peek: (caller: Caller, now: number) => Outcome
  /** Whether this process counts alone although Redis is configured. */
  degraded: () => boolean
  readings: () => SharingReadings
  /** Counts requests for pages, for the limiter in front of them. */
  pageStore: Store
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
  /** The same as its file has it now, if it comes from a file. */
  redisUrlNow?: (() => string) | undefined
  /** How long a command of Redis may take, in ms. */
  redisTimeoutMs?: number
  /** Keeps apart the counts of installations that share a Redis. */
  installation: string
  counts: CountsFile | undefined
  log: Log
  metrics: Pick<Metrics, 'banned' | 'redisReplied'>
  now: () => number
}

/** Opens the counters of minutes and days. A request is charged to both or, when it is refused, to none. */
export async function openQuota({
  plans,
  anonymous,
  bans: rules,
  keys,
  redisUrl,
  redisUrlNow,
  redisTimeoutMs = 150,
  installation,
  counts,
  log,
  metrics,
  now,
}: QuotaParts): Promise<Quota> {
  const tracked = redisUrl === undefined && counts !== undefined
  const local = localCounters({ tracked })
  const shared =
    redisUrl === undefined
      ? undefined
      : await openShared({
          url: redisUrl,
          urlNow: redisUrlNow,
          timeoutMs: redisTimeoutMs,
          installation,
          local,
          log,
          metrics,
        })
  const counters: Counters = shared ?? local
  const persisted = tracked ? writeBehind(counts, local, log, now()) : undefined
  const hammering = openHammering(log)
  const bans = openBans(keys, rules, log, metrics, now)

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

  const chargeOf = (caller: Caller, at: number): Charge => ({
    limits: limitsOf(caller),
    caller: 'key' in caller ? caller.key.account : addressMark + caller.address,
    minute: Math.floor(at / minuteMs),
    day: Math.floor(at / dayMs),
  })

  const judge = (
    caller: Caller,
    { limits }: Charge,
    charged: Charged,
    at: number,
    cameAt: number,
  ): Outcome | Promise<Outcome> => {
    const { admitted, minuteUsed, dayUsed } = charged
    if (admitted) return { verdict: 'admitted', limits, minuteUsed, dayUsed, now: at }
    const verdict = fullWindow(limits, charged) ?? 'minute'
    hammering.refused(caller, at)
    const refused: Outcome = { verdict, limits, minuteUsed, dayUsed, now: at }
    const ban = 'key' in caller ? bans.strike(caller.key, limits, at, cameAt) : undefined
    return ban ? ban.then((bannedUntil) => ({ ...refused, verdict: 'banned', bannedUntil })) : refused
  }

  return {
    peek: (caller, at) => {
      const charge = chargeOf(caller, at)
      return { verdict: 'admitted', limits: charge.limits, ...local.counts(charge), now: at }
    },

    admit: (caller, at, cameAt = at) => {
      const charge = chargeOf(caller, at)
      const bannedUntil = 'key' in caller ? bans.until(caller.key, at) : undefined
      if (bannedUntil !== undefined) {
        hammering.refused(caller, at)
        return { verdict: 'banned', limits: charge.limits, ...local.counts(charge), now: at, bannedUntil }
      }
      const charged = counters.charge(charge)
      return charged instanceof Promise
        ? charged.then((late) => judge(caller, charge, late, at, cameAt))
        : judge(caller, charge, charged, at, cameAt)
    },

    degraded: () => shared?.degraded() ?? false,
    readings: () => shared?.readings() ?? { breakerOpenings: 0, countedLocally: 0 },

    pageStore: shared?.pageStore ?? new EmbeddedStore(),

    close: () => {
      bans.close()
      persisted?.close()
      shared?.close()
    },
  }
}

/** Loads the Redis client, which is not needed without Redis. */
async function openShared(parts: SharedParts): Promise<SharedCounters> {
  return (await import('./redis/shared.ts')).sharedCounters(parts)
}
