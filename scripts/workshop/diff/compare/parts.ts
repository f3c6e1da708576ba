import { exactText } from '../../../../src/integers.ts'
import { isNull } from '../../../../src/contract/model/files/dialect.ts'
import { pointerOf, type Node } from '../../../../src/contract/model/node.ts'
import { isSame, own, partOf, type Part, type Spot } from './spot.ts'
import type { Sides } from './sides.ts'

/** The parts of two schemas: themselves and those of their `allOf`, behind their references. */
export function partsOf(all: Sides, before: readonly Spot[], after: readonly Spot[]): [Part[], Part[]] {
  const [old, now] = [flat(before), flat(after)]
  const [mine, yours] = [originsOf(old), originsOf(now)]
  const gone = [...mine].filter((origin) => !yours.has(origin))
  const came = [...yours].filter((origin) => !mine.has(origin))
  const common = new Set([...mine].filter((origin) => yours.has(origin)))
  const [[from], [to]] = [gone, came]
  if (gone.length === 1 && came.length === 1 && from !== undefined && to !== undefined && isSame(all, from, to)) {
    common.add(from).add(to)
  }
  const tell = (part: Part): Part => (common.has(part.origin) ? own(part) : part)
  return [old.map(tell), now.map(tell)]
}

function originsOf(parts: readonly Part[]): Set<string> {
  return new Set(parts.flatMap(({ origin }) => (origin === '' ? [] : [origin])))
}

export const combinators = ['oneOf', 'anyOf'] as const
export type Combinator = (typeof combinators)[number]

/** The parts of a schema of one contract. An alternative that is the only one but null is a part as well. */
export function flat(schemas: readonly Spot[]): Part[] {
  const seen = new Set<string>()
  const parts: Part[] = []
  const add = (schema: Spot, origin: string): void => {
    const part = partOf(schema, origin)
    const pointer = pointerOf(part.at)
    if (seen.has(pointer)) return
    seen.add(pointer)
    const node = { ...part.node }
    const only = combinators.flatMap((keyword) => {
      const [alternative, ...more] = alternativesOf(part, keyword)
      if (more.length > 0 || part.field(keyword).list.length === 0) return []
      Reflect.deleteProperty(node, keyword)
      if (!alternative) node.type = 'null'
      return alternative ? [alternative] : []
    })
    if (node.type === undefined && isNull(node)) {
      Reflect.deleteProperty(node, 'enum')
      node.type = 'null'
    }
    parts.push(node.type !== part.node.type || only.length > 0 ? part.with(node) : part)
    for (const one of [...part.field('allOf').items, ...only]) add(one, part.origin)
  }
  for (const schema of schemas) add(schema, '')
  return parts
}

/**
 * The alternatives of a schema, in a form that does not depend on how they are written: without null, those of an
 * alternative that has nothing else in its place, and all that only name values as one.
 */
export function alternativesOf(part: Spot, keyword: Combinator, open: readonly string[] = []): Spot[] {
  const all = part.field(keyword).items.flatMap((one) => {
    const target = partOf(one)
    const pointer = pointerOf(target.at)
    if (isNull(target.node)) return []
    const isNested = !open.includes(pointer) && says(target.node, keyword)
    return isNested ? alternativesOf(target, keyword, [...open, pointer]) : [one]
  })
  const named = all.map((one) => namedValues(one, open))
  const lists = named.filter((values) => values !== undefined)
  if (lists.length < 2) return all
  const joined = part.field(keyword).with({ enum: joinedValues(lists, keyword) })
  return [joined, ...all.filter((_, index) => !named[index])]
}

/** Keywords that no value depends on. */
const silent = new Set([
  ...['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'default', 'format', '$comment'],
  ...['xml', 'readOnly', 'writeOnly', 'nullable'],
])

/** Whether a schema says nothing of values but by these keywords, of which it has the first. */
function says(node: Node, keyword: string, ...others: string[]): boolean {
  const isOther = (key: string): boolean => !silent.has(key) && !key.startsWith('x-') && !others.includes(key)
  return Object.hasOwn(node, keyword) && Object.keys(node).every((key) => key === keyword || !isOther(key))
}

/** The values of a schema that does no more than name them; undefined for another one. */
function namedValues(schema: Spot, open: readonly string[]): unknown[] | undefined {
  const part = partOf(schema)
  const pointer = pointerOf(part.at)
  if (open.includes(pointer)) return undefined
  const { node } = part
  if (says(node, 'enum', 'type') && Array.isArray(node.enum)) {
    const types = node.type === undefined ? undefined : new Set([node.type].flat().map(String))
    const values: unknown[] = node.enum
    return values.filter((value) => value === null || !types || hasType(types, typeName(value)))
  }
  if (says(node, 'allOf')) {
    const [only, ...more] = part.field('allOf').items
    return only && more.length === 0 ? namedValues(only, [...open, pointer]) : undefined
  }
  const keyword = combinators.find((one) => says(node, one))
  const [only, ...more] = keyword ? alternativesOf(part, keyword, [...open, pointer]) : []
  return only && more.length === 0 ? namedValues(only, [...open, pointer]) : undefined
}

/** The values of several lists: those of any, or with `oneOf` those of just one. */
function joinedValues(lists: readonly unknown[][], keyword: Combinator): unknown[] {
  const counts = new Map<string, { value: unknown; count: number }>()
  for (const values of lists.map((list) => new Map(list.map((value) => [exactText(value), value])))) {
    for (const [text, value] of values) counts.set(text, { value, count: (counts.get(text)?.count ?? 0) + 1 })
  }
  return [...counts.values()].flatMap(({ value, count }) => (keyword === 'anyOf' || count === 1 ? [value] : []))
}

/** Alternatives of a schema, of which there is more than one. */
export interface Choice {
  keyword: Combinator
  holder: Part
  alternatives: Spot[]
}

export function choicesOf(parts: readonly Part[]): Choice[] {
  return parts.flatMap((holder) =>
    combinators.flatMap((keyword) => {
      const alternatives = alternativesOf(holder, keyword)
      return alternatives.length === 0 ? [] : [{ keyword, holder, alternatives }]
    }),
  )
}

/** The values that all schemas name, but null, by their text. */
export function enumOf(parts: readonly Part[]): Map<string, unknown> | undefined {
  const lists = parts.flatMap(({ node }): unknown[][] => [
    ...(Array.isArray(node.enum) ? [node.enum] : []),
    ...(Object.hasOwn(node, 'const') ? [[node.const]] : []),
  ])
  const [first, ...others] = lists.map((values) => new Map(values.map((value) => [exactText(value), value])))
  if (!first) return undefined
  return new Map([...first].filter(([text, value]) => value !== null && others.every((other) => other.has(text))))
}

/** The types of a schema as it says them, without null; undefined for any. */
export function typesOf(parts: readonly Part[]): Set<string> | undefined {
  const typed = parts.filter(({ node }) => node.type !== undefined)
  if (typed.length === 0) return undefined
  const types = typed.map(({ node }) => new Set([node.type].flat().map(String))).reduce(commonTypes)
  types.delete('null')
  return types
}

/** The types that are in both of two sets, of which a number may be an integer. */
export function commonTypes(some: ReadonlySet<string>, more: ReadonlySet<string>): Set<string> {
  return new Set([...some, ...more].filter((type) => hasType(some, type) && hasType(more, type)))
}

/** Whether a type of a value is among some, of which a number may be an integer. */
export function hasType(types: ReadonlySet<string>, type: string): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

export function typeName(value: unknown): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
