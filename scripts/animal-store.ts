#!/usr/bin/env node
/*
 * animal-store serve | keys … | backup FILE | migrate | store:copy FROM TO
 *
 * The commands of an installed service. `npm run` has the same ones here.
 */
import { closedCode, installSignalDefaults, interruptedCode } from '../src/signals.ts'

interface Subcommand {
  about: string
  /** Runs it with the rest of the arguments. */
  run: () => Promise<unknown>
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  serve: { about: 'run the service', run: serve },
  keys: { about: 'create, list, revoke and unban API keys', run: () => import('./keys.ts') },
  backup: { about: 'copy the store to a file, also while the service runs', run: () => import('./backup.ts') },
  migrate: { about: 'update the schema of the store', run: () => import('./migrate.ts') },
  'store:copy': {
    about: 'copy a store to another one, for example to PostgreSQL',
    run: () => import('./store-copy.ts'),
  },
}

const [name = '--help'] = process.argv.slice(2)
installSignalDefaults(process.env, name === 'serve' ? closedCode : interruptedCode)
const chosen = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
if (chosen) {
  process.argv.splice(2, 1)
  await chosen.run()
} else if (name === '--help' || name === '-h' || name === 'help') {
  console.log(help())
} else {
  console.error(`There is no command ${JSON.stringify(name)}.\n\n${help()}`)
  process.exitCode = 2
}

/** Loads the argument parser only if there are arguments: a running service does not need it. */
async function serve(): Promise<void> {
  const start = async (): Promise<void> => {
    await import('../src/main.ts')
  }
  if (process.argv.length <= 2) return start()
  const { command, runCommand } = await import('./command-line/command.ts')
  return runCommand(
    command('serve', 'Run the service. The README lists its settings, which are environment variables.', ['']).action(
      start,
    ),
  )
}

function help(): string {
  const width = Math.max(...Object.keys(subcommands).map(({ length }) => length))
  return [
    'Usage: animal-store <command> [arguments]',
    '',
    ...Object.entries(subcommands).map(([command, { about }]) => `  ${command.padEnd(width)}  ${about}`),
    '',
    'animal-store <command> --help shows the help of a command.',
    '',
    'Examples:',
    '  PORT=8081 animal-store serve',
    '  animal-store keys create --plan free --label laptop',
  ].join('\n')
}
