import type { Here } from './comparison.ts'
import { hasNoSize, isEmptyRange, isWithin, patternsMeet } from './limits.ts'
import { every, some, type Known } from './known.ts'
import { nullsOf } from './nulls.ts'
import { choicesOf, enumOf, flat, typesOf, type Choice } from './parts.ts'
import { valuesIn, type Part, type Spot } from './spot.ts'

/** Deeper schemas are not looked at. */
const maxDepth = 6

/** Keywords whose schemas hold under conditions that are not looked at. */
const conditional = [
  ...['not', 'if', 'contains', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties', 'propertyNames'],
  ...['patternProperties', 'dependentRequired', 'dependentSchemas', 'multipleOf', 'uniqueItems', 'minProperties'],
]

/** Whether some value other than null is valid in all of these schemas. */
export function haveCommon(here: Here, schemas: readonly Spot[], depth = 0): Known {
  const parts = flat(schemas)
  if (depth > maxDepth) return undefined
  const values = enumOf(parts)
  const types = typesOf(parts)
  const isKnown = !parts.some(({ node }) => conditional.some((keyword) => node[keyword] !== undefined))
  const sure: Known = isKnown ? true : undefined
  const choices = choicesOf(parts).map((choice) =>
    some(choice.alternatives.map((one) => haveCommon(here, [...withoutChoices(parts), one], depth + 1))),
  )
  if (choices.length > 0) return every([...choices, ...(choices.length > 1 ? [undefined] : [])])
  if (values) {
    const fitting = [...values.values()].filter((value) => isWithin(value, parts))
    if (fitting.length === 0) return false
    return sure === true && fitting.every((value) => typeof value !== 'object') ? true : undefined
  }
  if (!types) return sure
  return some(Array.from(types, (type) => every([sure, hasValue(here, parts, type, depth)])))
}

function withoutChoices(parts: readonly Part[]): Spot[] {
  return parts.map((part) => {
    const { allOf: _, oneOf: __, anyOf: ___, ...node } = part.node
    return part.with(node)
  })
}

function hasValue(here: Here, parts: readonly Part[], type: string, depth: number): Known {
  if (type === 'integer' || type === 'number') return !isEmptyRange(parts)
  if (type === 'string')
    return hasNoSize(parts, 'minLength', 'maxLength') ? false : every([formatsMeet(parts), patternsMeet(parts)])
  if (type === 'array') {
    if (hasNoSize(parts, 'minItems', 'maxItems')) return false
    const isEmptyValid = !parts.some(({ node }) => Number(node.minItems ?? 0) > 0)
    return isEmptyValid || isShared(here, valuesIn(parts, 'items'), depth)
  }
  return type !== 'object' || hasObject(here, parts, depth)
}

/** Whether a value, also null, is valid in all schemas of a part of a value. */
function isShared(here: Here, schemas: readonly Spot[], depth: number): Known {
  return nullsOf(here, schemas).isValid || haveCommon(here, schemas, depth + 1)
}

/** Formats of which no text has two. */
const apartFormats = new Set<unknown>(['date', 'date-time', 'time', 'uuid', 'email', 'ipv4', 'ipv6'])

function formatsMeet(parts: readonly Part[]): Known {
  const formats = new Set(parts.map(({ node }) => node.format).filter((format) => format !== undefined))
  if (formats.size < 2) return true
  return [...formats].every((format) => apartFormats.has(format)) ? false : undefined
}

function hasObject(here: Here, parts: readonly Part[], depth: number): Known {
  const mark = here.direction === 'request' ? 'readOnly' : 'writeOnly'
  const names = new Set(parts.flatMap((part) => part.field('required').list.map(String)))
  return every(
    Array.from(names, (name): Known => {
      const schemas = parts.flatMap((part) => schemasOf(part, name))
      if (schemas.some(({ value }) => value === false)) return false
      const all = flat(schemas)
      return all.some(({ node }) => node[mark] === true) || isShared(here, schemas, depth)
    }),
  )
}

/** The schemas that a schema has for a property, `false` if it may not have it. */
function schemasOf(part: Part, name: string): Spot[] {
  const own = part.field('properties', name)
  if (own.isThere) return [own]
  const other = part.field('additionalProperties')
  return other.isThere && other.value !== true ? [other] : []
}

/**
 * Whether values that schemas allow fit two alternatives of a `oneOf`, where no discriminator tells them apart. `isOld`
 * is for pairs that need no look.
 */
export function fitTwo(
  here: Here,
  allowed: readonly (readonly Spot[])[],
  { keyword, holder, alternatives }: Choice,
  isOld: (one: Spot, other: Spot) => boolean = () => false,
): Known {
  if (keyword !== 'oneOf' || holder.node.discriminator !== undefined) return false
  return some(
    alternatives.flatMap((one, index) =>
      alternatives.slice(index + 1).map((other) => {
        if (isOld(one, other) || haveCommon(here, [one, other]) === false) return false
        return some(allowed.map((schemas) => haveCommon(here, [...schemas, one, other])))
      }),
    ),
  )
}
