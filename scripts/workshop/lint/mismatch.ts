import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isKnownFormat } from '../../../src/contract/model/formats.ts'
import { exactText } from '../../../src/contract/integers.ts'
import { isNode, listOf, nodeOf, targetOf, type Node } from '../../../src/contract/model/tree.ts'
import { isOfJsonSchema } from '../../../src/contract/model/version.ts'

/** Why a schema does not accept a value, as the end of a sentence; undefined if it does. Formats are not checked. */
export function mismatch(root: unknown, schema: unknown, value: unknown): string | undefined {
  const node = targetOf(root, schema)?.node ?? {}
  const parts = listOf(node.allOf).map((part) => mismatch(root, part, value))
  const choices = [node.oneOf, node.anyOf].map(listOf).filter((list) => list.length > 0)
  const types = typesOf(node)
  if (value === null && (node.nullable === true || (types.length === 0 && !isOfJsonSchema(root)))) return undefined
  if (value === null && types.length > 0 && !types.includes('null')) return 'is null, which is not allowed'
  const fitting = (list: readonly unknown[]): number =>
    list.filter((one) => mismatch(root, one, value) === undefined).length
  const isChosen = choices.every((list) => fitting(list) > 0)
  const isTwice = fitting(listOf(node.oneOf)) > 1
  const isExcluded = isNode(node.not) && mismatch(root, node.not, value) === undefined
  return (
    typeMismatch(node, value) ??
    (Array.isArray(node.enum) && !node.enum.some((one) => exactText([one]) === exactText([value]))
      ? 'is not a value of its enum'
      : undefined) ??
    limitMismatch(node, value) ??
    formatMismatch(node, value) ??
    inner(root, node, value) ??
    parts.find((part) => part !== undefined) ??
    (isChosen ? undefined : 'fits no alternative') ??
    (isTwice ? 'fits more than one alternative' : undefined) ??
    (isExcluded ? 'is what the schema excludes' : undefined)
  )
}

function typesOf({ type }: Node): string[] {
  return [type].flat().filter((one) => typeof one === 'string')
}

function typeMismatch(node: Node, value: unknown): string | undefined {
  const types = typesOf(node)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const fits: Record<string, boolean> = {
    string: typeof value === 'string',
    boolean: typeof value === 'boolean',
    number: isNumber,
    integer: isNumber && (typeof value === 'bigint' || Number.isInteger(value)),
    array: Array.isArray(value),
    object: isNode(value),
    null: value === null,
  }
  return types.length === 0 || types.some((type) => fits[type] !== false)
    ? undefined
    : `is not of the type ${types.join(' or ')}`
}

/** Checks of `ajv-formats` for the formats that the service checks. */
const checks: Readonly<Record<string, unknown>> = fullFormats

function formatMismatch({ format, type }: Node, value: unknown): string | undefined {
  if (format === 'int32' && type === 'integer' && typeof value !== 'object') {
    return Number(value) !== (Number(value) | 0) ? 'is outside 32 bits' : undefined
  }
  if (typeof value !== 'string' || typeof format !== 'string' || !isKnownFormat(format)) return undefined
  const known = Object.hasOwn(checks, format) ? checks[format] : undefined
  const test = isNode(known) && 'validate' in known ? known.validate : known
  const isRight =
    test instanceof RegExp
      ? test.test(value)
      : typeof test === 'function'
        ? (test as (text: string) => unknown)(value) === true
        : true
  return isRight ? undefined : `is no ${format}`
}

function limitMismatch(node: Node, value: unknown): string | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = node as Record<
    string,
    number | undefined
  >
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (minimum !== undefined && (value < minimum || (node.exclusiveMinimum === true && value <= minimum)))
      return `is below the minimum ${minimum}`
    if (maximum !== undefined && (value > maximum || (node.exclusiveMaximum === true && value >= maximum)))
      return `is above the maximum ${maximum}`
    const { multipleOf } = node
    if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(Number(value), multipleOf))
      return `is no multiple of ${multipleOf}`
  }
  const [size, least, most] =
    typeof value === 'string'
      ? [Array.from(value).length, minLength, maxLength]
      : [listOf(value).length, minItems, maxItems]
  if ((typeof value === 'string' || Array.isArray(value)) && size < (least ?? 0)) return `is shorter than ${least ?? 0}`
  if ((typeof value === 'string' || Array.isArray(value)) && size > (most ?? Infinity))
    return `is longer than ${most ?? ''}`
  return typeof value === 'string' && pattern !== undefined && !matches(pattern, value)
    ? 'does not match its pattern'
    : undefined
}

/** Whether a number is a multiple, but for the rounding of a division. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON * 2
}

/** Whether a text matches; also for a pattern that is none, which is a fault of its own. */
function matches(pattern: unknown, text: string): boolean {
  try {
    return new RegExp(String(pattern), 'u').test(text)
  } catch {
    return true
  }
}

function inner(root: unknown, node: Node, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((item) => exactText([item]))
    if (node.uniqueItems === true && new Set(texts).size < texts.length) return 'has an item twice'
    const first = listOf(node.prefixItems)
    return value
      .map((item, index) => mismatch(root, index < first.length ? first[index] : node.items, item))
      .find((one) => one !== undefined)
  }
  if (!isNode(value)) return undefined
  const properties = nodeOf(node.properties)
  const missing = listOf(node.required)
    .map(String)
    .find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `lacks the property ${missing}`
  const { minProperties, maxProperties, additionalProperties: others } = node
  const count = Object.keys(value).length
  if (typeof minProperties === 'number' && count < minProperties) return `has less than ${minProperties} properties`
  if (typeof maxProperties === 'number' && count > maxProperties) return `has more than ${maxProperties} properties`
  const isOther = (name: string): boolean => !Object.hasOwn(properties, name) && node.patternProperties === undefined
  const unknown = others === false ? Object.keys(value).find(isOther) : undefined
  if (unknown !== undefined) return `has the property ${unknown}, which is not allowed`
  return Object.entries(value)
    .map(([name, child]) => mismatch(root, isOther(name) ? others : properties[name], child))
    .find((one) => one !== undefined)
}
