import { servedOperations } from '../../../src/contract/rules/coverage.ts'
import type { Judgement } from './lint.ts'

/** Which share of the operations of a contract the service could serve, and what the findings on the others are about. */
export function servedReport({ contract, judged }: Judgement): string {
  const { operations, served, reasons } = servedOperations(contract, judged)
  const share = operations === 0 ? 0 : Math.floor((100 * served) / operations)
  const counts = [...reasons].sort(([, a], [, b]) => b - a).map(([subject, count]) => `${subject}: ${count}`)
  return [
    `${served} of ${operations} operations would be served (${share} %).`,
    ...(counts.length > 0 ? [`Operations that would not, by reason: ${counts.join('; ')}.`] : []),
  ].join('\n')
}
