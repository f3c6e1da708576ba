import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Document } from 'openapi-backend'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Document as YamlDocument } from 'yaml'
import { exactText } from '../integers.ts'
import { inOneDialect } from './dialect.ts'
import { readParsed, type ParsedContract } from './built.ts'

/** A contract as its file has it. */
export interface ContractDocument extends ParsedContract {
  /** The file's name, as messages show it. */
  name: string
  /** The file as a tree that keeps comments. It is parsed at the first call of `yaml` or `place`. */
  yaml: () => YamlDocument.Parsed
  /** The place of a value, such as `openapi.yaml:12:3`; of its nearest ancestor when the value does not exist. */
  place: (path: readonly string[]) => string
}

/** Returns a place in the contract. It is called only for a message, since finding the place takes a while. */
export type PlaceText = () => string

/**
 * Reads a contract. A file that is not one YAML document without aliases, or not OpenAPI 3.0, 3.1 or 3.2, throws an
 * error that begins with the place. If the build has written the parsed contract beside the file, and for the same text, it is
 * used.
 */
export function readContract(file: string): ContractDocument {
  const text = readFileSync(file, 'utf8')
  const name = basename(file)
  const values = readParsed(file, text)
  if (!values) return parseContract(text, name)
  let tree: Tree | undefined
  return documentOf(name, values, () => (tree ??= parseTree(text, name)))
}

/** Parses the text of a contract as `readContract` does; `name` is its name in messages. */
export function parseContract(text: string, name: string): ContractDocument {
  const tree = parseTree(text, name)
  const { yaml, place } = tree
  const source = safeIntegers(yaml.toJS()) as Document
  const version: unknown = (source as { openapi?: unknown } | null)?.openapi
  if (typeof version !== 'string' || !/^3\.[012]\.\d+$/.test(version)) {
    throw new Error(`${place(['openapi'])} The contract must be OpenAPI 3.0, 3.1 or 3.2, such as "openapi: 3.0.3".`)
  }
  const digest = createHash('sha256').update(exactText(source)).digest('hex')
  return documentOf(name, { source, root: inOneDialect(source), digest }, () => tree)
}

function documentOf(name: string, values: ParsedContract, tree: () => Tree): ContractDocument {
  return { name, ...values, yaml: () => tree().yaml, place: (path) => tree().place(path) }
}

interface Tree {
  yaml: YamlDocument.Parsed
  place: ContractDocument['place']
}

function parseTree(text: string, name: string): Tree {
  const lines = new LineCounter()
  const yaml = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const fault = yaml.errors[0]
  if (fault) throw new Error(`${at(fault.pos[0])} ${fault.message}.`)
  visit(yaml, {
    Alias(_, alias) {
      throw new Error(`${at(alias.range?.[0] ?? 0)} YAML aliases are not supported; use a $ref to a component.`)
    },
  })

  const place = (path: readonly string[]): string => {
    let node: unknown = yaml.contents
    let offset = 0
    for (const key of path) {
      const [found, value] = child(node, key)
      if (!isNode(found)) break
      offset = found.range?.[0] ?? offset
      node = value
    }
    return at(offset)
  }
  return { yaml, place }
}

/** The node that marks the place of `key`, and its value. Keys of a mapping may be numbers, such as status codes. */
function child(node: unknown, key: string): [unknown, unknown] {
  if (isSeq(node)) return [node.items[Number(key)], node.items[Number(key)]]
  const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key) : undefined
  return [pair?.key, pair?.value]
}

function safeIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(safeIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, safeIntegers(child)]))
}
