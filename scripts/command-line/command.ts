import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { messageOf } from '../../src/failure.ts'

/** How this process was called: by `npm start`, through the command that is installed, or through npm. */
function callOf(name: string): string {
  if (process.env.npm_lifecycle_event === 'start') return 'npm start --'
  return basename(process.argv[1] ?? '').startsWith('animal-store') ? `animal-store ${name}` : `npm run -s ${name} --`
}

/** A command of the command line, with the manners of all of them. `examples` are arguments that it is called with. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  const call = callOf(name)
  const calls = examples.map((example) => `  ${call} ${example}`.replace(/( --)? $/, ''))
  return new Command(call)
    .description(description)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`See ${call} --help`)
    .addHelpText('after', ['', 'Examples:', ...calls].join('\n'))
}

/** What went wrong with the standard output, and that the command has heard of it. */
const output: { fault?: Error; isTold: boolean } = { isTold: false }
process.stdout.on('error', (error) => {
  output.fault ??= error
})

/** Writes a line to the standard output. Throws a sentence when it cannot be written, as to a full disk. */
export async function print(line: string): Promise<void> {
  const fault = await written(`${line}\n`)
  if (!fault) return
  output.isTold = true
  throw unwritten(fault)
}

/**
 * Runs a command on the arguments of this process. The exit code is 2 when it was called wrongly, and `failed` when it
 * threw or its output could not be written; the message alone is shown then.
 */
export async function runCommand(program: Command, failed: 1 | 2 = 1): Promise<void> {
  for (const one of [program, ...program.commands]) one.exitOverride()
  await attempt(() => program.parseAsync(), failed)
  await attempt(flush, failed)
}

async function attempt(run: () => Promise<unknown>, failed: 1 | 2): Promise<void> {
  try {
    await run()
  } catch (error) {
    // commander has told the person already
    if (!(error instanceof CommanderError)) console.error(messageOf(error))
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : failed
  }
}

/** Throws when something could not be written that nobody has heard of. */
async function flush(): Promise<void> {
  const fault = await written('')
  if (fault && !output.isTold) throw unwritten(fault)
}

async function written(text: string): Promise<Error | undefined> {
  const fault = await new Promise<Error | null | undefined>((resolve) => process.stdout.write(text, resolve))
  // the event of an earlier write may come after the answer to this one
  await new Promise(setImmediate)
  return output.fault ?? fault ?? undefined
}

function unwritten({ message }: Error): Error {
  return new Error(`The output could not be written: ${message}.`)
}
