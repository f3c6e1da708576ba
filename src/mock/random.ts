/** Gives a number from 0 to below 1. */
export type Random = () => number

/** Numbers that follow from a seed (mulberry32). */
export function randomNumbers(seed: string): Random {
  let state = 0
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An integer from 0 to `most`. */
export function integerTo(most: number, random: Random): number {
  return Math.floor(random() * (most + 1))
}

/** One of several; undefined when there are none. */
export function pick<T>(all: readonly T[], random: Random): T | undefined {
  return all[Math.floor(random() * all.length)]
}
