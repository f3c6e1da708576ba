import { placeText } from '../finding.ts'
import { escaped } from './markup.ts'
import { sentencesOf, severityOf, type Report, type ReportedFinding } from './report.ts'

/**
 * A report as JUnit's XML, which most CI servers read (testmoapp/junitxml describes it). A finding is a test case, which
 * fails if it is an error; others say what they found in `system-out`. Without findings one case passes.
 */
export function junit({ tool, contract, summary, findings }: Report): string {
  const cases =
    findings.length === 0
      ? [`    <testcase${attributes({ name: summary, classname: tool, time: '0' })}/>`]
      : findings.map((finding) => testCase(tool, finding))
  const failures = findings.filter((finding) => severityOf(finding) === 'error').length
  const counts = { tests: String(cases.length), failures: String(failures), errors: '0', time: '0' }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: tool, ...counts })}>`,
    `  <testsuite${attributes({ name: contract, ...counts, skipped: '0' })}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')
}

function testCase(tool: string, finding: ReportedFinding): string {
  const { rule, level, place, message } = finding
  const { file, line } = place
  const at = placeText(place)
  const text = `${at} ${level} ${sentencesOf(finding)}`
  const inner =
    severityOf(finding) === 'error'
      ? `<failure${attributes({ type: rule, message })}>${escaped(text)}</failure>`
      : `<system-out>${escaped(text)}</system-out>`
  const names = { name: `${rule} at ${at}`, classname: `${tool}.${rule}`, file, line: String(line), time: '0' }
  return [`    <testcase${attributes(names)}>`, `      ${inner}`, '    </testcase>'].join('\n')
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('\n', '&#10;')}"`)
    .join('')
}
