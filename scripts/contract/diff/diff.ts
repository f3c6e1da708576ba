import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseContract } from '../../../src/contract/document/document.ts'
import { pathOf } from '../../../src/contract/document/tree.ts'
import { approve, type Approval } from './approvals.ts'
import type { Change } from './change.ts'
import { canary, essencesOf, type Essence } from './normalised.ts'
import { gradeChanges, type RawChange } from './grade.ts'
import { operationChanges, stabilityOf } from './life-cycle.ts'
import { planChanges } from './plan-changes.ts'
import { sideOf, type Side } from '../usage.ts'
import { redocly } from '../redocly.ts'
import { versionReport, type VersionReport } from './version.ts'

/** A contract's text, and what messages call it. */
export interface ContractText {
  text: string
  name: string
}

export interface DiffReport {
  base: string
  head: string
  /** The worst first, then as they stand in the file. */
  changes: Change[]
  /** How many texts for people were edited. */
  editorial: number
  version: VersionReport
  /** Sentences on approvals that are of no use. */
  notes: string[]
  /** Whether nothing breaks clients that is not excused, and the version grew enough. */
  passed: boolean
}

const levels = ['breaking', 'risky', 'compatible']

/**
 * Grades every difference between two contracts from the view of a client that was made for the first. A contract that
 * cannot be read throws an error that names the place.
 */
export async function diffContracts({
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
}): Promise<DiffReport> {
  const before = sideOf(parseContract(base.text, base.name))
  const sides = { base: before, head: sideOf(parseContract(head.text, head.name), before) }
  const essences = essencesOf(sides.base, sides.head)
  const raw = await compare(essences.base, essences.head)
  const { changes: graded, editorial } = gradeChanges(raw, { ...sides, essences, today })
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
  const version = versionReport(sides.base.document.root, sides.head.document.root, changes)
  const notes = approve(changes, approvals, today)
  const breaks = changes.some(({ level, excused }) => level === 'breaking' && excused === undefined)
  return { base: base.name, head: head.name, changes, editorial, version, notes, passed: !breaks && version.enough }
}

async function compare(base: Essence, head: Essence): Promise<RawChange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-diff-'))
  try {
    const files = Object.entries({ base, head }).map(([name, { root }]) => {
      const file = join(folder, `${name}.json`)
      writeFileSync(file, JSON.stringify(root))
      return file
    })
    const { changes } = (await redocly('diff', files, ['--fail-on', 'none'])) as { changes: RawChange[] }
    const isCanary = ({ path }: RawChange): boolean => pathOf(path)[1] === canary
    if (!changes.some((change) => isCanary(change) && change.verdicts.length > 0)) {
      throw new Error('The rules of redocly diff are off. redocly.yaml must extend diff-recommended.')
    }
    return changes.filter((change) => !isCanary(change))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A change that touches experimental and beta operations alone fails nothing, and needs no major version. */
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
