import type { Log } from '../log/log.ts'
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
/** The delay before bans that could not be stored are stored again, in ms. */
const storeAgainMs = 1000

export interface Bans {
  /** The end of a key's ban, or undefined when it is not banned. */
  until: (key: Key, now: number) => number | undefined
  /**
   * Counts a request that was refused now, and that came at this time. When it makes a ban, resolves with the end of the
   * ban once that is stored, or could not be stored at the first attempt.
   */
  strike: (key: Key, limits: Limits, now: number, cameAt: number) => Promise<number> | undefined
  close: () => void
}

/** Bans keys that keep sending while they are refused. A ban is stored with its key. */
export function openBans(
  keys: Pick<KeyStore, 'ban'>,
  { after, stepsS }: BanRules,
  log: Log,
  metrics: Pick<Metrics, 'banned'>,
  clock: () => number,
): Bans {
  // a ban further ahead comes from a clock that was wrong
  const longestBanMs = Math.max(...stepsS) * 1000 + minuteMs
  let minute = 0
  const refused = new Map<string, { firstAt: number; strikes: number }>()
  // made here, and not yet in the key's record
  const recent = new Map<string, { ban: Ban; trustedUntil: number }>()
  /** By the id of the key. */
  const unstored = new Map<string, Ban>()
  let timer: NodeJS.Timeout | undefined

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

    strike: (key, { perMinute }, now, cameAt) => {
      if (Math.floor(now / minuteMs) !== minute) {
        minute = Math.floor(now / minuteMs)
        refused.clear()
      }
      const record = refused.get(key.id) ?? { firstAt: now, strikes: 0 }
      refused.set(key.id, record)
      if (cameAt - record.firstAt > graceMs) record.strikes += 1
      if (record.strikes < (after ?? Math.max(20, Math.ceil(perMinute / 2)))) return undefined
      refused.delete(key.id)
      return ban(key, now)
    },

    close: () => {
      clearTimeout(timer)
    },
  }

  async function ban(key: Key, now: number): Promise<number> {
    const last = current(key, now)
    const level = last && now - last.until < decayMs ? Math.min(last.level + 1, stepsS.length - 1) : 0
    const made = { until: now + (stepsS[level] ?? 0) * 1000, level }
    // holds here at once, and until its end if it cannot be stored
    recent.set(key.id, { ban: made, trustedUntil: made.until })
    metrics.banned()
    await store(key.id, made, now)
    return made.until
  }

  async function store(id: string, made: Ban, now: number): Promise<void> {
    try {
      await keys.ban(id, made, { at: now })
    } catch (error) {
      if (!unstored.has(id)) log.error({ keyId: id, err: error }, 'ban not stored, this is tried again')
      unstored.set(id, made)
      timer ??= setTimeout(() => void storeAgain(), storeAgainMs).unref()
      return
    }
    unstored.delete(id)
    // from then on the record counts, so that the ban can be lifted
    recent.set(id, { ban: made, trustedUntil: now + recordAgeMs })
    log.warn({ keyId: id, until: new Date(made.until).toISOString() }, 'key banned')
  }

  async function storeAgain(): Promise<void> {
    for (const [id, made] of unstored) {
      if (clock() < made.until) await store(id, made, clock())
      else unstored.delete(id)
    }
    timer = unstored.size > 0 ? setTimeout(() => void storeAgain(), storeAgainMs).unref() : undefined
  }
}

type Ban = NonNullable<Key['ban']>
