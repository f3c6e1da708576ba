import type { ContractDocument } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { isToken } from '../model/formats.ts'
import { nearest } from '../model/nearest.ts'
import { modelOf } from '../model/model.ts'
import { hasOddBraces } from '../model/path.ts'
import { securityFindings } from './security.ts'
import { entriesOf, type Path } from '../model/node.ts'
import type { Media } from '../model/media.ts'
import type { Operation } from '../model/operation.ts'
import { lifecycleFindings } from '../compile/life-cycle.ts'
import { parameterFault } from './parameters.ts'

/** What the service cannot do of an operation, and what it does in a way of its own. `ids` are what `x-successor` can name. */
export function findingsOf(document: ContractDocument, operation: Operation, ids: ReadonlySet<string>): Finding[] {
  const { node, at } = operation
  return [
    ...parameterFindings(operation),
    ...pathFindings(operation),
    ...ignoredFindings(operation),
    ...bodyFindings(operation),
    ...answerFindings(operation),
    ...securityFindings(modelOf(document), operation),
    ...lifecycleFindings(node, at, (id) => ids.has(id)),
  ]
}

type Make = (kind: string, at: Path, what: string, severity?: Finding['severity']) => Finding

function finding({ operationId }: Operation): Make {
  return (kind, at, what, severity = 'error') => ({ severity, kind, at, message: `${operationId}: ${what}` })
}

function parameterFindings(operation: Operation): Finding[] {
  return operation.parameters.flatMap((parameter) => {
    const fault = parameterFault(parameter)
    if (fault === undefined) return []
    // OpenAPI tells more of a style that it does not know
    const key = !parameter.isPlaced ? 'in' : fault.startsWith('has the style') ? 'style' : undefined
    const where = key === undefined ? parameter.at : [...parameter.at, key]
    return finding(operation)('parameter', where, `the ${parameter.in} parameter ${parameter.name} ${fault}.`)
  })
}

function ignoredFindings(operation: Operation): Finding[] {
  return operation.declaredParameters.flatMap(({ isIgnored, name, at }) => {
    if (!isIgnored) return []
    const what = `the header ${name} is told elsewhere; the parameter is ignored.`
    return finding(operation)('parameter', at, what, 'note')
  })
}

function bodyFindings(operation: Operation): Finding[] {
  return (operation.body?.content ?? []).flatMap((media) => {
    const fault = bodyFault(media)
    return fault === undefined ? [] : finding(operation)('body', media.at, `the body ${media.name} ${fault}.`)
  })
}

function answerFindings(operation: Operation): Finding[] {
  const error = finding(operation)
  if (entriesOf(operation.node.responses).length === 0) return [error('answer', operation.at, 'it declares no answer.')]
  return [...operation.responses].flatMap(([status, response]) => {
    const ofHeaders = [...response.headers.keys()]
      .filter((name) => !isToken(name))
      .map((name) =>
        error('answer', [...response.at, 'headers', name], `no header can have the name ${JSON.stringify(name)}.`),
      )
    const types = response.content.map(({ name }) => name)
    if (types.length === 0 || response.answered) return ofHeaders
    const what = `no answer ${status} can be written as ${types.join(' or ')}.`
    return [...ofHeaders, error('answer', [...response.at, 'content'], what)]
  })
}

/** Path parameters without a place in the path, and the other way round; what is written in two ways is told once. */
function pathFindings({ operationId, path, at, parameters, templateNames: names }: Operation): Finding[] {
  if (/[?#]/.test(path) || hasOddBraces(path)) return []
  const declared = parameters.filter((one) => one.in === 'path')
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

function bodyFault({ kind, schema }: Media): string | undefined {
  if (kind === undefined) return 'cannot be read'
  if (kind !== 'form' && kind !== 'multipart') return undefined
  const types = schema?.shape.types
  return types && types.size > 0 && !types.has('object') ? 'must be an object' : undefined
}
