import { isNull } from '../../model/files/dialect.ts'
import { entriesOf, isReference, listOf, nodeOf, targetOf, type Node } from '../../model/tree.ts'
import { partsOf, propertiesOf } from './parts.ts'

/** The alternatives of a schema, null apart, by the values of the property that tells them apart. */
interface Choices {
  property: string
  schemas: ReadonlyMap<string, unknown>
}

/** How a property tells the alternatives of a schema apart: as a discriminator says, or because it must. */
export function choicesOf(root: unknown, node: Node, keyword: string): Choices | undefined {
  const names = discriminatorNames(root, node, keyword)
  if (!names) return tagOf(root, listOf(node[keyword]))
  const schemas = new Map(Array.from(names, ([name, $ref]) => [name, { $ref }]))
  return { property: String(nodeOf(node.discriminator).propertyName), schemas }
}

/**
 * The first property that each of some objects requires, and whose texts are others in each. A value fits at most one of
 * them, so `oneOf` and `anyOf` mean the same.
 */
function tagOf(root: unknown, alternatives: readonly unknown[]): Choices | undefined {
  const all = alternatives.map((one) => tagsOf(root, one))
  for (const property of all[0]?.keys() ?? []) {
    const values = all.map((tags) => tags.get(property) ?? [])
    const texts = values.flat()
    if (values.some(({ length }) => length === 0) || new Set(texts).size < texts.length) continue
    const entries = values.flatMap((own, index) => own.map((value): [string, unknown] => [value, alternatives[index]]))
    return { property, schemas: new Map(entries) }
  }
  return undefined
}

/** The required properties of an object that may be nothing but certain texts. */
function tagsOf(root: unknown, schema: unknown): Map<string, string[]> {
  const parts = new Set<Node>()
  const add = (value: unknown): void => {
    const node = targetOf(root, value)?.node
    if (!node || parts.has(node)) return
    parts.add(node)
    listOf(node.allOf).forEach(add)
  }
  add(schema)
  const tags = new Map<string, string[]>()
  const all = [...parts]
  if (all.some(({ nullable }) => nullable === true) || !all.some(({ type }) => type === 'object')) return tags
  const required = new Set(all.flatMap((part) => listOf(part.required)))
  for (const [name, schemas] of propertiesOf(all)) {
    const [own = {}, ...others] = schemas.map((one) => targetOf(root, one)?.node ?? {})
    const values = listOf(own.enum)
    // what need not be sent, or is not answered, tells nothing
    const isGiven = required.has(name) && own.readOnly !== true && own.writeOnly !== true
    if (isGiven && others.length === 0 && isTexts(values)) tags.set(name, [...new Set(values)])
  }
  return tags
}

function isTexts(values: readonly unknown[]): values is string[] {
  return values.every((value) => typeof value === 'string')
}

/** The references of alternatives by the values that choose them, null apart; undefined unless a discriminator chooses all. */
export function discriminatorNames(root: unknown, node: Node, keyword: string): Map<string, string> | undefined {
  const alternatives = listOf(node[keyword]).filter((one) => !isNull(one))
  const { propertyName, mapping } = nodeOf(node.discriminator)
  if (typeof propertyName !== 'string' || !alternatives.every(isReference)) return undefined
  const references = (alternatives as { $ref: string }[]).map(({ $ref }) => $ref)
  const names = new Map(references.map(($ref) => [$ref.slice($ref.lastIndexOf('/') + 1), $ref]))
  const ownNames = Array.from(names).flatMap(([name, $ref]) =>
    valuesOf(root, $ref, { propertyName, name }).map((value): [string, string] => [value, $ref]),
  )
  // alternatives of the same value cannot be told apart by it
  if (new Set(ownNames.map(([name]) => name)).size < ownNames.length) return undefined
  const mapped = entriesOf(mapping).map(([name, target]): [string, string] => [
    name,
    names.get(String(target)) ?? String(target),
  ])
  if (mapped.some(([, $ref]) => !references.includes($ref))) return undefined
  const explicit = new Set(mapped.map(([, $ref]) => $ref))
  return new Map([...ownNames.filter(([, $ref]) => !explicit.has($ref)), ...mapped])
}

/** The values that choose an alternative: its name, or those that its property may have if that is none of them. */
function valuesOf(
  root: unknown,
  $ref: string,
  { propertyName, name }: { propertyName: string; name: string },
): string[] {
  const parts = partsOf(root, { $ref })
  const schemas = propertiesOf(parts).get(propertyName) ?? []
  const values = schemas.flatMap((one) => listOf(targetOf(root, one)?.node.enum))
  const texts = new Set(values.filter((value) => typeof value === 'string'))
  return texts.size === 0 || texts.has(name) ? [name] : [...texts]
}
