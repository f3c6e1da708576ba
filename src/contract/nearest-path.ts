import { isOneEdit } from '../one-edit.ts'
import { ownPaths } from './own-paths.ts'

/** Longer paths are not compared, in characters: a refusal must not cost more than an answer. */
const maxLength = 200

/**
 * Finds the path that a client may have meant by one that nothing has: without its base path or with it twice, in other
 * letters of case, with a slash too many, or with one letter wrong. `paths` are those of the operations.
 */
export function nearestPath(apiRoot: string, paths: readonly string[]): (asked: string) => string | undefined {
  const known = [...new Set([...paths.map((path) => apiRoot + path), ...ownPaths])].map((path) => ({
    path,
    segments: segmentsOf(path),
  }))
  const root = segmentsOf(apiRoot)
  return (asked) => {
    if (asked.length > maxLength) return undefined
    const segments = segmentsOf(asked)
    const isBelowRoot = root.every((one, index) => segments[index] === one)
    const meant = [segments, isBelowRoot ? segments.slice(root.length) : [...root, ...segments]]
    const near = (isNear: (one: string[], other: string[]) => boolean): string | undefined =>
      known.find(({ path, segments }) => path !== asked && meant.some((one) => isNear(one, segments)))?.path
    return near((one, other) => misspelt(one, other) === 0) ?? near((one, other) => misspelt(one, other) === 1)
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** How many segments are misspelt; infinite when they are others. */
function misspelt(asked: string[], known: string[]): number {
  if (asked.length !== known.length) return Infinity
  let count = 0
  for (const [index, segment] of known.entries()) {
    const [one, other] = [asked[index]?.toLowerCase() ?? '', segment.toLowerCase()]
    if (one === other || segment.includes('{')) continue
    if (!isOneEdit(one, other)) return Infinity
    count += 1
  }
  return count
}
