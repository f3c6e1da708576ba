/*
 * animal-store contract lint [FILE], or npm run contract:lint [-- FILE]
 *
 * Lists the faults of openapi.yaml, or of another contract, as text or in a format for programs. Exits with 0 when there is
 * no error, with 1 when there is one, with 2 when the contract cannot be read or a tool failed.
 *
 * npm run contract:lint -- --served FILE also tells which operations the service could serve, and why not the others.
 */
import { Option } from 'commander'
import { command, runCommand } from './command-line/command.ts'
import { contractFile } from './command-line/contract-file.ts'
import { optimizeLate } from './command-line/optimizing.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { todayOption } from './command-line/today.ts'
import { inputOf } from './workshop/input.ts'
import { lint } from './workshop/lint/lint.ts'
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
  .option('--staged', 'read what is staged in git, and not the files of the folder')
  .addOption(new Option('--served', 'also show which operations the service could serve').conflicts('format'))
  .addOption(outsideFilesOption())
  .action(run)

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

async function run(
  named: string | undefined,
  { format, today, house, served = false, outsideFiles, staged: isStaged = false }: Flags,
): Promise<void> {
  const file = contractFile(named, name)
  const input = inputOf(file, isStaged, { outsideFiles })
  const { findings, judgement } = await lint(file, { today, house, input, notes: served })
  console.log(reports[format](file, findings))
  if (served && judgement) console.log(servedReport(judgement))
  process.exitCode = isSound(findings) ? 0 : 1
}
