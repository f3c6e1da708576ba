import { nodeOf, pointerOf, type Path } from './node.ts'
import { locate } from './reference.ts'

/** The most similar of some words, or the one that begins with the same letters; undefined if none is similar. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((other) => ({ other, distance: distance(word.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  if (best && best.distance <= Math.max(2, word.length / 3)) return best.other
  return word.length < 3 ? undefined : words.find((other) => other.startsWith(word) || word.startsWith(other))
}

/** The number of letters to add, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The reference that differs in the first key that leads to nothing, which has a similar name. */
export function nearestTo(root: unknown, path: Path): string | undefined {
  const end = path.findIndex((_, index) => locate(root, path.slice(0, index + 1)).value === undefined)
  const [parent, name] = [path.slice(0, end), path[end]]
  if (end < 0 || name === undefined) return undefined
  const near = nearest(name, Object.keys(nodeOf(locate(root, parent).value)))
  const found = near === undefined ? [] : [...parent, near, ...path.slice(end + 1)]
  return near === undefined || locate(root, found).value === undefined ? undefined : `#${pointerOf(found)}`
}
