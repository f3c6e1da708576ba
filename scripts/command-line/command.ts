import { constants } from 'node:os'
import { basename, relative } from 'node:path'
import { Command, CommanderError } from 'commander'
import { codeOf, messageOf } from '../../src/failure.ts'
import { escaped } from '../../src/log/escaped.ts'
import { thisPackage } from '../../src/package.ts'
import { installSignalDefaults, interruptedCode } from '../../src/process/signals.ts'

/** The scripts of `npm run` whose names are not those of their commands with a colon. */
const scripts: Readonly<Record<string, string>> = { 'contract mock': 'mock', 'contract generate': 'generate' }

/**
 * How a user calls a command: as `npm start`, as the installed program, as its file, or with `npm run`. The command
 * without a name is the program itself.
 */
export function callOf(name: string): string {
  const script = process.argv[1] ?? ''
  if (process.env.npm_lifecycle_event === 'start') return 'npm start --'
  const file = basename(script)
  if (file !== thisPackage.command && !file.startsWith(thisPackage.program))
    return `npm run -s ${scripts[name] ?? name.replace(' ', ':')} --`
  return `${file.endsWith('.js') ? `node ${relative(process.cwd(), script)}` : thisPackage.command} ${name}`.trimEnd()
}

/** A command with the settings that all commands share. `examples` are arguments for the help. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  const call = callOf(name)
  const calls = examples.map((example) => `  ${call} ${example}`.replace(/( --)? $/, ''))
  return new Command(call)
    .description(`${description}.`)
    .helpOption('-h, --help', 'print this help')
    .configureOutput({
      outputError: (text, write) => {
        write(text.split('\n').map(escaped).join('\n'))
      },
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`See ${call} --help`)
    .addHelpText('after', ['', 'Examples:', ...calls].join('\n'))
}

/** The error of standard output, if any, and whether it was reported. */
const output: { fault?: Error; isTold: boolean } = { isTold: false }
process.stdout.on('error', (error) => {
  output.fault ??= error
})

/** Writes a line to standard output. Throws a sentence if that fails, for example because the disk is full. */
export async function print(line: string): Promise<void> {
  const fault = await written(`${line}\n`)
  if (!fault) return
  output.isTold = true
  throw unwritten(fault)
}

/**
 * Runs a command with the arguments of this process. The exit code is 2 after wrong use, and `failed` if the command
 * threw or its output could not be written. Errors are shown as their message, without a stack.
 */
export async function runCommand(program: Command, failed: 1 | 2 = 1): Promise<void> {
  installSignalDefaults(process.env, interruptedCode)
  for (const one of [program, ...program.commands]) one.exitOverride()
  if (program.commands.length > 0) program.helpCommand('help [command]', 'print the help of a command')
  for (const one of program.commands) {
    const about = one.description()
    one
      .summary(about)
      .description(`${about.charAt(0).toUpperCase()}${about.slice(1)}.`)
      .showHelpAfterError(`See ${program.name()} ${one.name()} --help`)
  }
  await attempt(() => program.parseAsync(), failed)
  await attempt(flush, failed)
}

async function attempt(run: () => Promise<unknown>, failed: 1 | 2): Promise<void> {
  try {
    await run()
  } catch (error) {
    // who reads through `head` has seen enough; a program that SIGPIPE ends has this code
    if (codeOf(error) === 'EPIPE') {
      process.exitCode = 128 + constants.signals.SIGPIPE
      return
    }
    // commander has already printed its message
    if (!(error instanceof CommanderError)) console.error(sentenceOf(error))
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : failed
  }
}

/** What an error says; for a file that cannot be used a sentence, where Node gives the call of the system that failed. */
function sentenceOf(error: unknown): string {
  const { path = 'A file' } = Object(error) as { path?: string }
  switch (codeOf(error)) {
    case 'ENOENT':
      return `There is no file ${path}.`
    case 'EEXIST':
      return `${path} is there, and is no folder.`
    case 'EISDIR':
      return 'A folder was given where a file is needed.'
    case 'ENOTDIR':
      return `${path} is below a file, and not below a folder.`
    case 'EACCES':
    case 'EPERM':
      return `This user may not use ${path}.`
    default:
      return messageOf(error)
  }
}

/** Throws if output could not be written and that was not reported. */
async function flush(): Promise<void> {
  const fault = await written('')
  if (fault && !output.isTold) throw unwritten(fault)
}

async function written(text: string): Promise<Error | undefined> {
  const fault = await new Promise<Error | null | undefined>((resolve) => process.stdout.write(text, resolve))
  // the error event of an earlier write may come after this callback
  await new Promise(setImmediate)
  return output.fault ?? fault ?? undefined
}

function unwritten(fault: Error): Error {
  return Object.assign(new Error(`The output could not be written: ${fault.message}.`), { code: codeOf(fault) })
}
