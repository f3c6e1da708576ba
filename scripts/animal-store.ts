#!/usr/bin/env node
/*
 * animal-store serve | keys … | backup FILE | restore FILE | erase TABLE KEY | migrate | store:copy FROM TO | generate
 *
 * The commands of an installed service. `npm run` has the same ones here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { startFault } from '../src/failure.ts'
import { closedCode, installSignalDefaults, interruptedCode } from '../src/process/signals.ts'

interface Subcommand {
  name: string
  about: string
  /** Runs it with the arguments of this process. */
  run: () => Promise<unknown>
}

const subcommands: readonly Subcommand[] = [
  { name: 'serve', about: 'run the service', run: serve },
  {
    name: 'keys',
    about: 'create, list, rotate, revoke and unban API keys, and show their history',
    run: () => import('./keys.ts'),
  },
  {
    name: 'backup',
    about: 'copy the store to a file, also while the service runs',
    run: () => import('./backup.ts'),
  },
  { name: 'restore', about: 'put a backup where the store was', run: () => import('./restore.ts') },
  { name: 'erase', about: 'erase a row, and what is remembered of it', run: () => import('./erase.ts') },
  { name: 'migrate', about: 'update the schema of the store', run: () => import('./migrate.ts') },
  {
    name: 'store:copy',
    about: 'copy a store to another one, for example to PostgreSQL',
    run: () => import('./store-copy.ts'),
  },
  { name: 'generate', about: 'write what follows from openapi.yaml, in the folder of a project', run: generate },
]

// `help NAME` is the help of the command itself
const { argv } = process
if (argv[2] === 'help' && subcommands.some(({ name }) => name === argv[3])) argv.splice(2, 2, argv[3] ?? '', '--help')
if (argv.length === 2) argv.push('--help')
const chosen = subcommands.find(({ name }) => name === argv[2])
installSignalDefaults(process.env, chosen?.run === serve ? closedCode : interruptedCode)
if (chosen) argv.splice(2, 1)
try {
  await (chosen?.run ?? explain)()
} catch (error) {
  console.error(startFault(error))
  process.exitCode = 1
}

/** Runs the command of the project in this folder: what it writes are sources, which an installed service has not. */
async function generate(): Promise<void> {
  const script = resolve('scripts/run.js')
  if (!existsSync(script) || !existsSync('openapi.yaml')) {
    throw new Error('There is no project in this folder. Run generate where openapi.yaml and scripts/ of one are.')
  }
  const child = spawn(process.execPath, [script, 'generate', ...argv.slice(2)], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}

/** Loads the argument parser only if there are arguments: a running service does not need it. */
async function serve(): Promise<void> {
  const start = async (): Promise<void> => {
    await import('../src/main.ts')
  }
  if (argv.length <= 2) return start()
  const { command, runCommand } = await import('./command-line/command.ts')
  const { settingsHelp } = await import('./command-line/settings.ts')
  const program = command('serve', 'Run the service', [''])
  const help = program.createHelp()
  program.addHelpText('after', () => settingsHelp((text, columns) => help.boxWrap(text, columns)))
  return runCommand(program.action(start))
}

/** Answers --help and --version, and refuses what is no command. */
async function explain(): Promise<void> {
  const { command, runCommand } = await import('./command-line/command.ts')
  const { packageVersion } = await import('./command-line/package-file.ts')
  const program = command('', 'Run and administer the Animal Store Service', [
    'serve',
    'keys create --plan free --label laptop',
    'keys --help',
  ]).version(packageVersion(), '-V, --version', 'print the version')
  for (const { name, about } of subcommands) program.command(name).description(about).usage('[arguments]')
  return runCommand(program)
}
