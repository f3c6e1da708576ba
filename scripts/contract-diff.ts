/*
 * npm run contract:diff                compares openapi.yaml with the commit where the branch left main
 * npm run contract:diff -- BASE        with a git revision, or with another file
 *
 *   --head FILE        the contract with the changes, instead of openapi.yaml
 *   --format FORMAT    text, markdown, json, or github for annotations
 *   --approvals FILE   instead of .contract-approvals.yaml beside the contract
 *   --today DATE       the day that sunsets and approvals are compared with
 *
 * Exit code 0: nothing breaks clients. 1: something does, or the version did not grow enough. 2: no verdict.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { isDay } from '../src/contract/compile/lifecycle.ts'
import { filesBeside } from '../src/contract/document/files.ts'
import { command, runCommand } from './command-line/command.ts'
import { readApprovals, type Approval } from './contract/diff/approvals.ts'
import { diffContracts, type ContractText } from './contract/diff/diff.ts'
import { reports, type Format } from './contract/diff/report.ts'
import { contractAt, mergeBase } from './contract/diff/git.ts'
import { messageOf } from '../src/failure.ts'

interface Flags {
  head: string
  format: Format
  approvals?: string
  today: string
}

const program = command('contract:diff', 'Show which changes of a contract break its clients', [
  '',
  'HEAD~3 --format markdown',
  'old.yaml --head new.yaml',
])
  .argument('[base]', 'git revision or file to compare with (default: where HEAD left main)')
  .option('--head <file>', 'the contract with the changes', 'openapi.yaml')
  .addOption(new Option('--format <format>', 'how to report').choices(Object.keys(reports)).default('text'))
  .option('--approvals <file>', 'approved changes (default: .contract-approvals.yaml beside the contract)')
  .option(
    '--today <date>',
    'day that sunsets and approvals are held against',
    day,
    new Date().toISOString().slice(0, 10),
  )
  .action(diff)

await runCommand(program, 2)

function diff(base: string | undefined, { head, format, approvals, today }: Flags): void {
  const contract = { text: read(head), name: head, files: filesBeside(head) }
  const report = diffContracts({
    base: baseOf(base, head),
    head: contract,
    approvals: approvalsIn(approvals, head),
    today,
  })
  console.log(reports[format](report))
  process.exitCode = report.passed ? 0 : 1
}

function baseOf(base: string | undefined, head: string): ContractText {
  if (base !== undefined && existsSync(base) && statSync(base).isFile())
    return { text: read(base), name: base, files: filesBeside(base) }
  return contractAt(base ?? mergeBase(head), head)
}

function approvalsIn(file: string | undefined, head: string): Approval[] {
  const usual = join(dirname(head), '.contract-approvals.yaml')
  if (file === undefined && !existsSync(usual)) return []
  return readApprovals(read(file ?? usual), file ?? usual)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}

function day(text: string): string {
  if (isDay(text)) return text
  throw new InvalidArgumentError('It must be a day such as 2026-11-28.')
}
