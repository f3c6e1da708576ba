import { partsIn, type Kind } from './grammar.ts'
import { kept } from '../../kept.ts'
import { isNode, type Node, type Path } from './node.ts'

/** Makes what stands in the copy for an object, or for a schema that is `true` or `false`. Its parts are made before. */
type Make = (value: Node | boolean, kind: Kind, at: Path) => unknown

/** A copy of a document of OpenAPI 3.1 or 3.2 in which each object is made anew. Objects that are shared stay shared. */
export function transform(root: unknown, make: Make): unknown {
  const made = new Map<string, Map<object, unknown>>()
  return of(root, 'document', [])

  function of(value: unknown, kind: Kind, at: Path): unknown {
    if (typeof value === 'boolean' && kind === 'schema') return make(value, kind, at)
    if (!isNode(value)) return value
    const use = kind === 'media' ? `media ${at.at(-1) ?? ''}` : kind
    const known = kept(made, use, () => new Map())
    if (known.has(value)) return known.get(value)
    const copy = { ...value }
    for (const { key, value: part, kind: inner, isMap } of partsIn(value, kind)) {
      const where = [...at, key]
      const whole = isMap
        ? all(part, inner, where)
        : Array.isArray(part)
          ? list(part, inner, where)
          : of(part, inner, where)
      Object.defineProperty(copy, key, { value: whole, enumerable: true, writable: true, configurable: true })
    }
    const result = make(copy, kind, at)
    known.set(value, result)
    return result
  }

  function list(values: readonly unknown[], kind: Kind, at: Path): unknown[] {
    return values.map((item, index) => of(item, kind, [...at, String(index)]))
  }

  function all(value: unknown, kind: Kind, at: Path): unknown {
    if (!isNode(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, of(child, kind, [...at, name])]))
  }
}
