import { methods } from '../grammar.ts'
import { entriesOf, isNode, nodeOf, type Node, type Path } from '../node.ts'
import { isReference, targetOf } from '../reference.ts'

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
export function headersToAdd(root: unknown, place: (at: Path) => string): AddedHeaders[] {
  const common = commonHeaders(root, place)
  if (common.length === 0) return []
  const added = new Map<Node, AddedHeaders>()
  for (const { node, at } of operationsIn(root)) {
    for (const [status, response] of entriesOf(node.responses)) {
      const found = status.startsWith('x-') ? undefined : targetOf(root, response, [...at, 'responses', status])
      if (!found || added.has(found.node)) continue
      const declared = new Set(entriesOf(found.node.headers).map(([name]) => name.toLowerCase()))
      const missing = common.filter(([name]) => !declared.has(name.toLowerCase()))
      if (missing.length > 0) added.set(found.node, { at: found.at, headers: Object.fromEntries(missing) })
    }
  }
  return [...added.values()]
}

/** The operations of the paths, also those behind a `$ref` of a path. */
function operationsIn(root: unknown): { node: Node; at: Path }[] {
  return entriesOf(nodeOf(root).paths).flatMap(([path, value]) => {
    const item = targetOf(root, value, ['paths', path])
    return entriesOf(item?.node).flatMap(([method, node]) =>
      item && methods.has(method) && isNode(node) ? { node, at: [...item.at, method] } : [],
    )
  })
}

/** The contract with its common headers in every response, and without the keyword. It changes the value. */
export function withCommonHeaders(root: unknown, place: (at: Path) => string): void {
  for (const { at, headers } of headersToAdd(root, place)) {
    let response = root as Node
    for (const key of at) response = response[key] as Node
    response.headers = { ...nodeOf(response.headers), ...structuredClone(headers) }
  }
  if (isNode(root)) Reflect.deleteProperty(root, everyResponse)
}

function commonHeaders(root: unknown, place: (at: Path) => string): [string, unknown][] {
  const written = nodeOf(root)[everyResponse]
  if (written === undefined) return []
  const wrong = (at: Path, what: string): Error => new Error(`${place([everyResponse, ...at])} ${what}`)
  if (!isNode(written) || !isNode(written.headers)) {
    throw wrong([], `${everyResponse} must have headers, such as a response has.`)
  }
  const other = Object.keys(written).find((key) => key !== 'headers')
  if (other !== undefined) throw wrong([other], `${everyResponse} has headers alone, and not ${other}.`)
  const headers = entriesOf(written.headers)
  for (const [name, header] of headers) {
    if (isReference(header) && !targetOf(root, header))
      throw wrong(['headers', name], `There is no ${header.$ref} in the contract.`)
    if (!isNode(header)) throw wrong(['headers', name], `The header ${name} of ${everyResponse} must be a mapping.`)
  }
  return headers
}
