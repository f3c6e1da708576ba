import type { ContractDocument } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { dialectFindings } from './dialect.ts'
import { modelOf } from '../model/model.ts'
import { addressFindings } from './addresses.ts'
import { referenceFindings } from './references.ts'
import { pointerOf, type Node, type Path } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import { definitionFindings } from './structure.ts'
import { findingsOf } from './operations.ts'
import { schemaFindings } from './schemas.ts'

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
function operationsBeside(document: ContractDocument, findings: readonly Finding[]): readonly Operation[] {
  if (findings.length === 0) return modelOf(document).operations
  if (findings.some(({ at }) => isOfAll(at))) return []
  return modelOf(document).operations.filter((one) => {
    const reached = reachedBy(document, one)
    return !findings.some(({ at }) => isReached(at, reached))
  })
}

/** What `x-successor` can name. */
function idsOf(document: ContractDocument): Set<string> {
  return new Set(modelOf(document).operations.flatMap(({ operationId, declaredId }) => [operationId, declaredId ?? '']))
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
  const operations = modelOf(document).operations
  const ids = idsOf(document)
  const reasons = new Map<string, number>()
  const found = new Map<string, Finding>(ofAll.map((one) => [`${pointerOf(one.at)} ${one.message}`, one]))
  let served = 0
  for (const operation of operations) {
    const reached = reachedBy(document, operation)
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
function reachedBy(document: ContractDocument, operation: Operation): Set<string> {
  const { node, at, declaredParameters } = operation
  const model = modelOf(document)
  const reached = new Set<string>([pointerOf(at), pointerOf(['paths', at[1] ?? ''])])
  const seen = new Set<Node>()
  for (const part of [
    { kind: 'operation' as const, node, at },
    ...declaredParameters.map((one) => ({ kind: 'parameter' as const, node: one.node, at: one.at })),
  ]) {
    model.visitReached(part, seen, (one) => reached.add(pointerOf(one.at)))
  }
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
function findingsIn(document: ContractDocument, operation: Operation, ids: ReadonlySet<string>): Finding[] {
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
    ...addressFindings(modelOf(document)),
    ...schemaFindings(modelOf(document)),
    ...plans,
    ...dialectFindings(document.source),
  ]
  const places = new Set(known.map(({ at }) => pointerOf(at)))
  const ofDefinition = checked ? [] : definitionFindings(document)
  return [...known, ...ofDefinition.filter(({ at }) => !places.has(pointerOf(at)))]
}
