import { partsIn, type Kind } from './grammar.ts'
import { entriesOf, isNode, listOf, type Node, type Path } from './node.ts'
import { isReference, type Resolved } from './reference.ts'
import { isOfJsonSchema } from './version.ts'

/** An object of a contract that is more than data. */
export interface Part {
  kind: Kind
  node: Node
  at: Path
}

/**
 * Visits each part of a contract, parents first, or of one of its parts. References are visited and not followed. Keys
 * beside a `$ref` are ignored, except in OpenAPI 3.1 and later.
 */
export function visit(root: unknown, enter: (part: Part) => void, start?: Part): void {
  const hasSiblings = isOfJsonSchema(root)
  const enterPart = (part: Part): void => {
    enter(part)
    if (isReference(part.node) && !hasSiblings) return
    inside(part).forEach(enterPart)
  }
  if (start) enterPart(start)
  else if (isNode(root)) enterPart({ kind: 'document', node: root, at: [] })
}

/** Kinds of parts on which no request and no answer depends. */
const informative: readonly Kind[] = ['callback', 'link', 'example']

/**
 * A part with the parts that it holds (`held`) and those behind its references, each once; a reference is one as well.
 * Parts in `seen` are skipped, and added to it.
 */
export function* reached(
  start: Part,
  {
    resolve,
    seen = new Set(),
    held = neededBy,
  }: { resolve: (reference: string) => Resolved; seen?: Set<Node>; held?: (part: Part) => Part[] },
): Generator<Part> {
  const open = [start]
  for (let part = open.pop(); part; part = open.pop()) {
    if (seen.has(part.node)) continue
    seen.add(part.node)
    yield part
    if (isReference(part.node)) {
      const target = resolve(part.node.$ref)
      if (!('why' in target) && isNode(target.value)) open.push({ kind: part.kind, node: target.value, at: target.at })
    } else open.push(...held(part).reverse())
  }
}

/** The parts that stand directly in a part, and on which requests or answers depend. */
export function neededBy(part: Part): Part[] {
  return inside(part).filter(({ kind }) => !informative.includes(kind))
}

/** The parts that stand directly in a part. */
export function inside({ kind, node, at }: Part): Part[] {
  const found: Part[] = []
  for (const { key, value, kind: inner, isMap } of partsIn(node, kind)) {
    if (!isMap && isNode(value)) found.push({ kind: inner, node: value, at: [...at, key] })
    const entries = isMap ? entriesOf(value) : Object.entries(listOf(value))
    for (const [name, one] of entries) if (isNode(one)) found.push({ kind: inner, node: one, at: [...at, key, name] })
  }
  return found
}
