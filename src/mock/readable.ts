import { pathOf, type Node } from '../contract/model/node.ts'
import { readableText, wordsOf } from './words.ts'

/**
 * A value in the place of a random one, which people can read: a text that fits the name of its property, a number of two
 * digits after the point. It depends on the place alone, and on `attempt`. Where the schema asks for another one, the random
 * one is kept. `pointer` leads to the value.
 */
export function readable(value: unknown, schema: Node, pointer: string, attempt: number): unknown {
  if (schema.enum !== undefined || schema.const !== undefined) return value
  if (typeof value === 'number') return rounded(value, schema)
  const isText = typeof value === 'string' || (value === null && [schema.type].flat().includes('string'))
  if (!isText || schema.contentEncoding !== undefined || schema.contentMediaType !== undefined) return value
  const keys = pathOf(pointer).filter((key) => key !== '')
  const named = keys.filter((key) => !/^\d+$/.test(key))
  const number = keys.reduce((sum, key) => sum + (/^\d+$/.test(key) ? Number(key) : 0), hash(named.join('/')) + attempt)
  const format = typeof schema.format === 'string' ? schema.format : undefined
  const text = readableText(spoken(named), format, number)
  if (text === undefined) return value
  return variants(text, schema).find((one) => fits(one, schema)) ?? value
}

/** The words of the name of a property in any spelling. A `name` alone is that of what it is in. */
function spoken(named: readonly string[]): string {
  const [outer = '', own = ''] = ['', '', ...named].slice(-2).map(wordsOf)
  return /^names?$/.test(own) ? `${outer} ${own}`.trim() : own
}

/** A text in the spellings that a pattern may ask for. */
function variants(text: string, schema: Node): string[] {
  const small = text.toLowerCase()
  const spellings = [text, small, small.replaceAll(/[^a-z0-9]+/g, '-'), small.replaceAll(/[^a-z0-9]+/g, '_')]
  const [first = ''] = text.split(/[^A-Za-z0-9]/)
  return [...spellings, text.toUpperCase(), first, first.toLowerCase(), first.toUpperCase()].map((one) =>
    sized(one, schema),
  )
}

/** A text that is as long as a schema asks for. */
function sized(text: string, { minLength, maxLength }: Node): string {
  const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Infinity)]
  const long = text.length >= least ? text : `${text} `.repeat(Math.ceil(least / (text.length + 1)) + 1)
  if (long.length <= most && text.length >= least) return long
  const cut = long.slice(0, Math.min(most, Math.max(least, text.length)))
  const words = cut.replace(/\s+\S*$/, '')
  return (words.length >= least && most < text.length ? words : cut).replace(/\s$/, '.')
}

function fits(text: string, { minLength, maxLength, pattern }: Node): boolean {
  if (text.length < Number(minLength ?? 0) || text.length > Number(maxLength ?? Infinity)) return false
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

function rounded(value: number, { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Node): number {
  const near = Number(value.toFixed(2))
  const isIn =
    near >= Number(minimum ?? -Infinity) &&
    near <= Number(maximum ?? Infinity) &&
    near > Number(exclusiveMinimum ?? -Infinity) &&
    near < Number(exclusiveMaximum ?? Infinity)
  return multipleOf === undefined && isIn ? near : value
}

/** A number of 30 bits that stands for a text (FNV-1a). */
function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193)
  return (bits ^ (bits >>> 15)) & 0x3fffffff
}
