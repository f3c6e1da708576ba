import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Key, KeyStore } from '../store/store.ts'
import { minuteMs } from './outcome.ts'
import type { Limits } from './plans.ts'

export interface BanRules {
  /** Strikes within a minute that ban a key; undefined for half the plan's requests per minute, but at least 20. */
  after: number | undefined
  /** Lengths of the first ban, the second and so on, in seconds; the last one holds for all later bans. */
  stepsS: readonly number[]
}

/** Refusals within this time after the first one of a minute are no strikes: those requests were already sent. */
const graceMs = 1000
/** After this time without a ban, in ms, the next ban is a first one again. */
const decayMs = 86_400_000
/** The longest time, in ms, until a ban that was stored here stands in the key records of all processes. */
const recordAgeMs = 2000

export interface Bans {
  /** The end of a key's ban, or undefined when it is not banned. */
  until: (key: Key, now: number) => number | undefined
  /** Counts a refused request. When it makes a ban, resolves with the end of the ban once that is stored. */
  strike: (key: Key, limits: Limits, now: number) => Promise<number> | undefined
}

/** Bans keys that keep sending while they are refused. A ban is stored with its key. */
export function openBans(
  keys: Pick<KeyStore, 'ban'>,
  { after, stepsS }: BanRules,
  log: Log,
  metrics: Pick<Metrics, 'banned'>,
): Bans {
  // a ban further ahead comes from a clock that was wrong
  const longestBanMs = Math.max(...stepsS) * 1000 + minuteMs
  let minute = 0
  const refused = new Map<string, { firstAt: number; strikes: number }>()
  // made here, and not yet in the key's record
  const recent = new Map<string, { ban: Ban; trustedUntil: number }>()

  const current = (key: Key, now: number): Ban | undefined => {
    const own = recent.get(key.id)
    if (own && now < own.trustedUntil) return own.ban
    if (own) recent.delete(key.id)
    return key.ban
  }

  return {
    until: (key, now) => {
      const ban = current(key, now)
      return ban && now < ban.until && ban.until - now <= longestBanMs ? ban.until : undefined
    },

    strike: (key, { perMinute }, now) => {
      if (Math.floor(now / minuteMs) !== minute) {
        minute = Math.floor(now / minuteMs)
        refused.clear()
      }
      const record = refused.get(key.id) ?? { firstAt: now, strikes: 0 }
      refused.set(key.id, record)
      if (now - record.firstAt > graceMs) record.strikes += 1
      if (record.strikes < (after ?? Math.max(20, Math.ceil(perMinute / 2)))) return undefined
      refused.delete(key.id)
      return ban(key, now)
    },
  }

  async function ban(key: Key, now: number): Promise<number> {
    const last = current(key, now)
    const level = last && now - last.until < decayMs ? Math.min(last.level + 1, stepsS.length - 1) : 0
    const made = { until: now + (stepsS[level] ?? 0) * 1000, level }
    // holds here at once, and until its end if it cannot be stored
    recent.set(key.id, { ban: made, trustedUntil: made.until })
    metrics.banned()
    try {
      await keys.ban(key.id, made)
      recent.set(key.id, { ban: made, trustedUntil: now + recordAgeMs })
      log.warn({ keyId: key.id, until: new Date(made.until).toISOString() }, 'key banned')
    } catch (error) {
      log.error({ keyId: key.id, err: error }, 'ban not stored')
    }
    return made.until
  }
}

type Ban = NonNullable<Key['ban']>
