import { kept } from '../../kept.ts'
import { nodeOf, type Node, type Path } from './node.ts'

/** Compares two places by their order in a contract. */
export function documentOrder(root: Node): (a: Path, b: Path) => number {
  const known = new Map<unknown, Map<string, number>>()
  const indexIn = (node: unknown, key: string): number => {
    const keys = kept(known, node, () => new Map(Object.keys(nodeOf(node)).map((name, index) => [name, index])))
    return keys.get(key) ?? -1
  }
  return (a, b) => {
    let node: unknown = root
    for (const [index, key] of a.entries()) {
      const other = b[index]
      if (other === undefined) return 1
      if (key !== other) return indexIn(node, key) - indexIn(node, other)
      node = nodeOf(node)[key]
    }
    return a.length - b.length
  }
}
