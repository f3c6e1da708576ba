import { exactText, int64Max, int64Min, numericKeyword, type NumericRule } from '../contract/compile/numbers.ts'
import { textMatching } from './pattern.ts'
import { integerTo, pick, randomNumbers, type Random } from './random.ts'
import type { Schema } from '../contract/compile/schema.ts'

export interface SampleOptions {
  /** The same seed gives the same value. */
  seed: string
  /** Take the examples and defaults of a schema's parts as they are. */
  examples: boolean
  /** What messages call the value. */
  name: string
}

/**
 * A value made up from a schema of the dereferenced contract. It is meant to be valid, and left to the caller to check.
 * Throws when none can be found, as for an object that must contain another of its kind.
 */
export function sample(schema: Schema, { seed, examples, name }: SampleOptions): unknown {
  const random = randomNumbers(seed)
  const inProgress = new Set<Schema>()
  let impossible = name
  const value = valueOf(schema, name)
  if (value === undefined) throw new Error(`no value was found that ${impossible} can have.`)
  return value

  /** Undefined when there is none; what is optional is then left out. */
  function valueOf(given: Schema, place: string): unknown {
    const node = merged(given, random)
    const own = node.example ?? node.default
    if (examples && own !== undefined) return own
    const isInItself = inProgress.has(given)
    inProgress.add(given)
    const value = (isInItself ? undefined : made(node, place)) ?? (node.nullable === true ? null : undefined)
    if (!isInItself) inProgress.delete(given)
    if (value === undefined && !impossible.startsWith(`${place}.`)) impossible = place
    return value
  }

  function made(node: Schema, place: string): unknown {
    const rule = node[numericKeyword] as NumericRule | undefined
    if (rule?.enum)
      return pick(
        rule.enum.filter((one) => one !== null && isInside(one, rule)),
        random,
      )
    if (rule) return rule.type === 'integer' ? integerOf(rule, random) : numberOf(rule, random)
    if (node.enum)
      return pick(
        (node.enum as unknown[]).filter((one) => one !== null),
        random,
      )
    if (node.type === 'boolean') return random() < 0.5
    if (node.type === 'array') return listOf(node, place)
    if (node.type === 'object' || node.properties !== undefined) return objectOf(node, place)
    return textOf(node, random)
  }

  function listOf({ items = {}, uniqueItems = false, ...node }: ListSchema, place: string): unknown {
    const { minItems = 0, maxItems = Infinity } = node
    const wanted = Math.min(Math.max(2, minItems), maxItems)
    const list: unknown[] = []
    for (let attempt = 0; list.length < wanted && attempt < 10 * wanted; attempt += 1) {
      const item = valueOf(items, `${place}.${list.length}`)
      if (item === undefined) break
      const isNew = list.every((other) => exactText(other) !== exactText(item))
      if (isNew || (!uniqueItems && list.length < minItems)) list.push(item)
    }
    return list.length >= minItems ? list : undefined
  }

  function objectOf({ properties = {}, required = [], ...node }: ObjectSchema, place: string): unknown {
    const { additionalProperties: additional, minProperties = 0, maxProperties = Infinity } = node
    const others = typeof additional === 'object' ? additional : undefined
    const values = new Map<string, unknown>()
    for (const name of required) {
      const property = Object.hasOwn(properties, name) ? properties[name] : others
      const value = valueOf(property ?? {}, `${place}.${name}`)
      if (value === undefined) return undefined
      values.set(name, value)
    }
    for (const [name, property] of Object.entries(properties)) {
      if (values.has(name) || values.size >= maxProperties || property.writeOnly === true) continue
      const value = valueOf(property, `${place}.${name}`)
      if (value !== undefined) values.set(name, value)
    }
    const names = Object.keys(properties)
    const wanted = Math.min(Math.max(minProperties, names.length === 0 ? 1 : 0), maxProperties)
    for (let index = 1; others && values.size < wanted; index += 1) {
      const value = valueOf(others, `${place}.key${index}`)
      if (value === undefined) break
      values.set(`key${index}`, value)
    }
    const inOrder = [...names.filter((name) => values.has(name)), ...values.keys()]
    return Object.fromEntries(inOrder.map((name) => [name, values.get(name)]))
  }
}

interface ListSchema {
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
}

interface ObjectSchema {
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  minProperties?: number
  maxProperties?: number
}

interface TextSchema {
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
}

type Choices = Partial<Record<'allOf' | 'oneOf' | 'anyOf', Schema[]>>

