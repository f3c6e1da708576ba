import { numberFrom } from '../../integers.ts'
import type { Shape } from '../model/shape.ts'

/** Gives the value that a text stands for, or several of the same name. Texts that stand for none stay as they are. */
export type FromTexts = (texts: unknown) => unknown

/**
 * Compiles the coercion of texts to the types of a schema: of parameters, and of fields of forms. Undefined when there is
 * nothing to convert: the validators themselves read the numbers of a schema whose parts all ask for numbers.
 */
export function fromTexts(shape: Shape): FromTexts | undefined {
  const open = new Map<string, FromTexts>()
  return compiled(shape)

  function compiled(of: Shape): FromTexts | undefined {
    const { key, types } = of
    const known = open.get(key)
    if (known) return known
    // a schema may contain itself
    let convert: FromTexts | undefined
    open.set(key, (value) => (convert ? convert(value) : value))
    if (types.has('object')) convert = objectFrom(of)
    else if (types.has('array')) convert = listFrom(of)
    else convert = scalarFrom(of)
    open.delete(key)
    return convert
  }

  function objectFrom(of: Shape): FromTexts {
    const { properties, others } = of
    const fields = new Map(Array.from(properties, ([name, field]) => [name, compiled(field)] as const))
    const other = others && compiled(others)
    const scalar = scalarFrom(of)
    return (value) => {
      if (typeof value === 'string') return scalar ? scalar(value) : value
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const result: [string, unknown][] = Object.entries(value).map(([name, text]) => {
        const convert = fields.has(name) ? fields.get(name) : other
        return [name, convert ? convert(text) : text]
      })
      return Object.fromEntries(result)
    }
  }

  function listFrom(of: Shape): FromTexts | undefined {
    const { items, firstItems } = of
    const item = items && compiled(items)
    const first = firstItems.map(compiled)
    const scalar = scalarFrom(of)
    if (!item && !scalar && first.length === 0) return undefined
    const convert = (value: unknown, index: number): unknown =>
      (index < first.length ? first[index] : item)?.(value) ?? value
    return (value) => (Array.isArray(value) ? value.map(convert) : scalar ? scalar(value) : value)
  }
}

function scalarFrom({ types, parts }: Shape): FromTexts | undefined {
  const onlyIntegers = !types.has('number')
  const numbers = types.has('integer') || types.has('number')
  const onlyNumbers = numbers && [...types].every((type) => type === 'integer' || type === 'number')
  const booleans = types.has('boolean')
  const areRead = onlyNumbers && parts.every((part) => part.types.length > 0 && !part.has('not'))
  if (areRead || (!numbers && !booleans)) return undefined
  return (value) => {
    if (booleans && value === 'true') return true
    if (booleans && value === 'false') return false
    return numbers && typeof value === 'string' ? (numberFrom(value, { onlyIntegers }) ?? value) : value
  }
}
