import { parse } from 'lossless-json'
import { isAlias, isMap, isNode, isSeq, LineCounter, parseDocument, type Alias, type Document } from 'yaml'
import { exactInteger } from '../../integers.ts'
import { requireText } from './text-faults.ts'
import { isMerge, keyOf, mergedNodes, valuesOf } from './yaml.ts'

/** One file of a contract. */
export interface Source {
  /** The file's name, as messages show it. */
  name: string
  /** The content as plain values. Integers beyond 2^53 - 1 are `bigint`, so that no digit is lost. */
  root: unknown
  /** The file as a tree that keeps comments. */
  yaml: () => Document.Parsed
  /** The place of a value, such as `openapi.yaml:12:3`; of its nearest ancestor when the value does not exist. */
  place: (path: readonly string[]) => string
}

/** Reads a file of YAML or JSON. A file that is not one such document throws an error that begins with the place. */
export function sourceOf(text: string, name: string): Source {
  const root = jsonOf(text)
  return root === undefined ? yamlSource(text, name) : knownSource(text, name, root)
}

/** A file whose content is known, so that it is parsed only for a place. */
export function knownSource(text: string, name: string, root: unknown): Source {
  let source: Source | undefined
  const parsed = (): Source => (source ??= yamlSource(text, name))
  return { name, root, yaml: () => parsed().yaml(), place: (path) => parsed().place(path) }
}

/** The value of a JSON text; undefined for any other, which includes one with a fault. */
function jsonOf(text: string): unknown {
  // an object gets no key of that name by an assignment
  if (!/^\s*\{/.test(text) || /__proto__|\\u005f/i.test(text)) return undefined
  try {
    return parse(text, undefined, (digits) =>
      /^-?\d+$/.test(digits) && digits !== '-0' ? exactInteger(digits) : Number(digits) + 0,
    )
  } catch {
    return undefined
  }
}

function yamlSource(text: string, name: string): Source {
  const lines = new LineCounter()
  // the library compares each key of a mapping with all others
  const options = { lineCounter: lines, intAsBigInt: true, prettyErrors: false, uniqueKeys: false }
  const yaml = parseDocument(text, options)
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  if (yaml.errors.length > 0) requireText(text, name)
  const { root, targets } = valuesOf(yaml, (node, message) => new Error(`${at(offsetOf(node) ?? 0)} ${message}`))

  const place = (path: readonly string[]): string => {
    let node: unknown = yaml.contents
    let offset = 0
    for (const key of path) {
      const [found, value] = child(node, key, (alias) => targets.get(alias))
      if (found === undefined) break
      offset = offsetOf(found) ?? offset
      node = value
    }
    return at(offset)
  }
  return { name, root, yaml: () => yaml, place }
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

/**
 * The node that marks the place of `key`, and its value. Keys of a mapping may be numbers, such as status codes. What is
 * behind an alias is found at the anchor.
 */
function child(node: unknown, key: string, targetOf: (alias: Alias) => unknown): [unknown, unknown] {
  const parent = isAlias(node) ? targetOf(node) : node
  if (isSeq(parent)) return [parent.items[Number(key)], parent.items[Number(key)]]
  if (!isMap(parent)) return [undefined, undefined]
  const nameOf = (one: unknown): string | undefined => keyOf(isAlias(one) ? targetOf(one) : one)
  const pair = parent.items.find((item) => !isMerge(item.key) && nameOf(item.key) === key)
  if (pair) return [pair.key, pair.value]
  for (const { key: other, value } of parent.items) {
    if (!isMerge(other)) continue
    for (const part of mergedNodes(value, targetOf) ?? []) {
      const found = child(part, key, targetOf)
      if (found[0] !== undefined) return found
    }
  }
  return [undefined, undefined]
}
