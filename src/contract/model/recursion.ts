import { isReference, listOf, nodeOf, targetOf, walk, type Node, type Path } from './tree.ts'

/** Keywords whose schemas hold for the same value. */
const inPlace = ['allOf', 'oneOf', 'anyOf', 'not', 'if', 'then', 'else']

/** Schemas that contain themselves for the same value, so that no check of it ends; one for each circle. */
export function circularSchemas(root: unknown): Map<Node, Path> {
  const circular = new Map<Node, Path>()
  const state = new Map<Node, 'open' | 'done'>()
  const enter = (value: unknown, at: Path): void => {
    const target = targetOf(root, value, at)
    if (!target || state.get(target.node) === 'done') return
    if (state.has(target.node)) {
      circular.set(target.node, target.at)
      return
    }
    state.set(target.node, 'open')
    for (const keyword of inPlace) {
      for (const [index, part] of [target.node[keyword]].flat().entries()) {
        if (part !== undefined) enter(part, [...target.at, keyword, String(index)])
      }
    }
    state.set(target.node, 'done')
  }
  walk({ at: [], value: root }, (node, at) => {
    if (!isReference(node) && inPlace.some((keyword) => keyword in node)) enter(node, at)
  })
  return circular
}

/** What a schema needs to have a value: all of some schemas, and one of each list of others. */
interface Needs {
  at: Path
  all: Node[]
  some: Node[][]
}

/** Schemas that need another value of themselves, so that no value ever ends; one for each circle. */
export function endlessSchemas(root: unknown): Path[] {
  const needs = new Map<Node, Needs>()
  const circular = circularSchemas(root)
  walk({ at: [], value: root }, (node, at) => {
    if (isReference(node) || circular.has(node)) return
    const found = needsOf(root, node)
    if (found.all.length > 0 || found.some.length > 0) needs.set(node, { at, ...found })
  })
  for (let known = -1; known !== needs.size;) {
    known = needs.size
    for (const [node, { all, some }] of needs) {
      const isFinite = !all.some((one) => needs.has(one)) && some.every((list) => list.some((one) => !needs.has(one)))
      if (isFinite) needs.delete(node)
    }
  }
  return firstOfCircles(needs)
}

function firstOfCircles(needs: ReadonlyMap<Node, Needs>): Path[] {
  const order = [...needs.keys()]
  const seen = new Set<Node>()
  return order.flatMap((start) => {
    const road: Node[] = []
    let node: Node | undefined = start
    while (node && !seen.has(node)) {
      seen.add(node)
      road.push(node)
      const { all = [], some = [] }: Partial<Needs> = needs.get(node) ?? {}
      node = [...all, ...some.flat()].find((one) => needs.has(one))
    }
    const circle = node && road.includes(node) ? road.slice(road.indexOf(node)) : []
    const first = order.find((one) => circle.includes(one))
    return first ? [needs.get(first)?.at ?? []] : []
  })
}

function needsOf(root: unknown, node: Node): Pick<Needs, 'all' | 'some'> {
  if (node.nullable === true || Array.isArray(node.enum)) return { all: [], some: [] }
  const nodes = (values: readonly unknown[]): Node[] =>
    values.flatMap((value): Node[] => {
      const target = targetOf(root, value)
      return target ? [target.node] : []
    })
  const type = String([node.type].flat())
  const properties = nodeOf(node.properties)
  const required = listOf(node.required).map(String)
  const sent = nodes(required.map((name) => (Object.hasOwn(properties, name) ? properties[name] : undefined)))
  const items = Number(node.minItems) > 0 ? nodes([node.items]) : []
  return {
    all: [
      ...nodes(listOf(node.allOf)),
      ...(type === 'object' ? sent.filter(({ readOnly }) => readOnly !== true) : []),
      ...(type === 'array' ? items : []),
    ],
    some: [node.oneOf, node.anyOf].map((list) => nodes(listOf(list))).filter((list) => list.length > 0),
  }
}
