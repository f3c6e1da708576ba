import type { Limits } from './plans.ts'
import { WindowCounts } from './window-counts.ts'

/** A request that is to be charged: its limits, who sent it, and the numbers of its minute and its day. */
export interface Charge {
  limits: Limits
  caller: string
  minute: number
  day: number
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
  minute: WindowCounts
  day: WindowCounts
  charge: (charge: Charge) => Charged
  /** The counts so far. */
  counts: (charge: Charge) => Counts
}

/** `tracked`: record which counts of keys change, so that they can be stored. */
export function localCounters({ tracked }: { tracked: boolean }): LocalCounters {
  const minute = new WindowCounts({ tracked })
  const day = new WindowCounts({ tracked })
  return {
    minute,
    day,
    counts: (charge) => ({
      minuteUsed: minute.count(charge.minute, charge.caller),
      dayUsed: day.count(charge.day, charge.caller),
    }),
    charge: (charge) => {
      const ofMinute = minute.tally(charge.minute, charge.caller)
      const ofDay = day.tally(charge.day, charge.caller)
      const counts = { minuteUsed: ofMinute.used, dayUsed: ofDay.used }
      if (fullWindow(charge.limits, counts)) return { admitted: false, ...counts }
      minute.change(ofMinute, ofMinute.used + 1)
      day.change(ofDay, ofDay.used + 1)
      return { admitted: true, minuteUsed: ofMinute.used, dayUsed: ofDay.used }
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
