import type { ContractDocument } from '../model/files/document.ts'
import { modelOf, type ContractModel } from '../model/model.ts'
import { pointerOf, type Node, type Path } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import { judge, type RuleBook } from './judge.ts'
import { fault, isRefusal, type Finding } from './rule.ts'
import { rules } from './rules.ts'
import { structure } from './structure.ts'

/** The rules that can keep the service from starting; `checked` leaves out the slow one. */
function ofStart({ checked }: { checked: boolean }): RuleBook {
  const isNeeded = (rule: RuleBook[string][number]): boolean => isRefusal(rule) && !(checked && rule === structure)
  return Object.fromEntries(Object.entries(rules).map(([subject, all]) => [subject, all.filter(isNeeded)]))
}

/** Throws the first finding with which the service does not start, with its place. */
export function refuseUnsupported(document: ContractDocument, options: { checked: boolean }): void {
  const found = judge(modelOf(document), ofStart(options)).find(isRefusal)
  if (found) throw fault(document, found)
}

/** What share of a contract's operations could be served, if the others were not in it. */
export interface Served {
  operations: number
  served: number
  findings: Finding[]
  /** How many operations are not served, by what the findings are about. */
  reasons: ReadonlyMap<string, number>
}

/** Finds out which operations of a contract can be served, each by itself. */
export function servedOperations(document: ContractDocument): Served {
  const model = modelOf(document)
  const findings = judge(model, rules).filter((one) => isRefusal(one) || one.level === 'noted')
  const refusals = findings.filter(isRefusal)
  const reasons = new Map<string, number>()
  let served = 0
  for (const operation of model.operations) {
    const reached = reachedBy(model, operation)
    const subjects = new Set(refusals.filter(({ at }) => isReached(at, reached)).map(({ subject }) => subject))
    for (const subject of subjects) reasons.set(subject, (reasons.get(subject) ?? 0) + 1)
    if (subjects.size === 0) served += 1
  }
  return { operations: model.operations.length, served, findings, reasons }
}

/** The places of everything that an operation uses. */
function reachedBy(model: ContractModel, { node, at, item, parameters }: Operation): Set<string> {
  const reached = new Set([pointerOf(at), pointerOf(['paths', item.path])])
  const seen = new Set<Node>()
  const enter = ({ at: where }: { at: Path }): void => {
    reached.add(pointerOf(where))
  }
  model.visitReached({ kind: 'operation', node, at }, seen, enter)
  for (const one of parameters) model.visitReached({ kind: 'parameter', node: one.node, at: one.at }, seen, enter)
  return reached
}

/** Whether a place concerns an operation: it is in something that the operation uses, or concerns the whole contract. */
function isReached(at: Path, reached: ReadonlySet<string>): boolean {
  if (at.length < 2 || (at[0] !== 'paths' && at[0] !== 'components')) return true
  if (at[0] === 'paths' && at.length === 2) return reached.has(pointerOf(at))
  return at.some((_, index) => index >= 2 && reached.has(pointerOf(at.slice(0, index + 1))))
}
