import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, type Alias, type Document, type Pair } from 'yaml'

/** The most values that the aliases of a file may stand for together. */
const maxAliased = 1_000_000

/** The values of a YAML document, and the nodes that its aliases stand for. */
export interface Values {
  /** Integers beyond 2^53 - 1 are `bigint`. No two parts are the same object: an alias gives a copy. */
  root: unknown
  targets: ReadonlyMap<Alias, unknown>
}

/** Reads the values of a document with aliases and merge keys (yaml.org/type/merge). `fault` makes the error of a node. */
export function valuesOf(yaml: Document.Parsed, fault: (node: unknown, message: string) => Error): Values {
  const anchors = new Map<string, unknown>()
  const targets = new Map<Alias, unknown>()
  const open = new Set<unknown>()
  let aliased = 0
  return { root: read(yaml.contents, undefined), targets }

  /** `of` is the outermost alias, or the merge key, that the node is read for. */
  function read(node: unknown, of: unknown): unknown {
    if (of && (aliased += 1) > maxAliased) {
      throw fault(of, `The aliases of the file stand for more than ${maxAliased} values.`)
    }
    if (isAlias(node)) return read(targetOf(node), of ?? node)
    if (!of && (isCollection(node) || isScalar(node)) && node.anchor !== undefined) anchors.set(node.anchor, node)
    if (isScalar(node)) return plain(node.value)
    if (!isCollection(node)) return null
    open.add(node)
    const value = isSeq(node) ? node.items.map((item) => read(item, of)) : mapping(node.items, of)
    open.delete(node)
    return value
  }

  function targetOf(alias: Alias): unknown {
    const target = targets.get(alias) ?? anchors.get(alias.source)
    if (target === undefined)
      throw fault(
        alias,
        `There is no anchor &${alias.source} above this alias. Add it, or put a text with "*" in quotes.`,
      )
    if (open.has(target))
      throw fault(alias, `The alias stands inside its own anchor &${alias.source}, without end. Use a $ref.`)
    targets.set(alias, target)
    return target
  }

  function mapping(pairs: readonly Pair[], of: unknown): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    const merged: [string, unknown][] = []
    for (const { key, value } of pairs) {
      if (isMerge(key)) {
        merged.push(...merges(key, value, of))
        continue
      }
      if (!of && isScalar(key) && key.anchor !== undefined) anchors.set(key.anchor, key)
      const name = keyOf(isAlias(key) ? targetOf(key) : key)
      if (name === undefined) throw fault(key, 'A key must be a single value. Put it in quotes.')
      if (entries.has(name)) throw fault(key, `The key ${name} is not unique. Take one away, or join them.`)
      entries.set(name, read(value, of))
    }
    for (const [name, value] of merged) if (!entries.has(name)) entries.set(name, value)
    return Object.fromEntries(entries)
  }

  function merges(key: unknown, value: unknown, of: unknown): [string, unknown][] {
    const parts = mergedNodes(value, targetOf)
    if (!parts)
      throw fault(key, 'The merge key << needs a mapping, or a list of mappings. Write it such as "<<: *name".')
    const own = new Set<unknown>(isSeq(value) ? value.items : [value])
    return parts.flatMap((part) => Object.entries(read(part, of ?? (own.has(part) ? undefined : key)) as object))
  }
}

/** The mappings that a merge key merges, the first one first; undefined if it is something else. */
export function mergedNodes(value: unknown, targetOf: (alias: Alias) => unknown): unknown[] | undefined {
  const target = isAlias(value) ? targetOf(value) : value
  if (isMap(target)) return [target]
  if (!isSeq(target)) return undefined
  const items = target.items.map((item) => (isAlias(item) ? targetOf(item) : item))
  return items.every((item) => isMap(item)) ? items : undefined
}

/** Whether a key is `<<`, and not in quotes. */
export function isMerge(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN'
}

/** The name that a key gives to a value; undefined for a list or mapping. */
export function keyOf(key: unknown): string | undefined {
  if (!isScalar(key)) return isNode(key) ? undefined : ''
  const name = String(key.value)
  return key.value === null ? '' : name
}

function plain(value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
