import { exactText } from '../../../src/contract/integers.ts'
import { isNode, listOf, nodeOf, targetOf, type Node } from '../../../src/contract/document/tree.ts'
import { isOfJsonSchema } from '../../../src/contract/document/version.ts'

/** Why a schema does not accept a value, as the end of a sentence; undefined if it does. Formats are not checked. */
export function mismatch(root: unknown, schema: unknown, value: unknown): string | undefined {
  const node = targetOf(root, schema)?.node ?? {}
  const parts = listOf(node.allOf).map((part) => mismatch(root, part, value))
  const choices = [node.oneOf, node.anyOf].map(listOf).filter((list) => list.length > 0)
  const types = typesOf(node)
  if (value === null && (node.nullable === true || (types.length === 0 && !isOfJsonSchema(root)))) return undefined
  if (value === null && types.length > 0 && !types.includes('null')) return 'is null, which is not allowed'
  const isChosen = choices.every((list) => list.some((one) => mismatch(root, one, value) === undefined))
  return (
    typeMismatch(node, value) ??
    (Array.isArray(node.enum) && !node.enum.some((one) => exactText([one]) === exactText([value]))
      ? 'is not a value of its enum'
      : undefined) ??
    limitMismatch(node, value) ??
    inner(root, node, value) ??
    parts.find((part) => part !== undefined) ??
    (isChosen ? undefined : 'fits no alternative')
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
  return Object.entries(value)
    .map(([name, child]) => (Object.hasOwn(properties, name) ? mismatch(root, properties[name], child) : undefined))
    .find((one) => one !== undefined)
}
