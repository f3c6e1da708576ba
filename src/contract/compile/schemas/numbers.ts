import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { int64Max, int64Min, isNumber, numberFrom, valueText } from '../../../integers.ts'
import { kept } from '../../../kept.ts'
import { isMultiple } from '../../model/keywords.ts'
import { numericKeyword } from '../../exchange/keywords.ts'

/** The rules of an OpenAPI 3.0 schema for a number. Without a type they leave other values alone. */
export interface NumericRule {
  type?: 'integer' | 'number'
  /** The types beside it, of which a value may be as well. */
  others?: string[]
  format?: string
  nullable?: boolean
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  enum?: unknown[]
}

/** Keywords that the rule takes over from a schema. */
export const numericKeywords: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/** The rule of a schema for numbers, in which no digit of a limit is lost; undefined when it has none. */
export function numericRuleOf(schema: Record<string, unknown>): NumericRule | undefined {
  const { format, nullable } = schema
  const types = [schema.type].flat()
  const type = types.includes('number') ? 'number' : types.includes('integer') ? 'integer' : undefined
  const limits = Object.entries(schema).filter(([keyword]) => numericKeywords.has(keyword))
  if (type === undefined) {
    const values = isBeyondAjv(schema.enum) ? { enum: schema.enum } : {}
    const rule: NumericRule = { ...(schema.type === undefined ? Object.fromEntries(limits) : {}), ...values }
    return Object.keys(rule).length > 0 ? rule : undefined
  }
  const others = types.filter((one) => one !== 'integer' && one !== 'number')
  const more = others.length > 0 ? { others } : {}
  return { ...Object.fromEntries(limits), type, ...more, format, nullable, enum: schema.enum } as NumericRule
}

/** Whether Ajv fails to compare with a value: with a bigint, and with objects that have a name like `toString`. */
function isBeyondAjv(values: unknown): values is unknown[] {
  return Array.isArray(values) && values.some((one) => one !== null && ['bigint', 'object'].includes(typeof one))
}

/**
 * The keyword's check. With `convert`, the number is replaced by what handlers receive: `bigint` for int64, else
 * `number`. With `fromText`, the number may be the text of a parameter, written as JSON writes numbers. With `wide`, an
 * integer without a format may have any size, since no handler receives it.
 */
export function numericDefinition({
  fromText = false,
  convert = false,
  wide = false,
}: {
  fromText?: boolean | undefined
  convert?: boolean | undefined
  wide?: boolean | undefined
}): FuncKeywordDefinition {
  return {
    keyword: numericKeyword,
    modifying: convert,
    errors: true,
    compile(rule: NumericRule) {
      const mayBeOther = rule.type === undefined || rule.others !== undefined
      const check: DataValidateFunction = (data: unknown, context) => {
        if (data === null && rule.nullable) return true
        const isOther = mayBeOther && !isNumber(data) && isOfOthers(data, rule)
        const value = fromText && !isOther && typeof data === 'string' ? fromDigits(data, rule) : data
        const fault = isOther ? enumFault(data, rule) : numberFault(value, rule, wide)
        if (fault) {
          check.errors = [fault]
          return false
        }
        if (convert && context && !isOther && rule.type !== undefined) {
          const parent = context.parentData as Record<string | number, unknown>
          parent[context.parentDataProperty] =
            rule.format === 'int64' ? BigInt(value as number | bigint) : Number(value) + 0
        }
        return true
      }
      return check
    },
  }
}

/** Whether other keywords judge a value: the rule names no type, or the value is of one of the types beside it. */
function isOfOthers(value: unknown, { type, others }: NumericRule): boolean {
  if (type === undefined) return true
  if (others === undefined) return false
  return others.includes(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
}

function fromDigits(text: string, { type }: NumericRule): unknown {
  return numberFrom(text, { onlyIntegers: type !== 'number' }) ?? text
}

interface Fault {
  keyword: string
  message: string
  params: Record<string, unknown>
}

function numberFault(value: unknown, rule: NumericRule, wide: boolean): Fault | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isFinite(value))) {
    const type = [rule.type ?? 'number', ...(rule.others ?? [])]
    return { keyword: 'type', message: `must be ${type.join()}`, params: { type } }
  }
  if (rule.type === 'number' && !Number.isFinite(Number(value))) {
    return { keyword: 'format', message: 'must fit a double', params: {} }
  }
  if (rule.type === 'integer' && typeof value === 'number' && !Number.isInteger(value)) {
    return { keyword: 'type', message: 'must be integer', params: { type: 'integer' } }
  }
  const format = formatFault(value, rule, wide)
  if (format) return format
  const { minimum, maximum, multipleOf } = rule
  if (minimum !== undefined && (rule.exclusiveMinimum ? value <= minimum : value < minimum)) {
    return bound('minimum', rule.exclusiveMinimum ? '>' : '>=', minimum)
  }
  if (maximum !== undefined && (rule.exclusiveMaximum ? value >= maximum : value > maximum)) {
    return bound('maximum', rule.exclusiveMaximum ? '<' : '<=', maximum)
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    return { keyword: 'multipleOf', message: `must be multiple of ${multipleOf}`, params: { multipleOf } }
  }
  return enumFault(value, rule)
}

function enumFault(value: unknown, { enum: values }: NumericRule): Fault | undefined {
  if (!values || isIn(values, value)) return undefined
  return { keyword: 'enum', message: 'must be one of the allowed values', params: { allowedValues: values } }
}

/** The scalars of enums, by what only equal ones share. */
const scalars = new WeakMap<readonly unknown[], ReadonlySet<string>>()

function isIn(values: readonly unknown[], value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return values.some((allowed) => isEqual(allowed, value))
  const texts = (): Set<string> =>
    new Set(values.filter((one) => typeof one !== 'object' || one === null).map(valueText))
  return kept(scalars, values, texts).has(valueText(value))
}

/** Whether two values of JSON are equal; integers also where one of them is a `bigint`. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    // 1 and 1n are the same number
    return one === other || (isNumber(one) && isNumber(other) && one <= other && one >= other)
  }
  const [entries, others] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    Array.isArray(one) === Array.isArray(other) &&
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isEqual(value, others.get(key)))
  )
}

function formatFault(value: number | bigint, { type, format }: NumericRule, wide: boolean): Fault | undefined {
  if (type !== 'integer') return undefined
  const fits =
    format === 'int64'
      ? value >= int64Min && value <= int64Max
      : format === 'int32'
        ? value >= -(2 ** 31) && value < 2 ** 31
        : wide || (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)
  return fits ? undefined : { keyword: 'format', message: `must fit ${format ?? 'a safe integer'}`, params: { format } }
}

function bound(keyword: string, comparison: string, limit: number | bigint): Fault {
  return { keyword, message: `must be ${comparison} ${limit}`, params: { comparison, limit } }
}
