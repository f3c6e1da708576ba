import { exactText } from '../../../../src/integers.ts'
import { isMultiple } from '../../../../src/contract/model/keywords.ts'
import type { DiffRule } from '../rules.ts'
import { changeWording } from '../wording.ts'
import { narrower, noEffect, unknownEffect, wider, type Effect } from './comparison.ts'
import { boundOf, bounds, hasOther, isStricter, isWithin, sizeOf, sizes, type Bound, type Limit } from './limits.ts'
import { enumOf } from './parts.ts'
import type { Part } from './spot.ts'

/** A change of one keyword of a schema. */
export interface KeywordChange {
  keyword: string
  rule: DiffRule
  effect: Effect
  what: string
  /** What is said instead where the change is compatible. */
  mild?: string
}

/** What a change of the types does. `isText` is for values that are sent as text: a string is any of them. */
export function typeEffect(before: Set<string> | undefined, after: Set<string> | undefined, isText: boolean): Effect {
  return { narrows: !covers(after, before, isText), widens: !covers(before, after, isText) }
}

function covers(wide: Set<string> | undefined, narrow: Set<string> | undefined, isText: boolean): boolean {
  if (wide === undefined) return true
  if (narrow === undefined) return isText && wide.has('string')
  const isScalar = (type: string): boolean => ['integer', 'number', 'boolean', 'string'].includes(type)
  return [...narrow].every(
    (type) =>
      wide.has(type) || (type === 'integer' && wide.has('number')) || (isText && wide.has('string') && isScalar(type)),
  )
}

/** The changes of the keywords that limit values, except those that contain schemas. */
export function keywordChanges(before: readonly Part[], after: readonly Part[]): KeywordChange[] {
  const changes = [
    ...bounds.flatMap((bound) => boundChange(bound, boundOf(bound, before), boundOf(bound, after))),
    ...sizes.flatMap(([keyword, sign]) => sizeChange(keyword, sign, before, after)),
    ...whole.flatMap((keyword) => change(keyword, before, after)),
  ]
  // the values of an enum that fit the limits of the other schema are neither lost nor new
  const [isKept, isOld] = [areNamedWithin(before, after), areNamedWithin(after, before)]
  return changes.map(({ effect, ...change }) => {
    return { ...change, effect: { narrows: !isKept && effect.narrows, widens: !isOld && effect.widens } }
  })
}

/** Whether a schema names its values, all of which are within the limits of another one, which does not. */
function areNamedWithin(parts: readonly Part[], others: readonly Part[]): boolean {
  const values = enumOf(parts)
  return values !== undefined && !enumOf(others) && [...values.values()].every((value) => isWithin(value, others))
}

/** Keywords that are compared as they are written: what a change of them does is known of some. */
const whole = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'contentEncoding', 'contentMediaType']

function boundChange({ name, inclusive, sign }: Bound, before?: Limit, after?: Limit): KeywordChange[] {
  const textOf = (limit: Limit | undefined): string | undefined =>
    limit && `${sign}${limit.isExclusive ? '' : '='} ${limit.value}`
  const [from, to] = [textOf(before), textOf(after)]
  if (from === to) return []
  const isNarrower = after !== undefined && (before === undefined || isStricter(after, before, sign))
  const effect = isNarrower ? narrower : wider
  const isPlain = before?.isExclusive === after?.isExclusive
  const mild = isPlain ? { mild: changeWording(inclusive, before?.value, after?.value) } : {}
  return [{ keyword: inclusive, rule: constraint, effect, what: changeWording(name, from, to), ...mild }]
}

const constraint = 'schema-constraint-changed'

function sizeChange(keyword: string, sign: number, before: readonly Part[], after: readonly Part[]): KeywordChange[] {
  const [from, to] = [sizeOf(keyword, sign, before), sizeOf(keyword, sign, after)]
  // a size of at least 0 is no limit
  if ((sign === 1 ? (from ?? 0) : from) === (sign === 1 ? (to ?? 0) : to)) return []
  const isNarrower = to !== undefined && (from === undefined || (to - from) * sign > 0)
  if (keyword === 'minProperties' && isNarrower && to <= demanded(before)) return []
  const effect = isNarrower ? narrower : wider
  return [{ keyword, rule: constraint, effect, what: changeWording(keyword, from, to) }]
}

/** How many properties every object of a schema has. Those that may not be sent do not count. */
function demanded(parts: readonly Part[]): number {
  const names = new Set(parts.flatMap((part) => part.field('required').list.map(String)))
  return [...names].filter((name) => {
    const all = parts.map((part) => part.field('properties', name).node)
    return all.every(({ $ref, readOnly, writeOnly, allOf }) => !($ref ?? readOnly ?? writeOnly ?? allOf))
  }).length
}

