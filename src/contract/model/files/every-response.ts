import { methods } from '../grammar.ts'
import { isNode, type Node, type Path } from '../node.ts'
import { isReference } from '../reference.ts'
import type { Value } from '../value.ts'

/** The keyword of a contract under which the headers stand that every response has: `headers`, as in a response. */
export const everyResponse = 'x-every-response'

/** Headers that a response gets from `x-every-response`. */
export interface AddedHeaders {
  /** The place of the response. */
  at: Path
  headers: Node
}

/**
 * The responses that lack headers of `x-every-response`, with those headers. A header that a response declares itself
 * stays as it is. A keyword that is not as it must be throws an error that begins with the place.
 */
export function headersToAdd(document: Value, place: (at: Path) => string): AddedHeaders[] {
  const common = commonHeaders(document, place)
  if (common.length === 0) return []
  const added = new Map<Node, AddedHeaders>()
  for (const [status, response] of operationsIn(document).flatMap((one) => one.field('responses').entries)) {
    const found = status.startsWith('x-') ? undefined : response.part
    if (!found || added.has(found.node)) continue
    const declared = new Set(found.field('headers').keys.map((name) => name.toLowerCase()))
    const missing = common.filter(([name]) => !declared.has(name.toLowerCase()))
    if (missing.length > 0) added.set(found.node, { at: found.at, headers: Object.fromEntries(missing) })
  }
  return [...added.values()]
}

/** The operations of the paths, also those behind a `$ref` of a path. */
function operationsIn(document: Value): Value[] {
  const items = document.field('paths').entries.flatMap(([, item]) => item.part ?? [])
  return items.flatMap((item) => item.entries.flatMap(([method, operation]) => (methods.has(method) ? operation : [])))
}

/** Gives every response of a contract its common headers, and takes the keyword away. It changes the document. */
export function withCommonHeaders(document: Value, place: (at: Path) => string): void {
  for (const { at, headers } of headersToAdd(document, place)) {
    const response = document.field(...at)
    response.node.headers = { ...response.field('headers').node, ...structuredClone(headers) }
  }
  Reflect.deleteProperty(document.node, everyResponse)
}

function commonHeaders(document: Value, place: (at: Path) => string): [string, unknown][] {
  const written = document.field(everyResponse)
  if (!written.isThere) return []
  const wrong = (at: Path, what: string): Error => new Error(`${place([everyResponse, ...at])} ${what}`)
  if (!isNode(written.get('headers'))) {
    throw wrong([], `${everyResponse} must have headers, such as a response has.`)
  }
  const other = written.keys.find((key) => key !== 'headers')
  if (other !== undefined) throw wrong([other], `${everyResponse} has headers alone, and not ${other}.`)
  return written.field('headers').entries.map(([name, header]) => {
    const { value } = header
    if (isReference(value) && !header.part) throw wrong(['headers', name], `There is no ${value.$ref} in the contract.`)
    if (!isNode(value)) throw wrong(['headers', name], `The header ${name} of ${everyResponse} must be a mapping.`)
    return [name, value]
  })
}
