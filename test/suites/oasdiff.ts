import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesBeside } from '../../src/contract/model/files/files.ts'
import { diffContracts } from '../../scripts/workshop/diff/diff.ts'
import { facts } from './oasdiff-facts.ts'

/** The release of oasdiff whose pairs of contracts are graded (Apache-2.0). */
export const module = 'github.com/oasdiff/oasdiff@v1.38.0'

/** The folder of oasdiff's test data, which the first call fetches by `go`; undefined where there is no `go`, or no module. */
export function oasdiffData(): string | undefined {
  try {
    const found = execFileSync('go', ['mod', 'download', '-json', module], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    const folder = join((JSON.parse(found) as { Dir: string }).Dir, 'data')
    return existsSync(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

/** Our grade of a pair of files beside that of oasdiff. */
export interface PairVerdict {
  /** Such as `checker/enums_base.yaml back`. */
  name: string
  theirs: string
  ours: string
  /** Why ours is another one on purpose; undefined if it is the same, or should be. */
  reason: string | undefined
  /** Whether ours is what the facts say. */
  isExpected: boolean
}

/** Grades every pair of the facts, or one of `step`. */
export function gradedPairs(data: string, step = 1): PairVerdict[] {
  const rows = facts.trim().split('\n')
  return rows
    .filter((_, index) => index % step === 0)
    .flatMap((row) => {
      const [base = '', there = '', back = ''] = row.split(' ')
      const revision = base.replace(/base([^/]*)$/, 'revision$1')
      return [verdictOn(data, [base, revision], base, there), verdictOn(data, [revision, base], `${base} back`, back)]
    })
}

function verdictOn(data: string, files: readonly [string, string], name: string, fact: string): PairVerdict {
  const [grades = '', reason] = fact.split(':')
  const [theirs = '', right = theirs] = grades.split('>')
  const ours = gradeOf(data, files)
  return { name, theirs, ours, reason, isExpected: ours === right }
}

function gradeOf(data: string, files: readonly [string, string]): string {
  const [base, head] = files.map((file) => {
    const path = join(data, file)
    return { text: readFileSync(path, 'utf8'), name: file, files: filesBeside(path) }
  })
  if (!base || !head) return 'none'
  return diffContracts({ base, head, today: '2026-11-30' }).changes[0]?.level ?? 'none'
}
