import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'

/** How people call the commands: through npm, or through the one that is installed. */
const isInstalled = basename(process.argv[1] ?? '').startsWith('animal-store')

/** A command of the command line, with the manners of all of them. `examples` are arguments that it is called with. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  const call = isInstalled ? `animal-store ${name}` : `npm run -s ${name} --`
  const calls = examples.map((example) => `  ${call} ${example}`.replace(/( --)? $/, ''))
  return new Command(call)
    .description(description)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`See ${call} --help`)
    .addHelpText('after', ['', 'Examples:', ...calls].join('\n'))
}

/**
 * Runs a command on the arguments of this process. The exit code is 2 when it was called wrongly, and `failed` when it
 * threw; the message alone is shown then.
 */
export async function runCommand(program: Command, failed: 1 | 2 = 1): Promise<void> {
  for (const one of [program, ...program.commands]) one.exitOverride()
  try {
    await program.parseAsync()
  } catch (error) {
    // commander has told the person already
    if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : failed
  }
}
