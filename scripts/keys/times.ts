import { InvalidArgumentError } from 'commander'

const dayMs = 86_400_000
/** The end of the year 9999: later times have five digits for the year, which few programs read. */
const lastMs = 253_402_300_799_999
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs }

/**
 * Reads a time, in Unix time in ms: a span from now on such as 30m, 24h or 7d, the last day in UTC that counts, or a time.
 * One that has passed is refused; 0 is now.
 */
export function timeAhead(text: string): number {
  const now = Date.now()
  const at = text === '0' ? now : Math.min(spanEnd(text, now) ?? dayEnd(text) ?? exactTime(text) ?? NaN, lastMs)
  if (Number.isNaN(at)) {
    throw new InvalidArgumentError(
      'It must be a time span up to 9999 such as 30m, 24h or 7d, the last day such as 2027-01-31 (in UTC), or a time ' +
        'such as 2027-01-31T12:00:00Z.',
    )
  }
  if (at < now) throw new InvalidArgumentError('It must be in the future.')
  return at
}

/** The same for the end of a key, which cannot be now. */
export function expiry(text: string): number {
  const at = timeAhead(text)
  if (at > Date.now()) return at
  throw new InvalidArgumentError('It must be in the future.')
}

function spanEnd(text: string, now: number): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  return count === '' ? undefined : now + Number(count) * (units[unit] ?? 0)
}

function dayEnd(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) ? Date.parse(`${text}T00:00:00Z`) + dayMs : undefined
}

function exactTime(text: string): number | undefined {
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? []
  return isDay(day) ? Date.parse(text.toUpperCase()) : undefined
}

/** Whether there is such a day: of 30 February JavaScript makes another one. */
function isDay(day: string): boolean {
  const start = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day)
}

/** A time in UTC, to the second. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** A day in UTC. */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
