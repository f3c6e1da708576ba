import { counted } from '../../command-line/wording.ts'
import { annotation, placeText, type Finding } from '../finding.ts'
import { junit } from '../report/junit.ts'
import type { Report } from '../report/report.ts'
import { sarif } from '../report/sarif.ts'

export type Format = 'text' | 'json' | 'github' | 'junit' | 'sarif'

/** The ways to write what was found in a contract. */
export const reports: Record<Format, (contract: string, findings: readonly Finding[]) => string> = {
  text: (_, findings) => [...findings.map(line), summaryOf(findings)].join('\n'),
  json,
  github: (_, findings) =>
    findings
      .map(({ rule, severity, place, message, fix }) => annotation(severity, place, rule, `${message} ${fix}`))
      .join('\n'),
  junit: (contract, findings) => junit(reportOf(contract, findings)),
  sarif: (contract, findings) => sarif(reportOf(contract, findings)),
}

/** Whether a contract has no errors. */
export function isSound(findings: readonly Finding[]): boolean {
  return !findings.some(({ severity }) => severity === 'error')
}

function line({ rule, severity, place, message, fix, excerpt }: Finding): string {
  const text = `${placeText(place)} ${severity} ${message} ${fix} (${rule})`
  return excerpt === undefined ? text : `${text}\n${excerpt}`
}

function summaryOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.`
  return findings.length === 0 ? 'The contract is sound.' : counts
}

function json(contract: string, all: readonly Finding[]): string {
  const { verdict, summary, findings } = reportOf(contract, all)
  return JSON.stringify({ contract, verdict, summary, findings }, null, 2)
}

function reportOf(contract: string, findings: readonly Finding[]): Report {
  return {
    tool: 'contract lint',
    contract,
    verdict: isSound(findings) ? 'passed' : 'failed',
    summary: summaryOf(findings),
    findings: findings.map(({ rule, severity, ...rest }) => ({ rule, level: severity, ...rest })),
  }
}
