/** The last days of release lines of Node.js, as https://github.com/nodejs/Release/blob/main/schedule.json has them. */
const lastDays: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
}

/** The day after which the release line of a version has got no more security fixes, if that day is over. */
export function supportEnd(version: string, nowMs: number): string | undefined {
  const day = lastDays[/\d+/.exec(version)?.[0] ?? '']
  return day !== undefined && nowMs >= Date.parse(day) + 86_400_000 ? day : undefined
}

/** Logs once if nobody mends faults of this Node.js any more. */
export function warnOfOldNode(log: { warn: (fields: object, message: string) => void }, nowMs: number): void {
  const { version } = process
  const ended = supportEnd(version, nowMs)
  if (ended !== undefined) {
    log.warn({ node: version, ended }, 'this version of Node.js gets no more security fixes, use a newer one')
  }
}
