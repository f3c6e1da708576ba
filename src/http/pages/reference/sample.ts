import { LosslessNumber, stringify } from 'lossless-json'
import type { Value } from '../../../contract/model/value.ts'
import { deref } from './described.ts'
import { typesIn } from './schema.ts'

/** How deep the parts of a value that is made up may lie in each other. */
const deepest = 6

/** A value for a schema: its example, or one that is made up from its keywords. `forRequest` leaves out what is read alone. */
export function sampleOf(schema: Value, forRequest: boolean): unknown {
  return valueOf(schema, [])

  function valueOf(written: Value, open: readonly unknown[]): unknown {
    const target = deref(written)
    const { example, default: usual, const: only } = target.node
    const given = example ?? target.get('examples', '0') ?? usual ?? only ?? target.get('enum', '0')
    if (given !== undefined) return given
    const key = written.get('$ref') ?? written.value
    if (open.length > deepest || open.includes(key)) return undefined
    const inside = [...open, key]
    const combined = combination(target, inside)
    if (combined !== undefined && (!target.field('properties').isThere || !isObject(combined))) return combined
    const type = typesIn(target).find((one) => one !== '' && one !== 'null') ?? typeByKeywords(target)
    if (type === 'object') return { ...(isObject(combined) ? combined : {}), ...properties(target, inside) }
    if (type === 'array') return items(target, inside)
    return scalar(target.node, type ?? '')
  }

  /** The parts of an `allOf` together, or the first alternative that has a value. */
  function combination(target: Value, open: readonly unknown[]): unknown {
    const [all = [], ...alternatives] = ['allOf', 'oneOf', 'anyOf'].map((keyword) =>
      target.field(keyword).items.map((part) => valueOf(part, open)),
    )
    const parts = [...all, alternatives.flat().find((value) => value !== undefined)].filter((one) => one !== undefined)
    return parts.every(isObject) && parts.length > 0 ? Object.assign({}, ...parts) : parts[0]
  }

  function properties(target: Value, open: readonly unknown[]): object {
    const required = target.field('required').list
    const made = target.field('properties').entries.flatMap(([name, part]) => {
      const { readOnly, writeOnly, deprecated } = deref(part).node
      const isLeftOut = forRequest ? readOnly === true : writeOnly === true
      if (isLeftOut || (deprecated === true && !required.includes(name))) return []
      const value = valueOf(part, open)
      return value === undefined ? [] : [[name, value] as const]
    })
    const others = target.field('additionalProperties')
    const other = made.length === 0 && isObject(others.value) ? valueOf(others, open) : undefined
    return Object.fromEntries(other === undefined ? made : [['name', other]])
  }

  function items(target: Value, open: readonly unknown[]): unknown[] {
    const own = target.field('items')
    const value = own.isThere ? valueOf(own, open) : undefined
    const length = Math.min(Math.max(1, Number(target.get('minItems') ?? 1)), 3)
    return value === undefined ? [] : Array.from({ length }, () => value)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
}

function typeByKeywords({ node: { properties, additionalProperties, items } }: Value): string | undefined {
  if (properties !== undefined || additionalProperties !== undefined) return 'object'
  return items === undefined ? undefined : 'array'
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

function scalar(node: Value['node'], type: string): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return number(node, type === 'integer')
  if (type !== 'string') return undefined
  const text = texts[String(node.format)] ?? 'text'
  const [least, most] = [Number(node.minLength ?? 0), Number(node.maxLength ?? Infinity)]
  return text.padEnd(least, 'x').slice(0, most)
}

/** The least number that is allowed, or the greatest one, or 1. */
function number(node: Value['node'], whole: boolean): unknown {
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
export function exampleOf(holder: Value, forRequest: boolean): unknown {
  const [first] = holder.field('examples').entries
  return (
    holder.get('example') ?? (first && deref(first[1]).get('value')) ?? sampleOf(holder.field('schema'), forRequest)
  )
}
