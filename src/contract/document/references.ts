import type { ContractDocument } from './document.ts'
import type { Finding } from './finding.ts'
import { isRemote } from './bundle.ts'
import { nearestTo } from './nearest.ts'
import { follow, isReference, pathOfReference, referencesIn, type Path } from './tree.ts'
import { isOfJsonSchema } from './version.ts'

/** What is wrong with a reference. */
type Fault = Required<Pick<Finding, 'message' | 'mend'>> & { isCircle?: boolean }

/**
 * References that lead to no part of the contract, each told at its first place, and notes on those with keys beside
 * them.
 */
export function referenceFindings({ root, lost }: Pick<ContractDocument, 'root' | 'lost'>): Finding[] {
  const found = new Map<string, { at: Path; fault: Fault | undefined; count: number }>()
  const notes: Finding[] = []
  for (const { reference, at, siblings } of referencesIn({ at: [], value: root })) {
    const known = found.get(reference)
    if (known) known.count += 1
    else found.set(reference, { at, fault: faultOf(root, reference, at), count: 1 })
    // of OpenAPI 3.1, texts may stand beside a reference, and what else does is combined with it
    if (!isOfJsonSchema(root) && !found.get(reference)?.fault) notes.push(...siblingNotes(siblings, at))
  }
  const errors = [...found].flatMap(([reference, { at, fault, count }]): Finding[] => {
    if (!fault) return []
    const place = fault.isCircle ? pathOfReference(reference) : at
    const message = count === 1 ? fault.message : `${fault.message} It is used ${count} times.`
    return [{ severity: 'error', kind: 'reference', at: [...place, '$ref'], message, mend: fault.mend }]
  })
  return [...lost, ...errors, ...notes]
}

/** Throws an error that begins with the place for a reference that leads to no part of the contract. */
export function requireReferences(document: Pick<ContractDocument, 'root' | 'lost' | 'place'>): void {
  const fault = referenceFindings(document).find(({ severity }) => severity === 'error')
  if (fault) throw new Error(`${document.place(fault.at)} ${fault.message} ${fault.mend ?? ''}`)
}

/**
 * A replacer for JSON that tools read which follow every `$ref`: in what only looks like a reference the key is left out.
 */
export function withoutOtherRefs({ root }: Pick<ContractDocument, 'root'>): (key: string, value: unknown) => unknown {
  const references = new Set(referencesIn({ at: [], value: root }).map(({ node }) => node))
  return (_, value) => {
    if (!isReference(value) || references.has(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== '$ref'))
  }
}

/** A path item may have keys beside its `$ref` (OpenAPI 3.0.3, Path Item Object). */
function siblingNotes(siblings: readonly string[], at: Path): Finding[] {
  const others = siblings.filter((key) => !key.startsWith('x-'))
  const [first] = others
  if (first === undefined || at.length === 2) return []
  const message = `${others.join(', ')} beside $ref ${others.length === 1 ? 'has' : 'have'} no effect.`
  const mend = 'Take it away, or put the $ref alone into an allOf.'
  return [{ severity: 'note', kind: 'reference', at: [...at, first], message, mend }]
}

function faultOf(root: unknown, reference: string, at: Path): Fault | undefined {
  const told = `The $ref ${JSON.stringify(reference)}`
  if (isRemote(reference)) {
    const message = `${told} leads to an address of the network, and nothing is fetched.`
    return { message, mend: 'Save that part in a file, and refer to the file.' }
  }
  // told when the files were read
  if (!reference.startsWith('#')) return undefined
  try {
    if (follow(root, { at, value: { $ref: reference } }).value !== undefined) return undefined
  } catch {
    const message = `${told} leads back to itself, so it stands for nothing.`
    return { message, mend: 'Write the part itself at one of the references.', isCircle: true }
  }
  const near = nearestTo(root, pathOfReference(reference))
  const mend = near === undefined ? 'Add that part, or correct the name.' : `Did you mean "${near}"?`
  return { message: `${told} leads to nothing.`, mend }
}
