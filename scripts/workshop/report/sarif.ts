import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { thisPackage } from '../../../src/package.ts'
import { sentencesOf, severityOf, type Report, type ReportedFinding } from './report.ts'

/** A report in SARIF 2.1.0 (OASIS), as code scanning reads it. `about` says what some rules are. */
export function sarif(
  { tool, verdict, summary, findings }: Report,
  about: Readonly<Record<string, string>> = {},
): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))]
  const rules = ids.map((id) => (about[id] === undefined ? { id } : { id, shortDescription: { text: about[id] } }))
  const driver = { name: `${thisPackage.command} ${tool}`, version: thisPackage.version, rules }
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, ids)),
        properties: { verdict, summary },
      },
    ],
  }
  return JSON.stringify(log, null, 2)
}

function resultOf(finding: ReportedFinding, ids: readonly string[]): object {
  const { rule, level, place, operations, bump, fingerprint, excused } = finding
  const { file, line, column, pointer } = place
  const physicalLocation = {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, startColumn: column },
  }
  const logicalLocations = pointer === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: pointer || '/' }] }
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: severityOf(finding),
    message: { text: sentencesOf(finding) },
    locations: [{ physicalLocation, ...logicalLocations }],
    ...(fingerprint === undefined ? {} : { partialFingerprints: { 'change/v1': fingerprint } }),
    ...(excused === undefined ? {} : { suppressions: [{ kind: 'external', justification: excused }] }),
    properties: { level, ...(operations && { operations }), ...(bump !== undefined && { bump }) },
  }
}

/** A file as a URI, which is relative if the name of the file is. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split('/').map(encodeURIComponent).join('/')
}
