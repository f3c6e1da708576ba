import type { Schema } from './schema.ts'

/** The alternatives of a schema but null, by the values of the property that tells them apart. */
interface Choices {
  property: string
  schemas: ReadonlyMap<string, Schema>
}

/** How a property tells alternatives of a schema apart: as a discriminator says, or because it must. */
export function choicesOf(schema: Schema, alternatives: readonly Schema[]): Choices | undefined {
  const schemas = discriminated(schema, alternatives)
  return schemas && schema.discriminator
    ? { property: schema.discriminator.propertyName, schemas }
    : tagged(alternatives)
}

/**
 * The first property that all of some objects require, and whose allowed texts differ from object to object. A value fits
 * at most one of them, so `oneOf` and `anyOf` mean the same.
 */
function tagged(alternatives: readonly Schema[]): Choices | undefined {
  const all = alternatives.map(tagsOf)
  for (const property of all[0]?.keys() ?? []) {
    const values = all.map((tags) => tags.get(property) ?? [])
    const texts = values.flat()
    if (values.some(({ length }) => length === 0) || new Set(texts).size < texts.length) continue
    const entries = alternatives.flatMap((schema, index) =>
      (values[index] ?? []).map((value): [string, Schema] => [value, schema]),
    )
    return { property, schemas: new Map(entries) }
  }
  return undefined
}

/** The required properties of an object whose values must be one of some texts, with these texts. */
function tagsOf({ conjuncts }: Schema): Map<string, string[]> {
  const tags = new Map<string, string[]>()
  if (conjuncts.some(({ isNullable }) => isNullable) || !conjuncts.some((part) => part.get('type') === 'object'))
    return tags
  const required = new Set(conjuncts.flatMap((part) => part.required))
  const schemasOf = new Map<string, Schema[]>()
  for (const { properties } of conjuncts) {
    for (const [name, schema] of properties) schemasOf.set(name, [...(schemasOf.get(name) ?? []), schema])
  }
  for (const [name, [own, ...others]] of schemasOf) {
    const values = own?.enum ?? []
    // what need not be sent, or is not answered, tells nothing
    const isGiven = required.has(name) && !own?.isReadOnly && !own?.isWriteOnly
    if (isGiven && others.length === 0 && isTexts(values)) tags.set(name, [...new Set(values)])
  }
  return tags
}

function isTexts(values: readonly unknown[]): values is readonly string[] {
  return values.every((value) => typeof value === 'string')
}

/** The alternatives but null, by the values that choose them; undefined unless a discriminator chooses all. */
export function discriminated(
  { discriminator }: Schema,
  alternatives: readonly Schema[],
): ReadonlyMap<string, Schema> | undefined {
  const all = alternatives.filter(({ isNull }) => !isNull)
  if (!discriminator || all.some(({ reference }) => reference === undefined)) return undefined
  const { propertyName, mapping } = discriminator
  const byReference = new Map(all.map((schema) => [schema.reference ?? '', schema]))
  const byName = new Map(all.map((schema) => [nameOf(schema), schema]))
  const ownNames = Array.from(byName).flatMap(([name, schema]) =>
    valuesOf(schema, propertyName, name).map((value): [string, Schema] => [value, schema]),
  )
  // alternatives of the same value cannot be told apart by it
  if (new Set(ownNames.map(([value]) => value)).size < ownNames.length) return undefined
  const mapped: [string, Schema][] = []
  for (const [value, target] of mapping) {
    const schema = byName.get(target) ?? byReference.get(target)
    if (!schema) return undefined
    mapped.push([value, schema])
  }
  const explicit = new Set(mapped.map(([, schema]) => schema))
  return new Map([...ownNames.filter(([, schema]) => !explicit.has(schema)), ...mapped])
}

/** The last key of a reference, which a discriminator takes for the name of its schema. */
function nameOf({ reference = '' }: Schema): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The values that choose an alternative: its name, or the texts that its property allows if the name is not one of them. */
function valuesOf({ parts }: Schema, propertyName: string, name: string): string[] {
  const values = parts.flatMap(({ properties }) => properties.get(propertyName)?.enum ?? [])
  const texts = new Set(values.filter((value) => typeof value === 'string'))
  return texts.size === 0 || texts.has(name) ? [name] : [...texts]
}
