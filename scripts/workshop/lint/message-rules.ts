import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { kindAt } from '../../../src/contract/model/grammar.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import {
  entriesOf,
  isNode,
  isReference,
  listOf,
  locate,
  nodeOf,
  operationsOf,
  pathOfReference,
  targetOf,
  walk,
  type Node,
  type Path,
} from '../../../src/contract/model/tree.ts'
import type { Report } from './rule.ts'

/** Reports bodies, examples and headers that no message can have as they are described. */
export function messages({ root }: ContractDocument, report: Report): void {
  walk({ at: [], value: root }, (node, at) => {
    const hasTwo = node.example !== undefined && node.examples !== undefined
    if (isReference(node) || !(isNode(node.content) || isNode(node.encoding) || hasTwo)) return
    const kind = kindAt(root, at)
    if (kind?.isPart !== true) return
    if (isNode(node.content)) checkContent(node.content, [...at, 'content'], report)
    if (kind.kind === 'media') checkEncoding(root, node, at, report)
    if (hasTwo && ['media', 'parameter', 'header'].includes(kind.kind))
      report([...at, 'example'], 'There are an example and examples.', 'Keep one of the two.')
  })
  for (const { name, operation, at } of operationsOf(root)) {
    checkHeaderNames(root, operation, [...at, 'parameters'], report)
    for (const [status, value] of entriesOf(operation.responses)) {
      const response = targetOf(root, value, [...at, 'responses', status])
      const isFinal = !/^(1(\d\d|XX)|204|205|304)$/.test(status)
      if (isFinal || !response || entriesOf(response.node.content).length === 0) continue
      const message = `The response ${status} of ${name} has content, which a ${status} is never sent with.`
      report([...response.at, 'content'], message, 'Take it away, or choose another status.', 'warning')
    }
  }
}

const mediaType = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(;.*)?$/

function checkContent(content: Node, at: Path, report: Report): void {
  const types = Object.keys(content)
  const isOfResponse = at.includes('responses')
  if (types.length === 0 && !isOfResponse)
    report(at, 'The content has no media type.', 'Add one, such as application/json.')
  for (const type of types) {
    if (mediaType.test(type) || type.startsWith('x-')) continue
    const known = ['application/json', 'application/xml', 'text/plain', 'multipart/form-data']
    const near = known.find((one) => one.endsWith(`/${type}`)) ?? nearest(type, known)
    const mend = near === undefined ? 'Write it such as application/json.' : `Did you mean ${near}?`
    report([...at, type], `${JSON.stringify(type)} is no media type.`, mend)
  }
}

function checkEncoding(root: unknown, { schema, encoding }: Node, at: Path, report: Report): void {
  const properties = targetOf(root, schema)?.node.properties
  if (!isNode(properties)) return
  for (const name of Object.keys(nodeOf(encoding))) {
    if (Object.hasOwn(properties, name)) continue
    const near = nearest(name, Object.keys(properties))
    const mend = near === undefined ? 'Take it away, or add the property.' : `Did you mean ${near}?`
    report([...at, 'encoding', name], `The encoding is of the property ${name}, which the schema does not have.`, mend)
  }
}

/** The names of headers are the same in any letter case. */
function checkHeaderNames(root: unknown, operation: Node, at: Path, report: Report): void {
  const names = new Map<string, string>()
  for (const [index, value] of listOf(operation.parameters).entries()) {
    const { in: place, name } = targetOf(root, value)?.node ?? {}
    if (place !== 'header' || typeof name !== 'string') continue
    const other = names.get(name.toLowerCase())
    names.set(name.toLowerCase(), name)
    if (other === undefined || other === name) continue
    report([...at, String(index)], `The header ${name} is declared as ${other} already.`, 'Take one away.')
  }
}

/** Reports links that lead to no operation, or to none or two ways to name one. */
export function links({ root }: ContractDocument, report: Report): void {
  const ids = operationsOf(root).map(({ operation }) => operation.operationId)
  walk({ at: [], value: root }, (node, at) => {
    if (isReference(node) || at.at(-2) !== 'links' || kindAt(root, at)?.kind !== 'link') return
    const { operationId, operationRef } = node
    if (operationId !== undefined && operationRef !== undefined) {
      report([...at, 'operationRef'], 'The link has an operationId and an operationRef.', 'Keep one of the two.')
    } else if (operationId === undefined && operationRef === undefined) {
      report(at, 'The link names no operation.', 'Add its operationId.')
    } else if (typeof operationId === 'string' && !ids.includes(operationId)) {
      const near = nearest(
        operationId,
        ids.filter((id) => typeof id === 'string'),
      )
      const mend = near === undefined ? 'Correct the operationId.' : `Did you mean ${near}?`
      report([...at, 'operationId'], `The link names the operation ${operationId}, which there is not.`, mend)
    } else if (typeof operationRef === 'string' && operationRef.startsWith('#')) {
      if (locate(root, pathOfReference(operationRef)).value !== undefined) return
      report([...at, 'operationRef'], `The operationRef "${operationRef}" leads to nothing.`, 'Correct it.')
    }
  })
}
