import { InvalidArgumentError } from 'commander'

const dayMs = 86_400_000
/** The end of the year 9999: later times have five digits for the year, which few programs read. */
const lastMs = 253_402_300_799_999
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs }

/** Reads when a key expires, in Unix time in ms: a time, or the last day in UTC on which it is valid. */
export function expiry(text: string): number {
  const [, day = '', time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/i.exec(text) ?? []
  const start = Date.parse(`${day}T00:00:00Z`)
  const at = Math.min(time === undefined ? start + dayMs : Date.parse(text.toUpperCase()), lastMs)
  // of a day that does not exist, such as 30 February, JavaScript makes another one
  if (Number.isNaN(at) || !new Date(start).toISOString().startsWith(day)) {
    throw new InvalidArgumentError(
      'It must be the last day on which the key is valid, such as 2027-01-31 (in UTC), or a time such as ' +
        '2027-01-31T12:00:00Z.',
    )
  }
  if (at <= Date.now()) throw new InvalidArgumentError('It must be in the future.')
  return at
}

/** Reads a time span, such as 30m, 24h or 7d, in ms. */
export function timeSpan(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (text === '0') return 0
  if (count === '') throw new InvalidArgumentError('It must be a time such as 30m, 24h or 7d, or 0.')
  return Number(count) * (units[unit] ?? 0)
}

/** A time in UTC, to the second. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** A day in UTC. */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
