/*
 * npm run contract:lint [-- FILE] [--format text|json|github] [--today YYYY-MM-DD] [--house | --no-house]
 *
 * Lists the faults of openapi.yaml, or of another contract. Exits with 0 when there is no error, with 1 when there is
 * one, with 2 when the contract cannot be read or a tool failed.
 *
 * npm run contract:lint -- --served FILE tells instead which operations the service could serve, and why not the others.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { command, runCommand } from './command-line/command.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { counted } from './command-line/wording.ts'
import { annotation, placeText, type Finding } from './workshop/finding.ts'
import { lintContract } from './workshop/lint/lint.ts'
import { servedReport } from './workshop/lint/served.ts'

const formats = { text, json, github }

const own = relative('.', fileURLToPath(new URL('../openapi.yaml', import.meta.url)))
const program = command('contract:lint', 'Show the errors of a contract', ['', 'other.yaml --format json'])
  .argument('[file]', 'the contract', own)
  .addOption(new Option('--format <format>', 'how to report').choices(Object.keys(formats)).default('text'))
  .option('--today <date>', 'day that sunsets are held against', new Date().toISOString().slice(0, 10))
  .option(
    '--house',
    'apply the house rules of this project (default: x-house-rules in the redocly.yaml beside the contract)',
  )
  .option('--no-house', 'do not apply them')
  .option('--served', 'tell which operations the service could serve')
  .addOption(outsideFilesOption())
  .action(lint)

await runCommand(program, 2)

interface Flags {
  format: keyof typeof formats
  today: string
  house?: boolean
  served?: boolean
  outsideFiles?: boolean
}

async function lint(file: string, { format, today, house, served = false, outsideFiles }: Flags): Promise<void> {
  if (served) {
    console.log(servedReport(file, { outsideFiles }))
    return
  }
  const findings = await lintContract(file, { today, house, outsideFiles })
  console.log(formats[format](findings))
  process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

function text(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ rule, severity, place, message, fix, excerpt }) =>
      `${placeText(place)} ${severity} ${message} ${fix} (${rule})${excerpt === undefined ? '' : `\n${excerpt}`}`,
  )
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.`
  return [...lines, findings.length === 0 ? 'The contract is sound.' : counts].join('\n')
}

function json(findings: readonly Finding[]): string {
  // programs know what to do about a finding under this name
  const shown = findings.map(({ fix, excerpt, ...one }) => ({ ...one, mend: fix, excerpt }))
  return JSON.stringify(shown, null, 2)
}

function github(findings: readonly Finding[]): string {
  return findings
    .map(({ rule, severity, place, message, fix }) => annotation(severity, place, rule, `${message} ${fix}`))
    .join('\n')
}
