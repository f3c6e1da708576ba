import { exactInteger } from '../integers.ts'
import { firstItemsOf, itemsOf, othersOf, partsOf, propertiesOf, together, typesOf } from '../compile/schemas/parts.ts'

/** Gives the value that a text stands for, or several of the same name. Texts that stand for none stay as they are. */
export type FromTexts = (texts: unknown) => unknown

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/

/**
 * Compiles a schema into the conversion of texts to its types: of parameters, and of fields of forms. Undefined when
 * there is nothing to convert: the validators themselves read the numbers of a schema that allows nothing else.
 */
export function fromTexts(root: unknown, schema: unknown): FromTexts | undefined {
  const open = new Map<unknown, FromTexts>()
  return compiled(schema)

  function compiled(of: unknown): FromTexts | undefined {
    const known = open.get(of)
    if (known) return known
    const parts = partsOf(root, of)
    const types = typesOf(parts)
    // a schema may contain itself
    let convert: FromTexts | undefined
    open.set(of, (value) => (convert ? convert(value) : value))
    if (types.has('object')) convert = objectFrom(parts, types)
    else if (types.has('array')) convert = listFrom(parts)
    else convert = scalarFrom(types)
    open.delete(of)
    return convert
  }

  function objectFrom(parts: ReturnType<typeof partsOf>, types: ReadonlySet<string>): FromTexts {
    const fields = new Map(
      Array.from(propertiesOf(parts), ([name, schemas]) => [name, compiled(together(schemas))] as const),
    )
    const others = othersOf(parts)
    const other = others.length > 0 ? compiled(together(others)) : undefined
    const scalar = scalarFrom(types)
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

  function listFrom(parts: ReturnType<typeof partsOf>): FromTexts | undefined {
    const items = itemsOf(parts)
    const item = items.length > 0 ? compiled(together(items)) : undefined
    const first = firstItemsOf(parts).map((schemas) => compiled(together(schemas)))
    if (first.length > 0) {
      const convert = (value: unknown, index: number): unknown =>
        (index < first.length ? first[index] : item)?.(value) ?? value
      return (value) => (Array.isArray(value) ? value.map(convert) : value)
    }
    return item && ((value) => (Array.isArray(value) ? value.map(item) : item(value)))
  }
}

function scalarFrom(types: ReadonlySet<string>): FromTexts | undefined {
  const numbers = types.has('integer') || types.has('number')
  const onlyNumbers = numbers && [...types].every((type) => type === 'integer' || type === 'number')
  const booleans = types.has('boolean')
  if (onlyNumbers || (!numbers && !booleans)) return undefined
  return (value) => {
    if (booleans && value === 'true') return true
    if (booleans && value === 'false') return false
    if (!numbers || typeof value !== 'string' || !number.test(value)) return value
    return /^-?[0-9]+$/.test(value) ? exactInteger(value) : Number(value)
  }
}
