import type { ContractDocument } from '../model/files/document.ts'
import { modelOf, type ContractModel } from '../model/model.ts'
import { pointerOf, type Node, type Path } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import { ownAddresses } from './addresses.ts'
import { readableBodies } from './bodies.ts'
import { judge, type RuleBook } from './judge.ts'
import { fault, isRefusal, type Finding } from './rule.ts'
import { rules } from './rules.ts'

type Rule = RuleBook[string][number]

/** The rules that can keep the service from starting, but for those in `without`. */
function ofStart(without: readonly Rule[] = []): RuleBook {
  return Object.fromEntries(
    Object.entries(rules).map(([subject, all]) => [
      subject,
      all.filter((rule) => isRefusal(rule) && !without.includes(rule)),
    ]),
  )
}

/** Throws the first finding that keeps an operation from being served, with its place. */
export function refuseUnsupported(document: ContractDocument): void {
  const model = modelOf(document)
  const found = unserved(model, judge(model, ofStart()))
  const [first] = found.findings
  if (first) throw fault(document, first)
}

/** The operations that a mock cannot serve, which has no pages that hide one, and no use for a body of a request. */
export function unservedByMock(document: ContractDocument): Unserved {
  const model = modelOf(document)
  return unserved(model, judge(model, ofStart([ownAddresses, readableBodies])))
}

/** The operations that cannot be served, with what keeps each from it. */
export interface Unserved {
  operations: ReadonlyMap<Operation, readonly Finding[]>
  /** Findings in a path that are of no operation, such as a method that is not served. Each counts as one operation. */
  others: readonly Finding[]
  /** All of these findings, in the order of the contract. */
  findings: readonly Finding[]
}

function unserved(model: ContractModel, all: readonly Finding[]): Unserved {
  const refusals = all.filter(isRefusal)
  const operations = new Map<Operation, Finding[]>()
  const reaching = new Set<Finding>()
  for (const operation of refusals.length > 0 ? model.operations : []) {
    const isReached = reachOf(model, operation)
    const found = refusals.filter(({ at, alsoAt = [] }) => [at, ...alsoAt].some(isReached))
    if (found.length > 0) operations.set(operation, found)
    found.forEach((one) => reaching.add(one))
  }
  const others = refusals.filter((one) => !reaching.has(one) && isOfPaths(model, one))
  return { operations, others, findings: refusals.filter((one) => reaching.has(one) || others.includes(one)) }
}

/** Whether a finding is of the paths, or of a contract in which nothing can be served. */
function isOfPaths({ operations }: ContractModel, { at, alsoAt = [] }: Finding): boolean {
  return [at, ...alsoAt].some(([key]) => key === 'paths' || (operations.length === 0 && key !== 'components'))
}

/** What share of a contract's operations could be served, if the others were not in it. */
export interface Served {
  operations: number
  served: number
  /** How many operations are not served, by what the findings are about. */
  reasons: ReadonlyMap<string, number>
}

/** Finds out which operations of a contract can be served, each by itself, from all findings of its rules. */
export function servedOperations(
  document: ContractDocument,
  findings: readonly Finding[] = judge(modelOf(document), rules),
): Served {
  const model = modelOf(document)
  const { operations, others } = unserved(model, findings)
  const reasons = new Map<string, number>()
  for (const found of [...operations.values(), ...others.map((one) => [one])]) {
    for (const subject of new Set(found.map((one) => one.subject)))
      reasons.set(subject, (reasons.get(subject) ?? 0) + 1)
  }
  const all = model.operations.length
  return { operations: all + others.length, served: all - operations.size, reasons }
}

/** Tells which places concern an operation: those in something that it uses, and those of the whole contract. */
function reachOf(model: ContractModel, operation: Operation): (at: Path) => boolean {
  const { node, at, item, parameters, servers } = operation
  const reached = new Set([pointerOf(at)])
  const seen = new Set<Node>()
  const enter = ({ at: where }: { at: Path }): void => {
    reached.add(pointerOf(where))
  }
  model.visitReached({ kind: 'operation', node, at }, seen, enter)
  for (const one of parameters) model.visitReached({ kind: 'parameter', node: one.node, at: one.at }, seen, enter)
  const first = servers[0]
  if (first) enter(first)
  for (const { name } of operation.requirements.flat()) {
    const scheme = model.securityScheme(name)
    if (scheme) enter(scheme)
    reached.add(pointerOf(['components', 'securitySchemes', name]))
  }
  return (place) => {
    const [section = '', ...rest] = place
    if (section === 'paths' && rest.length === 1) return rest[0] === item.path
    if (section === 'security') return node.security === undefined
    if (section === 'servers' && rest.length === 0) return first?.at.length === 2
    const isOwn = section === 'paths' || section === 'components'
    if (!isOwn && section !== 'servers') return true
    return place.some((_, index) => reached.has(pointerOf(place.slice(0, index + 1))))
  }
}
