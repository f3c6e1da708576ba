import { isNull } from '../../../../src/contract/model/files/dialect.ts'
import { listOf, nodeOf, pathOf, pointerOf, type Node, type Path } from '../../../../src/contract/model/node.ts'
import { follow, isReference, locate } from '../../../../src/contract/model/reference.ts'
import type { Sides } from './sides.ts'

/** A value of a contract, and how a change of it is told. */
export interface Spot {
  value: unknown
  /** Its path in the contract. */
  at: Path
  /** The path that names it in messages. It differs from `at` behind a reference that only one contract has. */
  shown: Path
  /** The path of that reference, which is the place of all that is behind it. */
  reference: Path | undefined
}

/** A value behind its reference. */
export interface Part extends Spot {
  node: Node
  /** The pointer that the last reference on the way led to; empty without a reference. */
  origin: string
}

export function spotAt(root: unknown, at: Path): Spot {
  return { value: locate(root, at).value, at, shown: at, reference: undefined }
}

/** A value inside another. It is undefined where there is none. */
export function inside(spot: Spot, ...keys: string[]): Spot {
  const value = keys.reduce<unknown>((outer, key) => {
    return Object.hasOwn(nodeOf(outer), key) ? nodeOf(outer)[key] : undefined
  }, spot.value)
  return { value, at: [...spot.at, ...keys], shown: [...spot.shown, ...keys], reference: spot.reference }
}

/** The values in a mapping or a list. */
export function insides(spot: Spot, ...keys: string[]): [string, Spot][] {
  const outer = inside(spot, ...keys)
  return Object.keys(nodeOf(outer.value)).map((name) => [name, inside(outer, name)])
}

/** The values of a keyword in the parts that have it. */
export function valuesIn(parts: readonly Part[], ...keys: string[]): Spot[] {
  return parts.map((part) => inside(part, ...keys)).filter(({ value }) => value !== undefined)
}

/** The given schemas, or the one that accepts everything. */
export function orAny(spots: readonly Spot[], absent: Spot): readonly Spot[] {
  return spots.length > 0 ? spots : [{ ...absent, value: {} }]
}

/** The first part with a keyword, or else the first of all. */
export function holderOf(parts: readonly Part[], keyword: string): Part | undefined {
  return parts.find(({ node }) => node[keyword] !== undefined) ?? parts[0]
}

/** Two values behind their references. What both refer to is told where it stands, other targets at the reference. */
export function behind(all: Sides, before: Spot, after: Spot): [Part, Part] {
  const [old, now] = [targetOf(all.base.document.root, before), targetOf(all.head.document.root, after)]
  const isCommon = old.origin !== '' && now.origin !== '' && isSame(all, old.origin, now.origin)
  return isCommon ? [own(old), own(now)] : [old, now]
}

/** The parts of two schemas: themselves and those of their `allOf`, behind their references. */
export function partsOf(all: Sides, before: readonly Spot[], after: readonly Spot[]): [Part[], Part[]] {
  const [old, now] = [flat(all.base.document.root, before), flat(all.head.document.root, after)]
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

/** Whether two pointers lead to the same thing: they are equal, or one was renamed to the other. */
export function isSame({ base, head }: Sides, before: string, after: string): boolean {
  if (before === after) return true
  const isIn = (root: unknown, pointer: string): boolean => locate(root, pathOf(pointer)).value !== undefined
  return !isIn(head.document.root, before) && !isIn(base.document.root, after)
}

function own(part: Part): Part {
  return { ...part, shown: part.at, reference: undefined }
}

function originsOf(parts: readonly Part[]): Set<string> {
  return new Set(parts.flatMap(({ origin }) => (origin === '' ? [] : [origin])))
}

/** The parts of a schema of one contract. An alternative that is the only one but null is a part as well. */
export function flat(root: unknown, spots: readonly Spot[]): Part[] {
  const seen = new Set<string>()
  const parts: Part[] = []
  const add = (spot: Spot, origin: string, takesNull: boolean): void => {
    const part = targetOf(root, spot, origin)
    const pointer = pointerOf(part.at)
    if (seen.has(pointer)) return
    seen.add(pointer)
    const only = (['oneOf', 'anyOf'] as const).flatMap((keyword) => onlyAlternative(part.node, keyword))
    const node = { ...part.node }
    for (const { keyword } of only) Reflect.deleteProperty(node, keyword)
    if (takesNull || (node.type === undefined && only.some((one) => one.takesNull))) node.nullable = true
    parts.push(takesNull || only.length > 0 ? { ...part, value: node, node } : part)
    for (const index of listOf(part.node.allOf).keys()) {
      add(inside(part, 'allOf', String(index)), part.origin, takesNull)
    }
    for (const one of only) add(inside(part, one.keyword, one.index), part.origin, takesNull || one.takesNull)
  }
  for (const spot of spots) add(spot, '', false)
  return parts
}

interface OnlyAlternative {
  keyword: 'oneOf' | 'anyOf'
  index: string
  takesNull: boolean
}

function onlyAlternative(node: Node, keyword: OnlyAlternative['keyword']): OnlyAlternative[] {
  const list = listOf(node[keyword])
  const [index, more] = [...list.keys()].filter((one) => !isNull(list[one]))
  if (index === undefined || more !== undefined) return []
  return [{ keyword, index: String(index), takesNull: list.length > 1 || node.nullable === true }]
}

function targetOf(root: unknown, spot: Spot, origin = ''): Part {
  if (!isReference(spot.value)) return { ...spot, node: nodeOf(spot.value), origin }
  const { at, value } = follow(root, spot)
  const reference = spot.reference ?? [...spot.at, '$ref']
  return { value, node: nodeOf(value), at, shown: spot.shown, reference, origin: pointerOf(at) }
}
