import { follow, locate, nodeOf, pathOfReference, referencesIn, type Path } from '../../src/contract/document/tree.ts'
import type { ContractDocument } from '../../src/contract/document/document.ts'

/** A reference that leads to no part of its contract. */
export interface ReferenceFault {
  kind: 'missing' | 'circle' | 'file'
  /** The path of the `$ref`. */
  at: Path
  message: string
  mend: string
}

/** The references that lead to no part of the contract. One that occurs more than once is told at its first place. */
export function referenceFaults(root: unknown): ReferenceFault[] {
  const faults = new Map<string, ReferenceFault & { count: number }>()
  for (const { reference, at } of referencesIn({ at: [], value: root })) {
    const known = faults.get(reference)
    if (known) known.count += 1
    const fault = known ? undefined : faultOf(root, reference, at)
    const place = fault?.kind === 'circle' ? pathOfReference(reference) : at
    if (fault) faults.set(reference, { ...fault, at: [...place, '$ref'], count: 1 })
  }
  return Array.from(faults.values(), ({ count, message, ...fault }) => ({
    ...fault,
    message: count === 1 ? message : `${message} It is used ${count} times.`,
  }))
}

/** Throws an error that begins with the place for a reference that leads to no part of the contract. */
export function requireReferences({ root, place }: Pick<ContractDocument, 'root' | 'place'>): void {
  const [fault] = referenceFaults(root)
  if (fault) throw new Error(`${place(fault.at)} ${fault.message} ${fault.mend}`)
}

function faultOf(root: unknown, reference: string, at: Path): Omit<ReferenceFault, 'at'> | undefined {
  const told = JSON.stringify(reference)
  if (!reference.startsWith('#')) {
    const isRemote = /^[a-z][a-z\d+.-]*:\/\//i.test(reference)
    const message = `The $ref ${told} leads to ${isRemote ? 'an address of the network, and nothing is fetched' : 'another file'}.`
    return { kind: 'file', message, mend: 'Copy that part into the components of this file, and refer to it there.' }
  }
  try {
    if (follow(root, { at, value: { $ref: reference } }).value !== undefined) return undefined
  } catch {
    const message = `The $ref ${told} leads back to itself, so it stands for nothing.`
    return { kind: 'circle', message, mend: 'Write the part itself at one of the references.' }
  }
  const near = nearestTo(root, pathOfReference(reference))
  const message = `The $ref ${told} leads to nothing.`
  return {
    kind: 'missing',
    message,
    mend: near === undefined ? 'Add that part, or correct the name.' : `Did you mean "${near}"?`,
  }
}

/** The reference to the neighbour with the most similar name. */
function nearestTo(root: unknown, path: Path): string | undefined {
  const [parent, name] = [path.slice(0, -1), path.at(-1)]
  if (name === undefined) return undefined
  const near = nearest(name, Object.keys(nodeOf(locate(root, parent).value)))
  return near === undefined
    ? undefined
    : `#/${[...parent, near].map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

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
