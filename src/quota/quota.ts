import rateLimit, { type Store } from 'express-rate-limit'
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
  /** Counts a request, and admits or refuses it; `now` is Unix time in ms. */
  admit: (caller: Caller, now: number) => Promise<Outcome>
  /** The figures of a caller as far as this process knows them, without counting. */
  peek: (caller: Caller, now: number) => Outcome
  /** Whether counts are not shared although they should be. */
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
  /** Where counts are shared; else they are of this process, and live on in `counts`. */
  redisUrl: string | undefined
  counts: CountsFile | undefined
  log: Log
  metrics: Pick<Metrics, 'banned'>
  now: () => number
}

/** What is charged: the limits and the counters' keys of one request. express-rate-limit adds what it counted. */
interface Charge {
  limits: Limits
  minuteKey: string
  dayKey: string
  minute?: { used: number }
  day?: { used: number }
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
  const stores = {
    minute: shared?.store('minute', local.minute) ?? local.minute,
    day: shared?.store('day', local.day) ?? local.day,
  }
  const chargeMinute = counter('minute', minuteMs, stores.minute)
  const chargeDay = counter('day', dayMs, stores.day)
  const bans = openBans(keys, rules, log, metrics)

  /** Plans of keys that have been told of, since the contract has no limits for them. */
  const unlimited = new Set<string>()
  const limitsOf = (caller: Caller): Limits => {
    if (!('key' in caller)) return anonymous
    const { id, plan: name, custom } = caller.key
    const plan = plans.get(name)
    const limits = plan === 'custom' ? custom : plan
    if (!limits && !unlimited.has(name)) {
      unlimited.add(name)
      log.error({ keyId: id, plan: name }, 'the contract has no such plan, so this key has the limits of strangers')
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

  /** What was charged so far, as this process knows it. */
  const seen = ({ limits, minuteKey, dayKey }: Charge, at: number): Outcome => {
    const minuteUsed = local.minute.count(minuteKey)
    const dayUsed = local.day.count(dayKey)
    return { verdict: 'admitted', limits, minuteUsed, dayUsed, now: at }
  }

  /** Resolves when both counters have counted: sooner than their own promises, and with fewer of them. */
  const charged = (charge: Charge): Promise<void> =>
    new Promise((resolve, reject) => {
      let waiting = 2
      const counted = (error?: unknown): void => {
        waiting -= 1
        if (error !== undefined)
          reject(error instanceof Error ? error : new Error('The counter failed.', { cause: error }))
        else if (waiting === 0) resolve()
      }
      void chargeMinute(charge, noResponse, counted)
      void chargeDay(charge, noResponse, counted)
    })

  const refuse = async (caller: Caller, outcome: Outcome): Promise<Outcome> => {
    if (!('key' in caller)) return outcome
    const bannedUntil = await bans.strike(caller.key, outcome.limits, outcome.now)
    return bannedUntil === undefined ? outcome : { ...outcome, verdict: 'banned', bannedUntil }
  }

  return {
    peek: (caller, at) => seen(chargeOf(caller, at), at),

    admit: async (caller, at) => {
      const charge = chargeOf(caller, at)
      const { limits } = charge
      const outcome = seen(charge, at)
      const bannedUntil = 'key' in caller ? bans.until(caller.key, at) : undefined
      if (bannedUntil !== undefined) return { ...outcome, verdict: 'banned', bannedUntil }
      // a window known to be full need not be asked
      const full = refusing(limits, outcome.minuteUsed + 1, outcome.dayUsed + 1)
      if (full) return refuse(caller, { ...outcome, verdict: full })

      await charged(charge)
      outcome.minuteUsed = charge.minute?.used ?? 0
      outcome.dayUsed = charge.day?.used ?? 0
      const verdict = refusing(limits, outcome.minuteUsed, outcome.dayUsed)
      if (!verdict) return outcome
      void stores.minute.decrement(charge.minuteKey)
      void stores.day.decrement(charge.dayKey)
      return refuse(caller, { ...outcome, verdict })
    },

    degraded: () => shared?.degraded() ?? false,

    close: () => {
      persisted?.close()
      shared?.close()
    },
  }
}

/** The window that these counts overstep; of both, the one that ends later. */
function refusing({ perMinute, perDay }: Limits, minuteUsed: number, dayUsed: number): 'minute' | 'day' | undefined {
  if (dayUsed > perDay) return 'day'
  return minuteUsed > perMinute ? 'minute' : undefined
}

/** The counters write no headers, so they need no response. */
const noResponse = {}

type Counter = (charge: Charge, response: object, next: (error?: unknown) => void) => Promise<void>

/** express-rate-limit as a counter alone: it writes no headers and refuses nobody, but leaves its count in the charge. */
function counter(name: 'minute' | 'day', windowMs: number, store: Store): Counter {
  return rateLimit({
    windowMs,
    store,
    limit: (charge) => (charge as unknown as Charge).limits[name === 'minute' ? 'perMinute' : 'perDay'],
    keyGenerator: (charge) => (charge as unknown as Charge)[`${name}Key`],
    requestPropertyName: name,
    standardHeaders: false,
    legacyHeaders: false,
    handler: (_request, _response, next) => {
      next()
    },
    validate: false,
  }) as unknown as Counter
}
