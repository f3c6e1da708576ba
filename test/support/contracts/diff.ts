import type { Place } from '../../../scripts/workshop/finding.ts'
import { diffContracts, type DiffReport } from '../../../scripts/workshop/diff/diff.ts'

/** The day on which the tests' contracts are compared. */
export const today = '2026-11-28'

/** Compares two texts of contracts. */
export async function compare(base: string, head: string): Promise<DiffReport> {
  return diffContracts({ base: { text: base, name: 'base.yaml' }, head: { text: head, name: 'head.yaml' }, today })
}

/** What a report lists, a line for each change in the order of the report. */
export function listed({ changes }: DiffReport): string[] {
  return changes.map(({ level, message, excused }) =>
    excused === undefined ? `${level}: ${message}` : `${level} (${excused}): ${message}`,
  )
}

/** A contract with these paths and components, both in YAML's flow style. */
export function contract(paths: Record<string, string>, components = '{}', more = ''): string {
  const lines = Object.entries(paths).map(([path, item]) => `  ${path}: ${item}\n`)
  return `openapi: 3.0.3\ninfo: { title: Test, version: 1.0.0 }\n${more}paths:\n${lines.join('')}components: ${components}\n`
}

/** The rest of the line that begins at a place. */
export function textAt(text: string, { line, column }: Place): string {
  return text.split('\n')[line - 1]?.slice(column - 1) ?? ''
}
