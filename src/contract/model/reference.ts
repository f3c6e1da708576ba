import { kept } from '../../kept.ts'
import { nodeOf, pathOf, type Path, type Located } from './node.ts'

/** What a reference leads to in the end, or why it leads to nothing. */
export type Resolved = Located | { why: 'nothing' | 'circle' }

export function isReference(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/** Resolves the references of a contract. Each is followed once. */
export function resolver(root: unknown): (reference: string) => Resolved {
  const known = new Map<string, Resolved>()
  return (reference) => kept(known, reference, () => resolve(reference))

  function resolve($ref: string): Resolved {
    try {
      const found = follow(root, { at: [], value: { $ref } })
      return found.value === undefined ? { why: 'nothing' } : found
    } catch (error) {
      if (error instanceof ReferenceCircle) return { why: 'circle' }
      throw error
    }
  }
}

/** A reference that leads back to itself. */
export class ReferenceCircle extends Error {
  constructor(reference: string) {
    super(`The $ref ${JSON.stringify(reference)} leads round in a circle.`)
  }
}

/** The value that a reference leads to in the end, or the given value if it is none. Throws `ReferenceCircle`. */
export function follow(root: unknown, located: Located, open: readonly string[] = []): Located {
  if (!isReference(located.value)) return located
  const reference = located.value.$ref
  if (open.includes(reference)) throw new ReferenceCircle(reference)
  const followed = [...open, reference]
  return follow(root, locate(root, pathOfReference(reference), followed), followed)
}

/**
 * The value at a path, following references on the way but not the last one; undefined where the path does not exist.
 */
export function locate(root: unknown, path: Path, open: readonly string[] = []): Located {
  let found: Located = { at: [], value: root }
  for (const key of path) {
    const { at, value } = follow(root, found, open)
    found = { at: [...at, key], value: Object.hasOwn(nodeOf(value), key) ? nodeOf(value)[key] : undefined }
  }
  return found
}

/** The path in a reference, whose pointer may be percent-encoded as the fragment of a URL (RFC 6901, section 6). */
export function pathOfReference(reference: string): string[] {
  try {
    return pathOf(decodeURIComponent(reference))
  } catch {
    return pathOf(reference)
  }
}
