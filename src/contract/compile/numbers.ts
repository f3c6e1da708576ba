import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { exactInteger, int64Max, int64Min } from '../integers.ts'

/**
 * The keyword that replaces `type: integer` and `type: number` in compiled schemas. Ajv does not know `bigint`, and
 * converts strings such as `0x10` and `1e1` to numbers, so it cannot keep an int64 exact
 * (ajv-validator/ajv-formats#99).
 */
export const numericKeyword = 'x-numeric'

/** The rules of an OpenAPI 3.0 schema for a number. */
export interface NumericRule {
  type: 'integer' | 'number'
  format?: string
  nullable?: boolean
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  enum?: (number | bigint | null)[]
}

const formats = { integer: ['int32', 'int64'], number: ['float', 'double'] }

/**
 * Moves the rules for a number from a schema into the numeric keyword, where no digit of a limit is lost and exclusive
 * limits have their meaning of OpenAPI 3.0. Type, format and nullable also stay in the schema. A rule that makes no
 * sense throws an error that begins with its place; `placeOf` is called only then.
 */
export function takeNumericRule(schema: Record<string, unknown>, placeOf: () => string): void {
  const { type, format, nullable, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const refuse = (what: string): never => {
    throw new Error(`${placeOf()} ${what}`)
  }
  if (type !== 'integer' && type !== 'number') return
  if (format !== undefined && !(typeof format === 'string' && formats[type].includes(format))) {
    refuse(`The format ${JSON.stringify(format)} of this ${type} is not known; use ${formats[type].join(' or ')}.`)
  }
  for (const limit of [minimum, maximum, multipleOf]) {
    if (limit !== undefined && typeof limit !== 'number' && typeof limit !== 'bigint')
      refuse('A limit must be a number.')
  }
  for (const exclusive of [exclusiveMinimum, exclusiveMaximum]) {
    if (exclusive !== undefined && typeof exclusive !== 'boolean') {
      refuse('An exclusive limit is written "minimum: 0" with "exclusiveMinimum: true" in OpenAPI 3.0.')
    }
  }
  if (typeof schema.default === 'bigint') refuse('A default beyond 2^53 - 1 is not supported.')
  const limits = { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, enum: schema.enum }
  for (const keyword of Object.keys(limits)) Reflect.deleteProperty(schema, keyword)
  schema[numericKeyword] = { type, format, nullable, ...limits }
}

/**
 * The keyword's check. With `convert`, the number is replaced by what handlers receive: `bigint` for int64, else
 * `number`. With `fromText`, the number may be the text of a parameter, written as JSON writes numbers.
 */
export function numericDefinition({
  fromText = false,
  convert = false,
}: {
  fromText?: boolean
  convert?: boolean
}): FuncKeywordDefinition {
  return {
    keyword: numericKeyword,
    modifying: convert,
    errors: true,
    compile(rule: NumericRule) {
      const check: DataValidateFunction = (data: unknown, context) => {
        if (data === null && rule.nullable) return true
        const value = fromText && typeof data === 'string' ? fromDigits(data, rule) : data
        const fault = numberFault(value, rule)
        if (fault) {
          check.errors = [fault]
          return false
        }
        if (convert && context) {
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

function fromDigits(text: string, { type }: NumericRule): unknown {
  if (/^(?:0|-?[1-9][0-9]*)$/.test(text)) return exactInteger(text)
  if (type === 'number' && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number(text)
  return text
}

interface Fault {
  keyword: string
  message: string
  params: Record<string, unknown>
}

function numberFault(value: unknown, rule: NumericRule): Fault | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isFinite(value))) {
    return { keyword: 'type', message: `must be ${rule.type}`, params: { type: rule.type } }
  }
  if (rule.type === 'number' && !Number.isFinite(Number(value))) {
    return { keyword: 'format', message: 'must fit a double', params: {} }
  }
  if (rule.type === 'integer' && typeof value === 'number' && !Number.isInteger(value)) {
    return { keyword: 'type', message: 'must be integer', params: { type: 'integer' } }
  }
  const format = formatFault(value, rule)
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
  if (rule.enum && !rule.enum.some((allowed) => String(allowed) === String(value))) {
    return { keyword: 'enum', message: 'must be one of the allowed values', params: { allowedValues: rule.enum } }
  }
  return undefined
}

function formatFault(value: number | bigint, { type, format }: NumericRule): Fault | undefined {
  if (type !== 'integer') return undefined
  const fits =
    format === 'int64'
      ? value >= int64Min && value <= int64Max
      : format === 'int32'
        ? value >= -(2 ** 31) && value < 2 ** 31
        : value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
  return fits ? undefined : { keyword: 'format', message: `must fit ${format ?? 'a safe integer'}`, params: { format } }
}

function bound(keyword: string, comparison: string, limit: number | bigint): Fault {
  return { keyword, message: `must be ${comparison} ${limit}`, params: { comparison, limit } }
}

/** Allows for rounding: as doubles, 0.07 is not exactly a multiple of 0.01. */
function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === 'bigint' && Number.isInteger(of)) return value % BigInt(of) === 0n
  const times = Number(value) / of
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 4 * Number.EPSILON
}
