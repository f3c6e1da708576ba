import * as fc from 'fast-check'
import { isNumber } from '../../../../src/integers.ts'
import { hasType, typeName, typesOf } from './parts.ts'
import type { Part } from './spot.ts'

export interface Bound {
  name: string
  inclusive: 'minimum' | 'maximum'
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum'
  sign: '>' | '<'
}
export interface Limit {
  value: number | bigint
  isExclusive: boolean
}

export const bounds: readonly Bound[] = [
  { name: 'lower bound', inclusive: 'minimum', exclusive: 'exclusiveMinimum', sign: '>' },
  { name: 'upper bound', inclusive: 'maximum', exclusive: 'exclusiveMaximum', sign: '<' },
]
/** Keywords for sizes, with 1 if a greater number allows fewer values. */
export const sizes: readonly (readonly [string, number])[] = [
  ...(['minLength', 'minItems', 'minProperties', 'minContains'] as const).map((keyword) => [keyword, 1] as const),
  ...(['maxLength', 'maxItems', 'maxProperties', 'maxContains'] as const).map((keyword) => [keyword, -1] as const),
]

/** The strictest limit of all parts. In OpenAPI 3.1 the exclusive keyword is a number of its own. */
export function boundOf({ inclusive, exclusive, sign }: Bound, parts: readonly Part[]): Limit | undefined {
  const limits = parts.flatMap(({ node }): Limit[] => [
    ...(isNumber(node[inclusive]) ? [{ value: node[inclusive], isExclusive: node[exclusive] === true }] : []),
    ...(isNumber(node[exclusive]) ? [{ value: node[exclusive], isExclusive: true }] : []),
  ])
  return limits.reduce<Limit | undefined>(
    (most, one) => (most === undefined || isStricter(one, most, sign) ? one : most),
    undefined,
  )
}

export function isStricter(one: Limit, other: Limit, sign: '>' | '<'): boolean {
  // eslint-disable-next-line eqeqeq -- a bigint equals a number only so
  if (one.value == other.value) return one.isExclusive && !other.isExclusive
  return one.value > other.value === (sign === '>')
}

/** Whether a value is within the types, bounds, lengths and patterns of all parts. */
export function isWithin(value: unknown, parts: readonly Part[]): boolean {
  const types = typesOf(parts)
  if (types && !hasType(types, typeName(value))) return false
  if (isNumber(value)) {
    const isBeyond = (bound: Bound): boolean => {
      const limit = boundOf(bound, parts)
      return limit !== undefined && isStricter(limit, { value, isExclusive: false }, bound.sign)
    }
    return !bounds.some(isBeyond)
  }
  if (typeof value !== 'string') return true
  const { length } = Array.from(value)
  const isLong = length > (sizeOf('maxLength', -1, parts) ?? Infinity)
  return !isLong && length >= (sizeOf('minLength', 1, parts) ?? 0) && patternsOf(parts).every(matches)

  function matches(pattern: string): boolean {
    try {
      return new RegExp(pattern).test(String(value))
    } catch {
      return false
    }
  }
}

/** Whether no number is within the limits of all parts. */
export function isEmptyRange(parts: readonly Part[]): boolean {
  const [lower, upper] = bounds.map((bound) => boundOf(bound, parts))
  if (!lower || !upper) return false
  // eslint-disable-next-line eqeqeq -- a bigint equals a number only so
  return lower.value > upper.value || (lower.value == upper.value && (lower.isExclusive || upper.isExclusive))
}

/** The strictest size of all parts. */
export function sizeOf(keyword: string, sign: number, parts: readonly Part[]): number | undefined {
  const all = parts.flatMap(({ node }) => (typeof node[keyword] === 'number' ? [node[keyword] * sign] : []))
  return all.length === 0 ? undefined : Math.max(...all) * sign
}

/** Whether nothing is at least of one size of all parts and at most of another. */
export function hasNoSize(parts: readonly Part[], least: string, most: string): boolean {
  return (sizeOf(least, 1, parts) ?? 0) > (sizeOf(most, -1, parts) ?? Infinity)
}

/** Whether a pattern accepts a text that another one refuses; undefined if none is found among some hundred. */
export function hasOther(pattern: string, other: string): true | undefined {
  try {
    const refuses = new RegExp(other)
    return textsOf(pattern).some((text) => !refuses.test(text)) || undefined
  } catch {
    // a pattern that no text can be made from
    return true
  }
}

/** Whether a text fits the patterns and lengths of all parts; undefined if none is found. */
export function patternsMeet(parts: readonly Part[]): true | undefined {
  const [first, ...others] = patternsOf(parts)
  if (first === undefined) return true
  const [least, most] = [sizeOf('minLength', 1, parts) ?? 0, sizeOf('maxLength', -1, parts) ?? Infinity]
  try {
    const all = others.map((pattern) => new RegExp(pattern))
    const isFit = (text: string): boolean =>
      text.length >= least && text.length <= most && all.every((pattern) => pattern.test(text))
    return textsOf(first).some(isFit) || undefined
  } catch {
    return undefined
  }
}

function patternsOf(parts: readonly Part[]): string[] {
  return parts.flatMap(({ node }) => (typeof node.pattern === 'string' ? [node.pattern] : []))
}

function textsOf(pattern: string): string[] {
  return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 300, seed: 1 })
}