/** A schema with its `allOf` folded into it, and one choice of its `oneOf` and `anyOf`. */
function merged(schema: Schema, random: Random): Schema {
  const { allOf = [], oneOf = [], anyOf = [], ...own } = schema as Choices
  const choices = [oneOf, anyOf].map((list) => pick(list, random)).filter((one) => one !== undefined)
  // the example of a part need not be one of the whole
  return [...allOf, ...choices]
    .map((part) => merged(part, random))
    .reduce<Schema>((whole, { example: _, ...part }) => both(whole, part), own)
}

/** A schema that asks for what two schemas ask. */
function both(one: Schema, other: Schema): Schema {
  const result: Schema = { ...one, ...other }
  for (const [keyword, value] of Object.entries(one)) {
    if (Object.hasOwn(other, keyword)) result[keyword] = bothOf(keyword, value, other[keyword])
  }
  // null must be allowed by each
  if (one.type !== undefined && other.type !== undefined && one.nullable !== other.nullable) delete result.nullable
  return result
}

function bothOf(keyword: string, one: unknown, other: unknown): unknown {
  if (keyword === numericKeyword) return bothRules(one as NumericRule, other as NumericRule)
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])]
  if (keyword === 'enum') return (one as unknown[]).filter((value) => (other as unknown[]).includes(value))
  if (keyword === 'properties') return bothProperties(one as Record<string, Schema>, other as Record<string, Schema>)
  if (keyword === 'items') return { allOf: [one, other] }
  if (keyword === 'additionalProperties') return one === false || other === false ? false : one
  if (keyword.startsWith('min')) return Math.max(one as number, other as number)
  if (keyword.startsWith('max')) return Math.min(one as number, other as number)
  return keyword === 'uniqueItems' ? one === true || other === true : one
}

function bothProperties(one: Record<string, Schema>, other: Record<string, Schema>): Record<string, Schema> {
  const shared = Object.keys(one).filter((name) => Object.hasOwn(other, name))
  return { ...one, ...other, ...Object.fromEntries(shared.map((name) => [name, { allOf: [one[name], other[name]] }])) }
}

function bothRules(one: NumericRule, other: NumericRule): NumericRule {
  const given = Object.entries(one).filter(([, value]) => value !== undefined)
  const result: NumericRule = { ...other, ...(Object.fromEntries(given) as Partial<NumericRule>) }
  const lower = [one, other]
    .filter(({ minimum }) => minimum !== undefined)
    .sort(byMinimum)
    .at(-1)
  const upper = [one, other]
    .filter(({ maximum }) => maximum !== undefined)
    .sort(byMaximum)
    .at(-1)
  if (lower) Object.assign(result, { minimum: lower.minimum, exclusiveMinimum: lower.exclusiveMinimum })
  if (upper) Object.assign(result, { maximum: upper.maximum, exclusiveMaximum: upper.exclusiveMaximum })
  if (one.type === 'integer' || other.type === 'integer') result.type = 'integer'
  if (one.multipleOf && other.multipleOf) result.multipleOf = one.multipleOf * other.multipleOf
  if (one.enum && other.enum) result.enum = one.enum.filter((value) => other.enum?.includes(value))
  return result
}

/** The stricter one last. */
function byMinimum(a: NumericRule, b: NumericRule): number {
  return (
    compare(a.minimum ?? 0, b.minimum ?? 0) || Number(a.exclusiveMinimum ?? false) - Number(b.exclusiveMinimum ?? false)
  )
}

/** The stricter one last. */
function byMaximum(a: NumericRule, b: NumericRule): number {
  return (
    compare(b.maximum ?? 0, a.maximum ?? 0) || Number(a.exclusiveMaximum ?? false) - Number(b.exclusiveMaximum ?? false)
  )
}

function compare(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isInside(value: number | bigint, { minimum, maximum, ...rule }: NumericRule): boolean {
  if (minimum !== undefined && (rule.exclusiveMinimum ? value <= minimum : value < minimum)) return false
  return maximum === undefined || (rule.exclusiveMaximum ? value < maximum : value <= maximum)
}

/** How far a number goes from its limit. */
const spread = 1000

const ranges: Record<string, [least: bigint, most: bigint]> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [int64Min, int64Max],
}
const safeRange: [least: bigint, most: bigint] = [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)]

