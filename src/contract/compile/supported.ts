import type { ContractDocument } from '../document/document.ts'
import type { Finding } from '../document/finding.ts'
import { dialectFindings } from '../document/dialect-findings.ts'
import { hasOddBraces, namedOperations, operationFindings } from '../document/operations.ts'
import { referenceFindings } from '../document/references.ts'
import {
  entriesOf,
  listOf,
  locate,
  nodeOf,
  targetOf,
  walkThrough,
  pointerOf,
  type Node,
  type Path,
} from '../document/tree.ts'
import { definitionFindings } from './definition.ts'
import { isExploded, isObject } from './request/parameters.ts'
import { kindOf } from './media.ts'
import { lifecycleFindings } from './lifecycle.ts'
import { partsOf, propertiesOf, typesOf } from './schemas/parts.ts'
import { answeredMedia } from './reply/reply.ts'
import { nearest } from '../document/nearest.ts'
import { isIgnored, resolveOperations, type ResolvedOperation, type ResolvedParameter } from './resolve.ts'
import { templateNames } from './router.ts'
import { schemaFindings } from './schemas/schema-findings.ts'
import { securityFindings } from '../document/security.ts'

/**
 * What the service cannot do as a contract says, and what it does in a way of its own, each once. An operation that uses
 * what is not as OpenAPI says is not looked into further.
 */
export function contractFindings(document: ContractDocument, { checked }: { checked: boolean }): Finding[] {
  const ofAll = documentFindings(document, { checked })
  const unreadable = ofAll.filter(
    ({ severity, kind }) => severity === 'error' && ['reference', 'OpenAPI'].includes(kind),
  )
  const found = new Map<string, Finding>()
  const ids = idsOf(document)
  const ofOperations = operationsBeside(document, unreadable).flatMap((one) => findingsIn(document, one, ids))
  for (const finding of [...ofAll, ...ofOperations]) {
    const name = `${pointerOf(finding.at)} ${finding.message}`
    if (!found.has(name)) found.set(name, finding)
  }
  return [...found.values()]
}

/** The operations that do not use the places of some findings. */
function operationsBeside(document: ContractDocument, findings: readonly Finding[]): ResolvedOperation[] {
  if (findings.length === 0) return resolveOperations(document)
  if (findings.some(({ at }) => isOfAll(at))) return []
  return resolveOperations(document).filter((one) => {
    const reached = reachedBy(document.root, one)
    return !findings.some(({ at }) => isReached(at, reached))
  })
}

/** What `x-successor` can name. */
function idsOf(document: ContractDocument): Set<string> {
  return new Set(namedOperations(document).flatMap(({ operationId, declaredId }) => [operationId, declaredId ?? '']))
}

/** Throws the first error in a contract, with its place. */
export function refuseUnsupported(document: ContractDocument, options: { checked: boolean }): void {
  const fault = contractFindings(document, options).find(({ severity }) => severity === 'error')
  if (fault) throw new Error(`${document.place(fault.at)} ${fault.message}${fault.mend ? ` ${fault.mend}` : ''}`)
}

/** What share of a contract's operations could be served, if the others were not in it. */
export interface Served {
  operations: number
  served: number
  findings: Finding[]
  /** How many operations are not served, by the kinds of their errors. */
  reasons: ReadonlyMap<string, number>
}

/** Finds out which operations of a contract can be served, each by itself. */
export function servedOperations(document: ContractDocument): Served {
  const ofAll = documentFindings(document, { checked: false })
  const errors = ofAll.filter(({ severity }) => severity === 'error')
  const operations = resolveOperations(document)
  const ids = idsOf(document)
  const reasons = new Map<string, number>()
  const found = new Map<string, Finding>(ofAll.map((one) => [`${pointerOf(one.at)} ${one.message}`, one]))
  let served = 0
  for (const operation of operations) {
    const reached = reachedBy(document.root, operation)
    const own = findingsIn(document, operation, ids)
    for (const one of own) found.set(`${pointerOf(one.at)} ${one.message}`, one)
    const kinds = new Set(
      [...own.filter(({ severity }) => severity === 'error'), ...errors.filter(({ at }) => isReached(at, reached))].map(
        ({ kind }) => kind,
      ),
    )
    for (const kind of kinds) reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
    if (kinds.size === 0) served += 1
  }
  return { operations: operations.length, served, findings: [...found.values()], reasons }
}

