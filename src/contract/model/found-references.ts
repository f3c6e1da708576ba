import { mappings } from './grammar.ts'
import type { Node, Path } from './node.ts'
import { entriesOf, isNode } from './node.ts'
import { isReference } from './reference.ts'

/** A reference, with the path of its node, and with the keys beside it. */
export interface FoundReference {
  node: unknown
  reference: string
  at: Path
  siblings: string[]
}

/** Keywords whose value is a mapping from names, not from keywords. */
const keyedByName = new Set([...mappings, 'mapping', 'scopes', 'variables'])

/** Keywords whose value is data, which may look like a part of the contract. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const'])

/**
 * The references of a contract, also where OpenAPI allows none, so that a rule can refuse them. What looks like one in an
 * example, an extension and the like is data.
 */
export function referencesIn(root: unknown): FoundReference[] {
  const found: FoundReference[] = []
  const add = (node: unknown, at: Path): void => {
    if (!isReference(node)) return
    found.push({ node, reference: node.$ref, at, siblings: Object.keys(node).filter((key) => key !== '$ref') })
  }
  descend(root, [], false, (node, at) => {
    add(node, at)
    // an example by name may be a reference; what it says is data
    for (const [name, example] of entriesOf(node.examples)) add(example, [...at, 'examples', name])
    return !isReference(node)
  })
  return found
}

/** `enter` returns whether to visit the nodes in a node. */
function descend(value: unknown, at: Path, keysAreNames: boolean, enter: (node: Node, at: Path) => boolean): void {
  if (typeof value !== 'object' || value === null) return
  const hasKeywords = !keysAreNames && isNode(value)
  if (hasKeywords && !enter(value, at)) return
  for (const [key, child] of Object.entries(value) as [string, unknown][]) {
    if (hasKeywords && (data.has(key) || key.startsWith('x-'))) continue
    const isNamed = hasKeywords && keyedByName.has(key) && !Array.isArray(child)
    descend(child, [...at, key], isNamed, enter)
  }
}
