import { levels, type Change } from './change.ts'
import type { DiffReport } from './diff.ts'
import { annotation, placeText, splitMessage } from '../finding.ts'
import { junit } from '../report/junit.ts'
import type { Report, ReportedFinding } from '../report/report.ts'
import { sarif } from '../report/sarif.ts'
import { html } from './html.ts'
import { groupsOf, operationList } from './groups.ts'
import { diffRules } from './rules.ts'

export type Format = 'text' | 'markdown' | 'html' | 'json' | 'github' | 'junit' | 'sarif'

/**
 * The ways to write a report: for a terminal, a step summary, readers of a changelog, programs, as annotations of GitHub
 * Actions, for CI servers, and for code scanning.
 */
export const reports: Record<Format, (report: DiffReport) => string> = {
  text,
  markdown,
  html: (report) => html(report, { verdict: verdict(report), version: versionLine(report) }),
  json,
  github,
  junit: (report) => junit(reportOf(report)),
  sarif: (report) => sarif(reportOf(report), diffRules),
}

function text(report: DiffReport): string {
  const groups = groupsOf(report).map(({ heading, changes }) => [heading, ...changes.map(told)].join('\n'))
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
  const tables = groupsOf(report).map(({ heading, changes }) => {
    const rows = changes.map((change) => {
      const { place, message, operations, fingerprint, excused } = change
      const told = excused === undefined ? message : `${message} Excused: ${excused}.`
      return `| ${[placeText(place), told, operationList(operations), `\`${fingerprint}\``].map(cell).join(' | ')} |`
    })
    return [`### ${heading}`, '', '| Place | Change | Operations | Fingerprint |', '|---|---|---|---|', ...rows].join(
      '\n',
    )
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
  return [
    ...lines,
    ...versionLine(report).map((line) => annotation('error', report.version.place, 'breaking: version', line)),
    ...notesOf(report).map(({ place, message }) => annotation('warning', place, 'approvals', message)),
    verdict(report),
  ].join('\n')
}

function json(report: DiffReport): string {
  const { base, head, editorial, version } = report
  const { verdict, summary, findings } = reportOf(report)
  return JSON.stringify({ base, head, verdict, summary, findings, editorial, version }, null, 2)
}

function reportOf(report: DiffReport): Report {
  const { head, changes, version, passed } = report
  const tooLow: ReportedFinding[] = versionLine(report).map((message) => {
    return { rule: 'version', level: 'breaking', place: version.place, message }
  })
  const idle: ReportedFinding[] = notesOf(report).map((note) => ({ rule: 'approvals', level: 'warning', ...note }))
  return {
    tool: 'contract diff',
    contract: head,
    verdict: passed ? 'passed' : 'failed',
    summary: verdict(report),
    findings: [...changes, ...tooLow, ...idle],
  }
}

/** What is said of approvals that have no effect, with their places. */
function notesOf({ head, notes }: DiffReport): ReturnType<typeof splitMessage>[] {
  return notes.map((note) => splitMessage(note, head))
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

/** Escapes a text for a cell of a Markdown table. */
function cell(content: string): string {
  return content
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/<(?=\S)/g, '&lt;')
}
