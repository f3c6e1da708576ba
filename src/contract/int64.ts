import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'

/**
 * The keyword that stands in for `type: integer` and `type: number` in compiled schemas. Ajv knows no `bigint` and
 * turns strings such as `0x10` and `1e1` into numbers, so it cannot keep an int64 exact (ajv-validator/ajv-formats#99).
 */
export const numericKeyword = 'x-numeric'

/** What a number must be, taken from an OpenAPI 3.0 schema. */
export interface NumericRule {
  type: 'integer' | 'number'
  format?: string
  nullable?: boolean
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  enum?: (number | bigint | null)[]
}

/** The keywords of a schema that the numeric keyword takes over. */
export const numericRules = [
  'type',
  'format',
  'nullable',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
] as const

/**
 * Checks a number and writes it back as handlers get it: `bigint` for int64, else `number`. With `fromText` it takes
 * the text of a parameter, in the one spelling that JSON gives a number; otherwise only a number or a `bigint`.
 */
export function numericDefinition({ fromText }: { fromText: boolean }): FuncKeywordDefinition {
  return {
    keyword: numericKeyword,
    modifying: true,
    errors: true,
    compile(rule: NumericRule) {
      const check: DataValidateFunction = (data: unknown, context) => {
        if (data === null && rule.nullable) return true
        const value = fromText && typeof data === 'string' ? fromDigits(data, rule) : data
        const fault = faultOf(value, rule)
        if (fault) {
          check.errors = [fault]
          return false
        }
        if (context) {
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

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

function fromDigits(text: string, { type }: NumericRule): unknown {
  if (/^(?:0|-?[1-9][0-9]*)$/.test(text)) return exactInteger(text)
  if (type === 'number' && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number(text)
  return text
}

/** A JSON integer without fraction or exponent, as a `number` when that is exact. */
export function exactInteger(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

interface Fault {
  keyword: string
  message: string
  params: Record<string, unknown>
}

function faultOf(value: unknown, rule: NumericRule): Fault | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isFinite(value))) {
    return { keyword: 'type', message: `must be ${rule.type}`, params: { type: rule.type } }
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

function bound(keyword: string, comparison: string, limit: number): Fault {
  return { keyword, message: `must be ${comparison} ${limit}`, params: { comparison, limit } }
}

function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === 'bigint' && Number.isInteger(of)) return value % BigInt(of) === 0n
  return Number.isInteger(Number(value) / of)
}
