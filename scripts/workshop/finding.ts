import type { ContractDocument } from '../../src/contract/model/files/document.ts'
import type { Place as FilePlace, TextFault } from '../../src/contract/model/files/text.ts'
import { isNode, pointerOf, type Path } from '../../src/contract/model/node.ts'

export { placeText } from '../../src/contract/model/files/text.ts'

/** A place in a contract's file. */
export interface Place extends FilePlace {
  /** The JSON Pointer (RFC 6901) to the place in the contract, of which all files are one; absent where no value is. */
  pointer?: string
}

/** A fault of a contract, and how to correct it. */
export interface Finding extends TextFault {
  rule: string
  severity: 'error' | 'warning'
  place: Place
}

/** Parses a place such as `openapi.yaml:12:3`, with which messages about a contract begin. */
export function placeOf(text: string): Place {
  const [, file = text, line = '1', column = '1'] = /^(.*):(\d+):(\d+)$/.exec(text) ?? []
  return { file, line: Number(line), column: Number(column) }
}

/** The place of a value of a contract, or of its nearest ancestor that is there. */
export function placeIn(document: Pick<ContractDocument, 'place' | 'source'>, at: Path): Place {
  let [node, depth]: [unknown, number] = [document.source, 0]
  for (const key of at) {
    if (!(Array.isArray(node) || isNode(node)) || !Object.hasOwn(node, key)) break
    node = (node as Record<string, unknown>)[key]
    depth += 1
  }
  return { ...placeOf(document.place(at)), pointer: pointerOf(at.slice(0, depth)) }
}

/** Splits a message that begins with a place into the place and the rest. */
export function splitMessage(message: string, file: string): { place: Place; message: string } {
  const [, place, rest = ''] = /^(.*?:\d+:\d+) ([\s\S]*)$/.exec(message) ?? []
  return place === undefined
    ? { place: { file, line: 1, column: 1 }, message }
    : { place: placeOf(place), message: rest }
}

/** An annotation of GitHub Actions (docs.github.com, workflow commands). */
export function annotation(
  level: 'error' | 'warning' | 'notice',
  place: Place,
  title: string,
  message: string,
): string {
  const { file, line, column } = place
  const properties = [`title=${property(title)}`, `file=${property(file)}`, `line=${line}`, `col=${column}`]
  return `::${level} ${properties.join(',')}::${escaped(message)}`
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
