import { LosslessNumber, stringify } from 'lossless-json'
import { entriesOf, listOf, nodeOf, textOf, type Described, type Node } from './described.ts'

/** How deep the parts of a value that is made up may lie in each other. */
const deepest = 6

/** A value for a schema: its example, or one that is made up from its keywords. `forRequest` leaves out what is read alone. */
export function sampleOf(resolve: Described['resolve'], schema: unknown, forRequest: boolean): unknown {
  return valueOf(schema, [])

  function valueOf(written: unknown, open: readonly unknown[]): unknown {
    const node = resolve(written)
    const given = node.example ?? listOf(node.examples)[0] ?? node.default ?? node.const ?? listOf(node.enum)[0]
    if (given !== undefined) return given
    const key = nodeOf(written).$ref ?? node
    if (open.length > deepest || open.includes(key)) return undefined
    const inside = [...open, key]
    const combined = combination(node, inside)
    if (combined !== undefined && (node.properties === undefined || !isObject(combined))) return combined
    const types = [node.type].flat().map(textOf)
    const type = types.find((one) => one !== '' && one !== 'null') ?? typeByKeywords(node)
    if (type === 'object') return { ...nodeOf(combined), ...properties(node, inside) }
    if (type === 'array') return items(node, inside)
    return scalar(node, type ?? '')
  }

  /** The parts of an `allOf` together, or the first alternative that has a value. */
  function combination({ allOf, oneOf, anyOf }: Node, open: readonly unknown[]): unknown {
    const all = listOf(allOf).map((part) => valueOf(part, open))
    const alternatives = [...listOf(oneOf), ...listOf(anyOf)].map((part) => valueOf(part, open))
    const parts = [...all, alternatives.find((value) => value !== undefined)].filter((value) => value !== undefined)
    return parts.every(isObject) && parts.length > 0 ? Object.assign({}, ...parts) : parts[0]
  }

  function properties({ properties: own, additionalProperties, required }: Node, open: readonly unknown[]): object {
    const made = entriesOf(own).flatMap(([name, part]) => {
      const { readOnly, writeOnly, deprecated } = resolve(part)
      const isLeftOut = forRequest ? readOnly === true : writeOnly === true
      if (isLeftOut || (deprecated === true && !listOf(required).includes(name))) return []
      const value = valueOf(part, open)
      return value === undefined ? [] : [[name, value] as const]
    })
    const other = made.length === 0 && isObject(additionalProperties) ? valueOf(additionalProperties, open) : undefined
    return Object.fromEntries(other === undefined ? made : [['name', other]])
  }

  function items({ items: own, minItems }: Node, open: readonly unknown[]): unknown[] {
    const value = own === undefined ? undefined : valueOf(own, open)
    return value === undefined
      ? []
      : Array.from({ length: Math.min(Math.max(1, Number(minItems ?? 1)), 3) }, () => value)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
}

function typeByKeywords(node: Node): string | undefined {
  if (node.properties !== undefined || node.additionalProperties !== undefined) return 'object'
  return node.items === undefined ? undefined : 'array'
}

/** Texts of the formats that have one, by their names. */
const texts: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  uuid: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'YW5pbWFs',
}

function scalar(node: Node, type: string): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return number(node, type === 'integer')
  if (type !== 'string') return undefined
  const text = texts[String(node.format)] ?? 'text'
  const [least, most] = [Number(node.minLength ?? 0), Number(node.maxLength ?? Infinity)]
  return text.padEnd(least, 'x').slice(0, most)
}

/** The least number that is allowed, or the greatest one, or 1. */
function number(node: Node, whole: boolean): unknown {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node
  const step = multipleOf === undefined ? (whole ? 1 : 0.5) : Number(multipleOf)
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum
  if (typeof above === 'number') return Math.floor(above / step) * step + step
  if (typeof minimum === 'number') return Math.ceil(minimum / step) * step
  if (typeof minimum === 'bigint') return minimum
  if (typeof below === 'number') return below > 1 ? 1 : Math.ceil(below / step) * step - step
  if (typeof maximum === 'number' && maximum < 1) return Math.floor(maximum / step) * step
  return multipleOf === undefined ? 1 : step
}

/** A value as JSON in lines, with every digit. */
export function jsonOf(value: unknown): string {
  return stringify(value, undefined, 2) ?? ''
}

/** The example of a media type, or of a parameter: the given one, or one that its schema has or allows. */
export function exampleOf(resolve: Described['resolve'], holder: Node, forRequest: boolean): unknown {
  const [first] = Object.values(nodeOf(holder.examples))
  return holder.example ?? resolve(first).value ?? sampleOf(resolve, holder.schema ?? {}, forRequest)
}
