import { entriesOf, isNode, listOf, targetOf, type Node } from '../../model/tree.ts'
import { patternOf } from '../../model/pattern.ts'

/** In-place applicators of JSON Schema, whose schemas hold for the same value: lists of them, or one. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else']

/** A schema and all the schemas that it combines, with references followed. */
export function partsOf(root: unknown, schema: unknown): Node[] {
  const parts = new Set<Node>()
  const add = (value: unknown): void => {
    const node = targetOf(root, value)?.node
    if (!node || parts.has(node)) return
    parts.add(node)
    for (const keyword of inPlace) [node[keyword]].flat().forEach(add)
    for (const [, one] of entriesOf(node.dependentSchemas)) add(one)
  }
  add(schema)
  return [...parts]
}

/** The types that a schema and its parts name, without null. */
export function typesOf(parts: readonly Node[]): Set<string> {
  return new Set(
    parts.flatMap(({ type }) => [type].flat().filter((one) => typeof one === 'string' && one !== 'null')) as string[],
  )
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

/** The schemas of the first items of a list, by their position. */
export function firstItemsOf(parts: readonly Node[]): unknown[][] {
  const lists = parts.map(({ prefixItems }) => listOf(prefixItems))
  const length = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length }, (_, index) => lists.flatMap((list) => list[index] ?? []))
}

/** The schemas of properties whose names match a pattern. */
export function patternsOf(parts: readonly Node[]): [RegExp, unknown][] {
  return parts.flatMap(({ patternProperties }) =>
    entriesOf(patternProperties).map(([pattern, schema]): [RegExp, unknown] => [patternOf(pattern), schema]),
  )
}

/** The schemas of properties that have no name in the contract. */
export function othersOf(parts: readonly Node[]): unknown[] {
  return parts.flatMap((part) => [part.additionalProperties, part.unevaluatedProperties].filter(isNode))
}

/** Whether objects may have properties that have no name in the contract, because it says so. */
export function isOpen(parts: readonly Node[]): boolean {
  return parts.some((part) =>
    [part.additionalProperties, part.unevaluatedProperties].some((others) => others === true || isNode(others)),
  )
}

/** One schema for a value that several describe. */
export function together(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas }
}
