import type { ContractDocument } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { isToken } from '../model/formats.ts'
import { nearest } from '../model/nearest.ts'
import { modelOf } from '../model/model.ts'
import { hasOddBraces } from '../model/path.ts'
import { securityFindings } from './security.ts'
import { entriesOf, listOf, locate, nodeOf, targetOf, type Node, type Path } from '../model/tree.ts'
import { lifecycleFindings } from '../compile/life-cycle.ts'
import { kindOf } from '../exchange/media-types.ts'
import { parameterFault } from './parameters.ts'
import { answeredMedia } from '../compile/reply/reply.ts'
import { isIgnored, type ResolvedOperation } from '../compile/resolve.ts'
import { templateNames } from '../compile/router.ts'
import { partsOf, typesOf } from '../compile/schemas/parts.ts'

/** What the service cannot do of an operation, and what it does in a way of its own. `ids` are what `x-successor` can name. */
export function findingsOf(
  document: ContractDocument,
  operation: ResolvedOperation,
  ids: ReadonlySet<string>,
): Finding[] {
  const { root } = document
  const { node, at } = operation
  return [
    ...parameterFindings(root, operation),
    ...pathFindings(operation),
    ...ignoredFindings(root, operation),
    ...bodyFindings(root, operation),
    ...answerFindings(root, operation),
    ...securityFindings(modelOf(document), operation.declared),
    ...lifecycleFindings(node, at, (id) => ids.has(id)),
  ]
}

type Make = (kind: string, at: Path, what: string, severity?: Finding['severity']) => Finding

function finding({ operationId }: ResolvedOperation): Make {
  return (kind, at, what, severity = 'error') => ({ severity, kind, at, message: `${operationId}: ${what}` })
}

function parameterFindings(root: unknown, operation: ResolvedOperation): Finding[] {
  return operation.parameters.flatMap((parameter) => {
    const fault = parameterFault(root, parameter)
    if (fault === undefined) return []
    // OpenAPI tells more of a style that it does not know
    const where = fault.startsWith('has the style') ? [...parameter.at, 'style'] : parameter.at
    return finding(operation)('parameter', where, `the ${parameter.in} parameter ${parameter.name} ${fault}.`)
  })
}

function ignoredFindings(root: unknown, operation: ResolvedOperation): Finding[] {
  const { node, at } = operation
  return [...listOf(node.parameters), ...listOf(itemOf(root, operation).parameters)].flatMap((value) => {
    const target = targetOf(root, value, at)
    if (!target || !isIgnored(target.node as never)) return []
    const what = `the header ${String(target.node.name)} is told elsewhere; the parameter is ignored.`
    return finding(operation)('parameter', target.at, what, 'note')
  })
}

function bodyFindings(root: unknown, operation: ResolvedOperation): Finding[] {
  const { content = {}, at = [] } = operation.requestBody ?? {}
  return Object.entries(content).flatMap(([type, media]) => {
    const fault = bodyFault(root, type, media)
    return fault === undefined ? [] : finding(operation)('body', [...at, 'content', type], `the body ${type} ${fault}.`)
  })
}

function answerFindings(root: unknown, operation: ResolvedOperation): Finding[] {
  const error = finding(operation)
  if (entriesOf(operation.node.responses).length === 0) return [error('answer', operation.at, 'it declares no answer.')]
  return [...operation.responses].flatMap(([status, response]) => {
    const ofHeaders = Object.keys(response.headers)
      .filter((name) => !isToken(name))
      .map((name) =>
        error('answer', [...response.at, 'headers', name], `no header can have the name ${JSON.stringify(name)}.`),
      )
    const types = Object.keys(response.content)
    if (types.length === 0 || answeredMedia(root, response)) return ofHeaders
    const what = `no answer ${status} can be written as ${types.join(' or ')}.`
    return [...ofHeaders, error('answer', [...response.at, 'content'], what)]
  })
}

/** Path parameters without a place in the path, and the other way round; what is written in two ways is told once. */
function pathFindings({ operationId, path, at, parameters }: ResolvedOperation): Finding[] {
  if (/[?#]/.test(path) || hasOddBraces(path)) return []
  const declared = parameters.filter((one) => one.in === 'path')
  const names = templateNames(path)
  const missing = names.filter((name) => declared.every((one) => one.name !== name))
  const unused = declared.filter(({ name }) => !names.includes(name))
  const meant = new Set<string>()
  const error = (where: Path, message: string, mend: string): Finding => {
    return { severity: 'error', kind: 'parameter', at: where, message: `${operationId}: ${message}`, mend }
  }
  const found = unused.map((one) => {
    const near = nearest(one.name, missing) ?? (missing.length === 1 && unused.length === 1 ? missing[0] : undefined)
    if (near !== undefined) meant.add(near)
    const mend =
      near === undefined ? `Write {${one.name}} in the path, or take the parameter away.` : `Did you mean ${near}?`
    return error([...one.at, 'name'], `the path has no {${one.name}}.`, mend)
  })
  const others = missing.filter((name) => !meant.has(name))
  const mend = 'Declare it under parameters, with "in: path".'
  return [...found, ...others.map((name) => error(at, `the path parameter ${name} is not declared.`, mend))]
}

/** The path item of an operation. */
export function itemOf(root: unknown, { at }: ResolvedOperation): Node {
  return nodeOf(locate(root, at.slice(0, -1)).value)
}

function bodyFault(root: unknown, type: string, media: Parameters<typeof kindOf>[2]): string | undefined {
  const kind = kindOf(root, type, media)
  if (kind === undefined) return 'cannot be read'
  if (kind !== 'form' && kind !== 'multipart') return undefined
  const types = typesOf(partsOf(root, media.schema))
  return media.schema && types.size > 0 && !types.has('object') ? 'must be an object' : undefined
}
