import { servedOperations } from '../../../src/contract/rules/coverage.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { contractBytes, filesBeside, type ReadOptions } from '../../../src/contract/model/files/files.ts'
import { isRefusal } from '../../../src/contract/rules/rule.ts'

/** Which operations of a contract the service could serve: each finding with its place, the share, and the reasons. */
export function servedReport(file: string, options: ReadOptions): string {
  const document = parseContract(contractBytes(file).toString('utf8'), file, filesBeside(file, options))
  const { operations, served, findings, reasons } = servedOperations(document)
  const lines = findings.map((finding) => {
    const { at, message, subject } = finding
    return `${document.place(at)} ${isRefusal(finding) ? 'error' : 'note'} ${message} (${subject})`
  })
  const share = operations === 0 ? 0 : Math.floor((100 * served) / operations)
  const counts = [...reasons].sort(([, a], [, b]) => b - a).map(([subject, count]) => `${subject}: ${count}`)
  return [
    ...lines,
    `${served} of ${operations} operations would be served (${share} %).`,
    ...(counts.length > 0 ? [`Operations that would not, by reason: ${counts.join('; ')}.`] : []),
  ].join('\n')
}
