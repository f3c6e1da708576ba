import { parseContract, type ContractDocument } from '../../../src/contract/model/files/document.ts'
import type { Files } from '../../../src/contract/model/files/files.ts'
import { placeIn, type Place } from '../finding.ts'
import { approve, type Approval } from './approvals.ts'
import { levels, type Change } from './change.ts'
import { compareOperations } from './compare/operations.ts'
import { sideOf, type Side } from './compare/sides.ts'
import { operationChanges, stabilityOf } from './life-cycle.ts'
import { planChanges } from './plan-changes.ts'
import { versionReport, type VersionReport } from './version.ts'

/** The text of a contract, with its name in messages. */
export interface ContractText {
  text: string
  name: string
  /** The files beside it. */
  files?: Files
}

export interface DiffReport {
  base: string
  head: string
  /** The worst first, then in the order of the file. */
  changes: Change[]
  /** How many texts for readers were edited. */
  editorial: number
  /** With the place where the newer contract says its version. */
  version: VersionReport & { place: Place }
  /** A sentence for each approval that has no effect. */
  notes: string[]
  /** Whether no change breaks clients without an excuse, and the version grew enough. */
  passed: boolean
}

/**
 * Grades each difference between two contracts from the view of a client of the older one. A contract that cannot be
 * read throws an error that begins with the place.
 */
export function diffContracts({
  base,
  head,
  approvals = [],
  today,
}: {
  base: ContractText
  head: ContractText
  approvals?: readonly Approval[]
  /** Such as 2026-11-28. */
  today: string
}): DiffReport {
  const before = sideOf(contractOf(base))
  const sides = { base: before, head: sideOf(contractOf(head), before) }
  const { changes: graded, editorial } = compareOperations(sides, today)
  const changes = [
    ...operationChanges(sides.base, sides.head, today),
    ...graded,
    ...planChanges(sides.base.document, sides.head.document),
  ].sort(
    (a, b) =>
      levels.indexOf(a.level) - levels.indexOf(b.level) ||
      a.place.line - b.place.line ||
      a.place.column - b.place.column,
  )
  excuseUnstable(changes, sides.base, sides.head)
  const version = {
    ...versionReport(sides.base.document.root, sides.head.document.root, changes),
    place: placeIn(sides.head.document, ['info', 'version']),
  }
  const notes = approve(changes, approvals, today)
  const breaks = changes.some(({ level, excused }) => level === 'breaking' && excused === undefined)
  return { base: base.name, head: head.name, changes, editorial, version, notes, passed: !breaks && version.enough }
}

function contractOf({ text, name, files }: ContractText): ContractDocument {
  return parseContract(text, name, files)
}

/** A change that affects only experimental and beta operations does not fail the check, and needs no major version. */
function excuseUnstable(changes: readonly Change[], base: Side, head: Side): void {
  const unstable = new Map<string, string>()
  for (const { key, name, operation } of base.operations.values()) {
    const stability = stabilityOf(operation)
    if (stability !== 'stable') unstable.set(head.operations.get(key)?.name ?? name, stability)
  }
  for (const change of changes) {
    const { level, rule, operations } = change
    if (level !== 'breaking' || rule === 'stability-lowered' || operations.length === 0) continue
    if (!operations.every((name) => unstable.has(name))) continue
    const marks = new Set(operations.map((name) => unstable.get(name)))
    change.excused = [...marks].join(' and ')
    change.bump = 'minor'
  }
}
