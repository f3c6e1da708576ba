import { isNode, ownValue, type Node } from './node.ts'

/** A keyword of JSON Schema 2020-12 whose value holds schemas. */
interface Applicator {
  /** One schema, a list of schemas, or a mapping from names to schemas. */
  holds: 'schema' | 'schemas' | 'schema{}'
  /**
   * To which value its schemas apply: to the same one as the schema around it (an in-place applicator), to the same one
   * but reversed, to a part of it, or to none.
   */
  applies: 'same' | 'not' | 'child' | 'none'
}

/** The keywords that hold schemas. All others hold data. */
export const applicators = {
  allOf: { holds: 'schemas', applies: 'same' },
  anyOf: { holds: 'schemas', applies: 'same' },
  oneOf: { holds: 'schemas', applies: 'same' },
  if: { holds: 'schema', applies: 'same' },
  then: { holds: 'schema', applies: 'same' },
  else: { holds: 'schema', applies: 'same' },
  dependentSchemas: { holds: 'schema{}', applies: 'same' },
  not: { holds: 'schema', applies: 'not' },
  properties: { holds: 'schema{}', applies: 'child' },
  patternProperties: { holds: 'schema{}', applies: 'child' },
  additionalProperties: { holds: 'schema', applies: 'child' },
  unevaluatedProperties: { holds: 'schema', applies: 'child' },
  propertyNames: { holds: 'schema', applies: 'child' },
  items: { holds: 'schema', applies: 'child' },
  prefixItems: { holds: 'schemas', applies: 'child' },
  contains: { holds: 'schema', applies: 'child' },
  unevaluatedItems: { holds: 'schema', applies: 'child' },
  contentSchema: { holds: 'schema', applies: 'none' },
  definitions: { holds: 'schema{}', applies: 'none' },
  $defs: { holds: 'schema{}', applies: 'none' },
} as const satisfies Readonly<Record<string, Applicator>>

export type ApplicatorName = keyof typeof applicators

/** The keywords that hold schemas in one way. */
export type Holding<H extends Applicator['holds']> = {
  [K in ApplicatorName]: (typeof applicators)[K]['holds'] extends H ? K : never
}[ApplicatorName]

export function applicatorOf(keyword: string): Applicator | undefined {
  return ownValue<Applicator>(applicators, keyword)
}

const names = Object.keys(applicators) as ApplicatorName[]

/** In-place applicators, whose schemas apply to the same value; those that are not reversed. */
export const inPlace: readonly ApplicatorName[] = names.filter((name) => applicators[name].applies === 'same')

/** The schemas, as written, that a keyword of a schema holds, each with the keys that lead to it. */
export function heldBy(schema: Node, keyword: string): { keys: string[]; value: unknown }[] {
  const value: unknown = schema[keyword]
  switch (applicatorOf(keyword)?.holds) {
    case 'schema':
      return value === undefined ? [] : [{ keys: [keyword], value }]
    case 'schemas':
      return Array.isArray(value)
        ? (value as unknown[]).map((one, index) => ({ keys: [keyword, String(index)], value: one }))
        : []
    case 'schema{}':
      return isNode(value) ? Object.entries(value).map(([name, one]) => ({ keys: [keyword, name], value: one })) : []
    default:
      return []
  }
}

/** Whether a number is a multiple of another. Allows for rounding: as doubles, 0.07 is not exactly a multiple of 0.01. */
export function isMultiple(value: number | bigint, of: number | bigint): boolean {
  const [whole, step] = [exact(value), exact(of)]
  if (whole !== undefined && step !== undefined && step !== 0n) return whole % step === 0n
  const times = Number(value) / Number(of)
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 4 * Number.EPSILON
}

/** A whole number with all its digits; undefined for a fraction. */
function exact(value: number | bigint): bigint | undefined {
  if (typeof value === 'bigint') return value
  return Number.isInteger(value) ? BigInt(value) : undefined
}
