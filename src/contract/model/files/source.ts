import { parse } from 'lossless-json'
import {
  isAlias,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type YAMLWarning,
} from 'yaml'
import { exactNumber } from '../../../integers.ts'
import { tooDeepIn } from '../nesting.ts'
import { deepPlace, tooDeep } from './deep.ts'
import { quickYaml, type QuickYaml } from './quick-yaml.ts'
import { placeText } from './text.ts'
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
  /** What the library yaml warns of, such as unknown tags. */
  warnings: readonly YAMLWarning[]
}

/** Reads a file of YAML or JSON. A file that is not one such document throws an error that begins with the place. */
export function sourceOf(text: string, name: string): Source {
  const place = deepPlace(text)
  if (place) throw new Error(`${placeText({ file: name, ...place })} ${tooDeep.join(' ')}`)
  const source = anySource(text, name)
  const deep = tooDeepIn(source.root)
  if (deep) throw new Error(`${source.place(deep)} ${tooDeep.join(' ')}`)
  return source
}

function anySource(text: string, name: string): Source {
  const root = jsonOf(text)
  if (root !== undefined) return knownSource(text, name, root)
  const quick = quickYaml(text)
  return quick ? knownSource(text, name, quick.root, quick) : yamlSource(text, name)
}

/** A file whose content is known, so that it is parsed only for a place, and as a tree only where that is asked for. */
export function knownSource(text: string, name: string, root: unknown, read?: QuickYaml): Source {
  let whole: Source | undefined
  const parsed = (): Source => (whole ??= yamlSource(text, name))
  let place: Source['place'] | undefined
  const placeOf = (): Source['place'] => {
    const quick = read ?? quickYaml(text)
    return quick ? placesIn(text, name, quick) : parsed().place
  }
  return { name, root, yaml: () => parsed().yaml(), place: (path) => (place ??= placeOf())(path), warnings: [] }
}

function placesIn(text: string, name: string, { offsetOf }: QuickYaml): Source['place'] {
  const lines = new LineCounter()
  for (let start = 0; start >= 0; start = text.indexOf('\n', start) + 1 || -1) lines.addNewLine(start)
  const at = placesBy(lines, name)
  return (path) => at(offsetOf(path))
}

function placesBy(lines: LineCounter, file: string): (offset: number) => string {
  return (offset) => {
    const { line, col } = lines.linePos(offset)
    return placeText({ file, line, column: col })
  }
}

/** The value of a JSON text; undefined for any other, which includes one with a fault. */
function jsonOf(text: string): unknown {
  // the parser assigns keys, and this one would become the prototype of its object
  if (!/^\s*\{/.test(text) || /__proto__|\\u005f/i.test(text)) return undefined
  try {
    // 0 has no sign
    return parse(text, undefined, (digits) => exactNumber(digits) || 0)
  } catch {
    return undefined
  }
}

function yamlSource(text: string, name: string): Source {
  const lines = new LineCounter()
  // the library compares each key of a mapping with all others
  const options = { lineCounter: lines, intAsBigInt: true, prettyErrors: false, uniqueKeys: false }
  const yaml = parseDocument(text, options)
  const at = placesBy(lines, name)
  const fault = yaml.errors[0]
  // the library says so when its stack overflows
  if (fault?.code === 'RESOURCE_EXHAUSTION') throw new Error(`${at(fault.pos[0])} ${tooDeep.join(' ')}`)
  if (fault) {
    requireText(text, name)
    throw new Error(`${at(fault.pos[0])} ${fault.message}.`)
  }
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
  return { name, root, yaml: () => yaml, place, warnings: yaml.warnings }
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
