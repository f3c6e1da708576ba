/*
 * animal-store contract lint [FILE], or npm run contract:lint [-- FILE]
 *
 * Lists the faults of openapi.yaml, or of another contract, as text or in a format for programs. Exits with 0 when there is
 * no error, with 1 when there is one, with 2 when the contract cannot be read or a tool failed.
 *
 * npm run contract:lint -- --served FILE tells instead which operations the service could serve, and why not the others.
 */
import { Option } from 'commander'
import { command, runCommand } from './command-line/command.ts'
import { contractFile } from './command-line/contract-file.ts'
import { optimizeLate } from './command-line/optimizing.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { todayOption } from './command-line/today.ts'
import { inputOf } from './workshop/input.ts'
import { lintContract } from './workshop/lint/lint.ts'
import { isSound, reports, type Format } from './workshop/lint/report.ts'
import { servedReport } from './workshop/lint/served.ts'

const name = 'contract lint'
const program = command(name, 'Show the errors of a contract', ['', 'other.yaml --format json'])
  .argument('[file]', 'the contract (default: openapi.yaml)')
  .addOption(new Option('--format <format>', 'how to report').choices(Object.keys(reports)).default('text'))
  .addOption(todayOption('sunsets'))
  .option(
    '--house',
    'apply the house rules of this project (default: x-house-rules in the redocly.yaml beside the contract)',
  )
  .option('--no-house', 'do not apply them')
  .addOption(new Option('--staged', 'read what is staged in git, and not the files of the folder').conflicts('served'))
  .addOption(new Option('--served', 'show which operations the service could serve').conflicts('format'))
  .addOption(outsideFilesOption())
  .action(lint)

optimizeLate()
await runCommand(program, 2)

interface Flags {
  format: Format
  today: string
  house?: boolean
  served?: boolean
  staged?: boolean
  outsideFiles?: boolean
}

async function lint(
  named: string | undefined,
  { format, today, house, served = false, outsideFiles, staged: isStaged = false }: Flags,
): Promise<void> {
  const file = contractFile(named, name)
  if (served) {
    console.log(servedReport(file, { outsideFiles }))
    return
  }
  const findings = await lintContract(file, { today, house, input: inputOf(file, isStaged, { outsideFiles }) })
  console.log(reports[format](file, findings))
  process.exitCode = isSound(findings) ? 0 : 1
}