/** The places of everything that an operation uses. */
function reachedBy(root: unknown, operation: ResolvedOperation): Set<string> {
  const { node, at } = operation
  const reached = new Set<string>([pointerOf(at), pointerOf(['paths', at[1] ?? ''])])
  const seen = new Set<Node>()
  const visit = (_: unknown, where: Path): void => {
    reached.add(pointerOf(where))
  }
  walkThrough(root, { at, value: node }, visit, seen)
  walkThrough(root, { at: [...at.slice(0, -1), 'parameters'], value: itemOf(root, operation).parameters }, visit, seen)
  return reached
}

/** Whether a place concerns an operation: it is in something that the operation uses, or concerns the whole contract. */
function isReached(at: Path, reached: ReadonlySet<string>): boolean {
  if (isOfAll(at)) return true
  if (at[0] === 'paths' && at.length === 2) return reached.has(pointerOf(at))
  return at.some((_, index) => index >= 2 && reached.has(pointerOf(at.slice(0, index + 1))))
}

function isOfAll(at: Path): boolean {
  return at.length < 2 || (at[0] !== 'paths' && at[0] !== 'components')
}

/** An operation that cannot be read at all is one that OpenAPI does not describe. */
function findingsIn(document: ContractDocument, operation: ResolvedOperation, ids: ReadonlySet<string>): Finding[] {
  try {
    return findingsOf(document, operation, ids)
  } catch {
    return [{ severity: 'error', kind: 'OpenAPI', at: operation.at, message: 'The operation cannot be read.' }]
  }
}

function documentFindings(document: ContractDocument, { checked }: { checked: boolean }): Finding[] {
  const plans: Finding[] =
    'x-plans' in document.root
      ? []
      : [
          {
            severity: 'note',
            kind: 'plans',
            at: [],
            message: 'Without x-plans, keys have one plan without limits to speak of.',
          },
        ]
  const known = [
    ...referenceFindings(document),
    ...operationFindings(document),
    ...schemaFindings(document.root),
    ...plans,
    ...dialectFindings(document.source),
  ]
  const places = new Set(known.map(({ at }) => pointerOf(at)))
  const ofDefinition = checked ? [] : definitionFindings(document)
  return [...known, ...ofDefinition.filter(({ at }) => !places.has(pointerOf(at)))]
}

function findingsOf(document: ContractDocument, operation: ResolvedOperation, ids: ReadonlySet<string>): Finding[] {
  const { root } = document
  const { node, at, operationId } = operation
  const findings: Finding[] = []
  const add = (severity: Finding['severity'], kind: string, where: Path, what: string): void => {
    findings.push({ severity, kind, at: where, message: `${operationId}: ${what}` })
  }
  for (const parameter of operation.parameters) {
    const fault = nameFault(parameter) ?? parameterFault(root, parameter)
    // OpenAPI tells more of a style that it does not know
    const isStyle = fault?.startsWith('has the style') === true
    const where = isStyle ? [...parameter.at, 'style'] : parameter.at
    if (fault !== undefined)
      add('error', 'parameter', where, `the ${parameter.in} parameter ${parameter.name} ${fault}.`)
  }
  findings.push(...pathFindings(operation))
  for (const value of [...listOf(node.parameters), ...listOf(itemOf(root, operation).parameters)]) {
    const target = targetOf(root, value, at)
    if (target && isIgnored(target.node as never)) {
      add(
        'note',
        'parameter',
        target.at,
        `the header ${String(target.node.name)} is told elsewhere; the parameter is ignored.`,
      )
    }
  }
  const { requestBody } = operation
  for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
    const fault = bodyFault(root, type, media)
    if (fault !== undefined)
      add('error', 'body', [...(requestBody?.at ?? []), 'content', type], `the body ${type} ${fault}.`)
  }
  if (entriesOf(node.responses).length === 0) add('error', 'answer', at, 'it declares no answer.')
  for (const [status, response] of operation.responses) {
    for (const name of Object.keys(response.headers)) {
      if (!token.test(name))
        add(
          'error',
          'answer',
          [...response.at, 'headers', name],
          `no header can have the name ${JSON.stringify(name)}.`,
        )
    }
    const types = Object.keys(response.content)
    if (types.length > 0 && !answeredMedia(root, response)) {
      add(
        'error',
        'answer',
        [...response.at, 'content'],
        `no answer ${status} can be written as ${types.join(' or ')}.`,
      )
    }
  }
  findings.push(...securityFindings(root, node, at), ...lifecycleFindings(node, at, (id) => ids.has(id)))
  return findings
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

