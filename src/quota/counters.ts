import { EmbeddedStore } from './embedded-store.ts'
import type { Limits } from './plans.ts'

/** A request that is to be charged: its limits, and its keys in the two counters, `WINDOW:CALLER`. */
export interface Charge {
  limits: Limits
  minuteKey: string
  dayKey: string
}

/** The counts of a caller's current windows. */
export interface Counts {
  minuteUsed: number
  dayUsed: number
}

/** What a charge came to, with the counts after it. */
export interface Charged extends Counts {
  /** Whether both windows had room. If not, neither was charged. */
  admitted: boolean
}

/** What operators watch of counts that should be shared. */
export interface SharingReadings {
  /** How often this process stopped sharing its counts. */
  breakerOpenings: number
  /** Requests that it counted alone. */
  countedLocally: number
}

/** Counters of the requests of a minute and of a day. */
export interface Counters {
  /** Charges a request to both windows when both have room, and to neither otherwise. */
  charge: (charge: Charge) => Charged | Promise<Charged>
}

/** Counters in this process. */
export interface LocalCounters extends Counters {
  minute: EmbeddedStore
  day: EmbeddedStore
  charge: (charge: Charge) => Charged
  /** The counts so far. */
  counts: (charge: Charge) => Counts
}

/** `tracked`: record which counts of keys change, so that they can be stored. */
export function localCounters({ tracked }: { tracked: boolean }): LocalCounters {
  const minute = new EmbeddedStore({ tracked })
  const day = new EmbeddedStore({ tracked })
  const counts = ({ minuteKey, dayKey }: Charge): Counts => ({
    minuteUsed: minute.count(minuteKey),
    dayUsed: day.count(dayKey),
  })
  return {
    minute,
    day,
    counts,
    charge: (charge) => {
      const { minuteUsed, dayUsed } = counts(charge)
      if (fullWindow(charge.limits, { minuteUsed, dayUsed })) return { admitted: false, minuteUsed, dayUsed }
      return {
        admitted: true,
        minuteUsed: minute.increment(charge.minuteKey).totalHits,
        dayUsed: day.increment(charge.dayKey).totalHits,
      }
    },
  }
}

/** The window without room; of two, the one that ends later. */
export function fullWindow(
  { perMinute, perDay }: Limits,
  { minuteUsed, dayUsed }: Counts,
): 'minute' | 'day' | undefined {
  if (dayUsed >= perDay) return 'day'
  return minuteUsed >= perMinute ? 'minute' : undefined
}