function change(keyword: string, before: readonly Part[], after: readonly Part[]): KeywordChange[] {
  const [old, now] = [valuesOf(before, keyword), valuesOf(after, keyword)]
  const lost = [...old].filter(([text]) => !now.has(text)).map(([, value]) => value)
  const gained = [...now].filter(([text]) => !old.has(text)).map(([, value]) => value)
  if (lost.length === 0 && gained.length === 0) return []
  const [from, to] = [lost[0], gained[0]]
  const effect =
    (keyword === 'format' && rangeEffect(intervalOf(before, from), intervalOf(after, to), { from, to })) ||
    effectOf(keyword, from, to)
  return [{ keyword, rule: constraint, effect, what: changeWording(keyword, from, to) }]
}

function valuesOf(parts: readonly Part[], keyword: string): Map<string, unknown> {
  const values = parts
    .map(
      ({ node }) => node[keyword] ?? (keyword.startsWith('content') ? usualContent(keyword, node.format) : undefined),
    )
    .filter((value) => value !== undefined && value !== false)
  // an integer is a multiple of 1 anyway
  const isWhole = keyword === 'multipleOf' && parts.some(({ node }) => node.type === 'integer')
  return new Map(values.filter((value) => !(isWhole && value === 1)).map((value) => [exactText(value), value]))
}

/** What `format` says in OpenAPI 3.0 of the content of a text. */
function usualContent(keyword: string, format: unknown): string | undefined {
  if (keyword === 'contentEncoding') return format === 'byte' ? 'base64' : undefined
  return format === 'binary' ? 'application/octet-stream' : undefined
}

function effectOf(keyword: string, from: unknown, to: unknown): Effect {
  // what it says is not checked
  if (keyword.startsWith('content') && (from === undefined || to === undefined)) return unknownEffect
  // the format password only tells pages to hide what is typed
  if (keyword === 'format' && (from ?? 'password') === 'password' && (to ?? 'password') === 'password') return noEffect
  if (from === undefined) return narrower
  if (to === undefined) return wider
  if (keyword === 'format' && [from, to].some((format) => nextFormat(format) === undefined)) {
    return unknownEffect
  }
  if (keyword === 'format') return { narrows: nextFormat(from) !== to, widens: nextFormat(to) !== from }
  if (keyword === 'multipleOf' && typeof from === 'number' && typeof to === 'number') {
    return { narrows: !isMultiple(from, to), widens: !isMultiple(to, from) }
  }
  if (keyword === 'pattern' && typeof from === 'string' && typeof to === 'string') {
    return { narrows: hasOther(from, to), widens: hasOther(to, from) }
  }
  return { narrows: true, widens: true }
}

/** The next format that has all values of a format, which may be none; undefined for a format without a meaning. */
function nextFormat(format: unknown): string | undefined {
  return typeof format === 'string' ? formats.get(format) : undefined
}

/** Formats with a defined meaning (the format registry of OpenAPI), each with the next one that has all its values. */
const formats = new Map(
  Object.entries({
    ...{ int8: 'int16', int16: 'int32', int32: 'int64', int64: '', uint8: '', uint16: '', uint32: '', uint64: '' },
    ...{ float: 'double', double: '', decimal: '', byte: '', base64url: '', binary: '' },
    ...{ date: '', 'date-time': '', time: '', duration: '', password: '', uuid: '', regex: '' },
    ...{ email: 'idn-email', 'idn-email': '', hostname: 'idn-hostname', 'idn-hostname': '', ipv4: '', ipv6: '' },
    ...{ uri: 'uri-reference', 'uri-reference': 'iri-reference', iri: 'iri-reference', 'iri-reference': '' },
    ...{ 'uri-template': '', 'json-pointer': '', 'relative-json-pointer': '' },
  }),
)

type Interval = readonly [number | bigint, number | bigint]

/** The values of formats of integers, by signs and bits. */
const ranges = new Map<unknown, Interval>(
  [8n, 16n, 32n, 64n].flatMap((bits): [string, Interval][] => [
    [`int${bits}`, [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]],
    [`uint${bits}`, [0n, 2n ** bits - 1n]],
  ]),
)
const everything: Interval = [-Infinity, Infinity]

/** The range of numbers that the limits and the format of a schema allow. */
function intervalOf(parts: readonly Part[], format: unknown): Interval {
  const [low, high] = ranges.get(format) ?? everything
  const [lower, upper] = bounds.map((bound) => boundOf(bound, parts)?.value)
  return [lower !== undefined && lower > low ? lower : low, upper !== undefined && upper < high ? upper : high]
}

/** What a change of formats of integers does; undefined if one is another format. */
function rangeEffect(old: Interval, now: Interval, { from, to }: { from: unknown; to: unknown }): Effect | undefined {
  if ([from, to].some((format) => format !== undefined && !ranges.has(format))) return undefined
  const isWithin = ([low, high]: Interval, [lower, upper]: Interval): boolean => low >= lower && high <= upper
  return {
    narrows: !isWithin(old, ranges.get(to) ?? everything),
    widens: !isWithin(now, ranges.get(from) ?? everything),
  }
}