function itemOf(root: unknown, { at }: ResolvedOperation): Node {
  return nodeOf(locate(root, at.slice(0, -1)).value)
}

const styles: Readonly<Record<ResolvedParameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Names in HTTP (RFC 9110, section 5.6.2). */
const token = /^[\w!#$%&'*+.^`|~-]+$/

function nameFault({ in: place, name }: ResolvedParameter): string | undefined {
  if (name === '') return 'has no name'
  if (name === '__proto__') return 'must have another name, which no object can have safely'
  const isSendable = (place !== 'header' && place !== 'cookie') || token.test(name)
  return isSendable ? undefined : `has a name that no ${place} can have`
}

const scalars = ['string', 'integer', 'number', 'boolean']

function parameterFault(root: unknown, parameter: ResolvedParameter): string | undefined {
  const { in: place, schema, content, style, required } = parameter
  if (content !== undefined) {
    if (schema) return 'has a schema and content; use one of the two'
    const types = Object.keys(content)
    return types.join() === 'application/json' ? undefined : `has the content ${types.join(', ')}; use application/json`
  }
  if (!schema) return 'needs a schema'
  if (place === 'path' && required !== true) return 'must have "required: true"'
  const allowed = styles[place]
  if (style !== undefined && !allowed.includes(style)) return `has the style ${style}; use ${allowed.join(' or ')}`
  const parts = partsOf(root, schema)
  const types = typesOf(parts)
  if (style === 'deepObject')
    return isScalar(types) && types.size > 0 ? 'has the style deepObject, which is for objects' : undefined
  if (types.size > 1 && types.has('object')) {
    return `must not be an object beside other types${place === 'query' ? '; use the style deepObject' : ''}`
  }
  if (types.size > 1 && types.has('array') && place !== 'query') return 'must not be a list beside other types'
  if ((style === 'spaceDelimited' || style === 'pipeDelimited') && isObject(root, parameter))
    return `has the style ${style}, which is for lists`
  if (place === 'cookie' && !isScalar(types) && isExploded(parameter))
    return 'must have "explode: false", as cookies are'
  const inside = [...parts.flatMap(({ items }) => items ?? []), ...propertiesOf(parts).values()].flat()
  if (inside.some((one) => !isScalar(typesOf(partsOf(root, one)))))
    return 'must not have lists or objects in it; use the style deepObject'
  return undefined
}

function isScalar(types: ReadonlySet<string>): boolean {
  return [...types].every((type) => scalars.includes(type))
}

function bodyFault(root: unknown, type: string, media: Parameters<typeof kindOf>[2]): string | undefined {
  const kind = kindOf(root, type, media)
  if (kind === undefined) return 'cannot be read'
  if (kind !== 'form' && kind !== 'multipart') return undefined
  const types = typesOf(partsOf(root, media.schema))
  return media.schema && types.size > 0 && !types.has('object') ? 'must be an object' : undefined
}
