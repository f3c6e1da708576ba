import { pointerOf, type Path } from './node.ts'
import type { Value } from './value.ts'

/** The most similar of some words, or the one that begins with the same letters; undefined if none is similar. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((other) => ({ other, distance: distance(word.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  if (best && best.distance <= Math.max(2, word.length / 3)) return best.other
  return word.length < 3 ? undefined : words.find((other) => other.startsWith(word) || word.startsWith(other))
}

/** What to do about a name that is none of the known ones: take the most similar one, or `otherwise`. */
export function fixOfName(name: string, known: readonly string[], otherwise: string): string {
  const near = nearest(name, known)
  return near === undefined ? otherwise : `Did you mean ${near}?`
}

/** The number of letters to add, remove, replace or swap with the next one (optimal string alignment). */
export function distance(a: string, b: string): number {
  const [from, to] = [Array.from(a), Array.from(b)]
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (const [i, letter] of from.entries()) {
    const next = [i + 1]
    for (const [j, other] of to.entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      const isSwapped = i > 0 && j > 0 && letter === to[j - 1] && from[i - 1] === other
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    ;[before, row] = [row, next]
  }
  return row.at(-1) ?? 0
}

/** The reference that differs in the first key that leads to nothing, which has a similar name. */
export function nearestTo(document: Value, path: Path): string | undefined {
  const end = path.findIndex((_, index) => !document.find(path.slice(0, index + 1)).isThere)
  const [parent, name] = [path.slice(0, end), path[end]]
  if (end < 0 || name === undefined) return undefined
  const near = nearest(name, document.find(parent).keys)
  const found = near === undefined ? [] : [...parent, near, ...path.slice(end + 1)]
  return near === undefined || !document.find(found).isThere ? undefined : `#${pointerOf(found)}`
}
