/*
 * animal-store contract diff           compares openapi.yaml with the commit where the branch left main
 * animal-store contract diff BASE      with a git revision such as main or main:old.yaml, or with another file
 * npm run contract:diff [-- BASE]      the same
 *
 *   --head FILE        the contract with the changes, instead of openapi.yaml
 *   --format FORMAT    text, markdown, html, json, junit, sarif, or github for annotations
 *   --approvals FILE   instead of .contract-approvals.yaml beside the contract
 *   --staged           what is staged in git, instead of the files of the folder
 *   --today DATE       the day that sunsets and approvals are compared with
 *
 * Exit code 0: nothing breaks clients. 1: something does, or the version did not grow enough. 2: no verdict.
 */
import { dirname, join } from 'node:path'
import { Option } from 'commander'
import { filesBeside, type ReadOptions } from '../src/contract/model/files/files.ts'
import { textOf } from '../src/contract/model/files/text-faults.ts'
import { callOf, command, runCommand } from './command-line/command.ts'
import { contractFile } from './command-line/contract-file.ts'
import { optimizeLate } from './command-line/optimizing.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'
import { todayOption } from './command-line/today.ts'
import { readApprovals, type Approval } from './workshop/diff/approvals.ts'
import { diffContracts, type ContractText } from './workshop/diff/diff.ts'
import { reports, type Format } from './workshop/diff/report.ts'
import { isThere, readFile } from './workshop/diff/file.ts'
import { contractAt, isCommit, isNew, mergeBase } from './workshop/diff/git.ts'
import { onDisk, staged, type Input } from './workshop/input.ts'

interface Flags {
  outsideFiles?: boolean
  staged?: boolean
  head?: string
  format: Format
  approvals?: string
  today: string
}

const name = 'contract diff'
const program = command(name, 'Show which changes of a contract break its clients', [
  '',
  'HEAD~3 --format markdown',
  'old.yaml --head new.yaml',
])
  .argument('[base]', 'git revision or file to compare with (default: the last commit in common with main)')
  .allowExcessArguments()
  .option('--head <file>', 'the contract with the changes (default: openapi.yaml)')
  .addOption(new Option('--format <format>', 'how to report').choices(Object.keys(reports)).default('text'))
  .option('--approvals <file>', 'approved changes (default: .contract-approvals.yaml beside the contract)')
  .addOption(todayOption('sunsets and approvals'))
  .option('--staged', 'read what is staged in git, and not the files of the folder')
  .addOption(outsideFilesOption())
  .action(diff)

optimizeLate()
await runCommand(program, 2)

function diff(
  base: string | undefined,
  { head: named, format, approvals, today, outsideFiles, staged: isStaged = false }: Flags,
): void {
  const [, extra] = program.args
  if (extra !== undefined) throw new Error(`Name the newer contract by --head: ${base ?? ''} --head ${extra}`)
  const head = contractFile(named, name, '--head FILE')
  const options = { outsideFiles }
  const input = (isStaged ? staged : onDisk)(head, options)
  const text = isStaged ? textOf(input.bytes(), head) : readHead(head)
  if (isStaged && base === undefined && isNew(head)) {
    console.log(`${head} is new, so there is nothing to compare it with.`)
    return
  }
  const report = diffContracts({
    base: baseOf(base, head, options),
    head: { text, name: head, files: input.files },
    approvals: approvalsIn(approvals, head, input),
    today,
  })
  console.log(reports[format](report))
  process.exitCode = report.passed ? 0 : 1
}

function baseOf(base: string | undefined, head: string, options: ReadOptions): ContractText {
  if (base === undefined) return contractAt(mergeBase(head, callOf(name)), head, options)
  if (isThere(base)) return { text: readFile(base), name: base, files: filesBeside(base, options) }
  return contractAt(base, head, options)
}

function readHead(head: string): string {
  if (isThere(head) || !isCommit('.', head)) return readFile(head)
  throw new Error(`--head takes a file, and ${head} is a git revision. Name the revision first: ${head} --head FILE`)
}

function approvalsIn(named: string | undefined, head: string, input: Input): Approval[] {
  const file = named ?? join(dirname(head), '.contract-approvals.yaml')
  const text = named === undefined ? input.text(file) : readFile(named)
  return text === undefined ? [] : readApprovals(text, file)
}