/** An integer of any size, as a `number` when that is exact. */
function integerOf(rule: NumericRule, random: Random): number | bigint | undefined {
  const { minimum, maximum, multipleOf = 1 } = rule
  const [least, most] = ranges[rule.format ?? ''] ?? safeRange
  const step = wholeStep(multipleOf)
  const high = lowest(most, maximum === undefined ? most : lastUpTo(maximum, rule.exclusiveMaximum))
  const near = highest(least, lowest(1n, high - BigInt(spread) * step))
  const low = highest(least, minimum === undefined ? near : -lastUpTo(-minimum, rule.exclusiveMinimum))
  const first = low + (((-low % step) + step) % step)
  if (first > high) return undefined
  const steps = Number(lowest((high - first) / step, BigInt(spread)))
  const value = first + step * BigInt(integerTo(steps, random))
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** The last integer up to a limit, or before it. */
function lastUpTo(limit: number | bigint, exclusive = false): bigint {
  const whole = typeof limit === 'bigint' ? limit : BigInt(Math.floor(limit))
  return exclusive && whole >= limit ? whole - 1n : whole
}

function lowest(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The smallest integer that is a multiple of a number, such as 5 for 2.5. */
function wholeStep(of: number): bigint {
  if (Number.isInteger(of)) return BigInt(of)
  const digits = 10 ** 10
  const part = BigInt(Math.round(of * digits))
  let [divisor, rest] = [part, BigInt(digits)]
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest]
  return part === 0n ? 1n : part / divisor
}

function numberOf(rule: NumericRule, random: Random): number | undefined {
  const { multipleOf = 0 } = rule
  const most = rule.maximum === undefined ? Infinity : Number(rule.maximum)
  const low = rule.minimum === undefined ? Math.min(0, most - spread) : Number(rule.minimum)
  const high = Math.min(most, low + spread)
  const candidates =
    multipleOf > 0
      ? [Math.ceil(low / multipleOf), Math.floor(low / multipleOf) + 1].map((times) => times * multipleOf)
      : [low + (high - low) * random(), (low + high) / 2, low, high]
  // without the digits that calculating with doubles leaves behind
  const plain = [...candidates.map((value) => Number(value.toPrecision(multipleOf > 0 ? 15 : 4))), ...candidates]
  return plain.find((value) => isInside(value, rule))
}

const words = 'amber birch cedar delta ember fern grove hazel iris juniper kelp linden maple nettle oak poplar'.split(
  ' ',
)

const formats: Record<string, (word: string, random: Random) => string> = {
  date: (_, random) => day(random),
  'date-time': (_, random) => `${day(random)}T${clock(random)}Z`,
  time: (_, random) => `${clock(random)}Z`,
  duration: (_, random) => `PT${1 + integerTo(58, random)}M`,
  email: (word) => `${word}@example.com`,
  hostname: (word) => `${word}.example.com`,
  ipv4: (_, random) => `192.0.2.${1 + integerTo(253, random)}`,
  ipv6: (_, random) => `2001:db8::${(1 + integerTo(0xfff0, random)).toString(16)}`,
  uri: (word) => `https://example.com/${word}`,
  'uri-reference': (word) => `/${word}`,
  uuid: (_, random) => `${hex(8, random)}-${hex(4, random)}-4${hex(3, random)}-a${hex(3, random)}-${hex(12, random)}`,
}

function textOf({ format = '', pattern, minLength = 0, maxLength = Infinity }: TextSchema, random: Random): unknown {
  if (format === 'byte') return base64(minLength, maxLength, random)
  const fits = (text: string): boolean =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text))
  const word = pick(words, random) ?? ''
  const write = formats[format]
  const text = write ? write(word, random) : plainText(minLength, maxLength, random)
  if (fits(text)) return text
  const longer = write?.(word.padStart(word.length + minLength - text.length, word), random)
  if (longer !== undefined && fits(longer)) return longer
  return pattern === undefined ? undefined : textMatching(pattern, { min: minLength, max: maxLength, random })
}

function plainText(min: number, max: number, random: Random): string {
  let text = pick(words, random) ?? ''
  while (text.length < min) text += ` ${pick(words, random) ?? ''}`
  return text.length <= max ? text : text.slice(0, max).replace(/ $/, 'a')
}

function base64(min: number, max: number, random: Random): string {
  const groups = Math.min(Math.max(2, Math.ceil(min / 4)), Math.floor(max / 4))
  return Buffer.from(Array.from({ length: 3 * groups }, () => integerTo(255, random))).toString('base64')
}

function day(random: Random): string {
  return `2026-${twoDigits(1 + integerTo(11, random))}-${twoDigits(1 + integerTo(27, random))}`
}

function clock(random: Random): string {
  return [23, 59, 59].map((most) => twoDigits(integerTo(most, random))).join(':')
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function hex(length: number, random: Random): string {
  return Array.from({ length }, () => integerTo(15, random).toString(16)).join('')
}
