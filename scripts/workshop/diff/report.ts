import type { Change, Level } from './change.ts'
import type { DiffReport } from './diff.ts'
import { annotation, placeText } from '../finding.ts'

export type Format = 'text' | 'markdown' | 'json' | 'github'

/** The ways to write a report: for a terminal, a step summary, programs, and as annotations of GitHub Actions. */
export const reports: Record<Format, (report: DiffReport) => string> = {
  text,
  markdown,
  json: (report) => JSON.stringify(report, null, 2),
  github,
}

const levels: Level[] = ['breaking', 'risky', 'compatible']
const shownOperations = 5

function text(report: DiffReport): string {
  const groups = levels.flatMap((level) => {
    const changes = report.changes.filter((change) => change.level === level)
    return changes.length === 0 ? [] : [[heading(level, changes), ...changes.map(told)].join('\n')]
  })
  return [...groups, [...report.notes, ...versionLine(report), verdict(report)].join('\n')].join('\n\n')

  function told(change: Change): string {
    const line = `  ${placeText(change.place)} ${change.message} [${change.fingerprint}]`
    return [
      line,
      ...usedIn(change),
      ...(change.excused === undefined ? [] : [`      excused: ${change.excused}`]),
    ].join('\n')
  }

  function usedIn({ operations, message }: Change): string[] {
    const [only] = operations
    const isTold = operations.length === 1 && only !== undefined && message.startsWith(only)
    return operations.length === 0 || isTold ? [] : [`      in ${operationList(operations)}`]
  }
}

function markdown(report: DiffReport): string {
  const tables = levels.flatMap((level) => {
    const changes = report.changes.filter((change) => change.level === level)
    if (changes.length === 0) return []
    const rows = changes.map((change) => {
      const { place, message, operations, fingerprint, excused } = change
      const told = excused === undefined ? message : `${message} Excused: ${excused}.`
      return `| ${[placeText(place), told, operationList(operations), `\`${fingerprint}\``].map(cell).join(' | ')} |`
    })
    return [
      [
        `### ${heading(level, changes)}`,
        '',
        '| Place | Change | Operations | Fingerprint |',
        '|---|---|---|---|',
        ...rows,
      ].join('\n'),
    ]
  })
  const [last, ...lines] = [verdict(report), ...versionLine(report), ...report.notes]
  return [`## Contract: ${report.base} → ${report.head}`, `**${last}**`, ...lines.map(cell), ...tables].join('\n\n')
}

function github(report: DiffReport): string {
  const kinds = { breaking: 'error', risky: 'warning', compatible: 'notice' } as const
  const lines = report.changes.map(({ level, place, rule, message, fingerprint, excused }) => {
    const told = excused === undefined ? message : `${message} Excused: ${excused}.`
    return annotation(
      excused === undefined ? kinds[level] : 'notice',
      place,
      `${level}: ${rule}`,
      `${told} [${fingerprint}]`,
    )
  })
  const start = { file: report.head, line: 1, column: 1 }
  return [
    ...lines,
    ...versionLine(report).map((line) => annotation('error', start, 'breaking: version', line)),
    ...report.notes.map((note) => annotation('warning', start, 'approvals', note)),
    verdict(report),
  ].join('\n')
}

function heading(level: Level, changes: readonly Change[]): string {
  return `${level.charAt(0).toUpperCase()}${level.slice(1)} (${changes.length})`
}

function versionLine({ version: { base, head, needed, enough } }: DiffReport): string[] {
  if (enough) return []
  const went = base === head ? `stayed ${base}` : `went from ${base} to ${head}`
  return needed === 'none'
    ? [`info.version ${went}; it must not become less.`]
    : [`info.version ${went}; these changes need the next ${needed} version.`]
}

function verdict({ changes, editorial, version, passed }: DiffReport): string {
  const breaking = changes.filter(({ level }) => level === 'breaking')
  const excused = breaking.filter(({ excused }) => excused !== undefined).length
  const counts = levels.map((level) => `${changes.filter((change) => change.level === level).length} ${level}`)
  const all = `${counts.join(', ')}, ${editorial} editorial${excused === 0 ? '' : `; ${excused} excused`}`
  if (passed && changes.length === 0 && editorial > 0) return `Only texts for readers changed (${all}).`
  if (passed) return `Nothing breaks clients (${all}).`
  return breaking.length > excused
    ? `The change of the contract breaks clients (${all}).`
    : `The version did not grow enough (${all}): ${version.base} → ${version.head}.`
}

function operationList(operations: readonly string[]): string {
  const more = operations.length - shownOperations
  const shown = operations.slice(0, shownOperations).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** Escapes a text for a cell of a Markdown table. */
function cell(content: string): string {
  return content
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/<(?=\S)/g, '&lt;')
}
