#!/usr/bin/env node
/*
 * animal-store serve | keys … | backup FILE | migrate | store:copy FROM TO: the commands of an installed service,
 * as `npm run` has them here.
 */

interface Subcommand {
  about: string
  /** Runs it on the arguments that are left. */
  run: () => Promise<unknown>
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  serve: { about: 'run the service; its settings are environment variables', run: serve },
  keys: { about: 'make, list, revoke and unban API keys', run: () => import('./keys.ts') },
  backup: { about: 'copy the store into a file, also while it runs', run: () => import('./backup.ts') },
  migrate: { about: 'bring the schema of the store up to date', run: () => import('./migrate.ts') },
  'store:copy': { about: 'copy a store to another, as to PostgreSQL', run: () => import('./store-copy.ts') },
}

const [name = '--help'] = process.argv.slice(2)
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

/** Loads the parser of arguments only where there are some, so that a service stays small. */
async function serve(): Promise<void> {
  const start = async (): Promise<void> => {
    await import('../src/main.ts')
  }
  if (process.argv.length <= 2) return start()
  const { command, runCommand } = await import('./command-line/command.ts')
  return runCommand(command('serve', 'Run the service; its settings are environment variables', ['']).action(start))
}

function help(): string {
  const width = Math.max(...Object.keys(subcommands).map(({ length }) => length))
  return [
    'Usage: animal-store <command> [arguments]',
    '',
    ...Object.entries(subcommands).map(([command, { about }]) => `  ${command.padEnd(width)}  ${about}`),
    '',
    'animal-store <command> --help tells more.',
    '',
    'Examples:',
    '  PORT=8081 animal-store serve',
    '  animal-store keys create --plan free --label laptop',
  ].join('\n')
}
