/** A number of things, such as `1 operation` or `3 operations`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Several things as a part of a sentence. */
export function listed(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}

/** A time as people say it, such as `0.21 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  const s = ms / 1000
  if (s < 60) return `${Number(s.toPrecision(2))} s`
  return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`
}
