import { entriesOf, isNode, listOf, targetOf, type Node } from '../../document/tree.ts'

/** A schema and all the schemas that it combines, with references followed. */
export function partsOf(root: unknown, schema: unknown): Node[] {
  const parts = new Set<Node>()
  const add = (value: unknown): void => {
    const node = targetOf(root, value)?.node
    if (!node || parts.has(node)) return
    parts.add(node)
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) listOf(node[keyword]).forEach(add)
  }
  add(schema)
  return [...parts]
}

/** The types that a schema and its parts name. */
export function typesOf(parts: readonly Node[]): Set<string> {
  return new Set(parts.flatMap(({ type }) => (typeof type === 'string' ? type : [])))
}

/** The schemas of each property that a schema and its parts name. */
export function propertiesOf(parts: readonly Node[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>()
  for (const { properties } of parts) {
    for (const [name, schema] of entriesOf(properties)) found.set(name, [...(found.get(name) ?? []), schema])
  }
  return found
}

/** The schemas of the items of a list. */
export function itemsOf(parts: readonly Node[]): unknown[] {
  return parts.flatMap(({ items }) => (isNode(items) ? [items] : []))
}

/** The schemas of properties that have no name in the contract. */
export function othersOf(parts: readonly Node[]): unknown[] {
  return parts.flatMap(({ additionalProperties: others }) => (isNode(others) ? [others] : []))
}

/** One schema for a value that several describe. */
export function together(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas }
}
