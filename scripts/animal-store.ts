#!/usr/bin/env node
/*
 * animal-store serve | keys … | backup FILE | restore FILE | erase TABLE KEY | migrate | store:copy FROM TO
 * animal-store contract lint | diff | mock | generate
 *
 * The commands of an installed service. `npm run` has the same ones here. Those of `contract` are about the contract of
 * any project.
 */
import { startFault } from '../src/failure.ts'
import { thisPackage } from '../src/package.ts'
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
  { name: 'restore', about: 'make the store from a backup', run: () => import('./restore.ts') },
  { name: 'erase', about: 'erase a row of the store', run: () => import('./erase.ts') },
  { name: 'migrate', about: 'update the schema of the store', run: () => import('./migrate.ts') },
  {
    name: 'store:copy',
    about: 'copy a store to another one, for example to PostgreSQL',
    run: () => import('./store-copy.ts'),
  },
  { name: 'contract', about: 'check, compare and mock a contract, and make its types', run: contract },
]

const contractCommands: readonly Subcommand[] = [
  { name: 'lint', about: 'show the errors of a contract', run: () => import('./contract-lint.ts') },
  {
    name: 'diff',
    about: 'show which changes of a contract break its clients',
    run: () => import('./contract-diff.ts'),
  },
  {
    name: 'mock',
    about: 'answer every operation of a contract from its examples and schemas',
    run: () => import('./mock.ts'),
  },
  { name: 'generate', about: 'write the TypeScript types of a contract', run: () => import('./generate.ts') },
]

const { argv } = process
installSignalDefaults(process.env, argv[2] === 'serve' ? closedCode : interruptedCode)
// 1 is a verdict about a contract
const failed = argv[2] === 'contract' ? 2 : 1
try {
  await choose(subcommands, explain)
} catch (error) {
  console.error(startFault(error))
  process.exitCode = failed
}

/** Runs the command that the first argument names, without that argument. */
function choose(commands: readonly Subcommand[], otherwise: () => Promise<void>): Promise<unknown> {
  // `help NAME` is the help of the command itself
  if (argv[2] === 'help' && commands.some(({ name }) => name === argv[3]))
    argv.splice(2, argv.length, ...argv.slice(3), '--help')
  if (argv.length === 2) argv.push('--help')
  const chosen = commands.find(({ name }) => name === argv[2])
  if (!chosen) return otherwise()
  argv.splice(2, 1)
  return chosen.run()
}

function contract(): Promise<unknown> {
  return choose(contractCommands, async () => {
    const { command, runCommand } = await import('./command-line/command.ts')
    const program = command('contract', 'Check, compare and mock a contract, and make its types', [
      'lint',
      'diff main --format markdown',
      'mock other.yaml',
      'generate --out types/',
    ])
    for (const { name, about } of contractCommands) program.command(name).description(about).usage('[arguments]')
    return runCommand(program)
  })
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
  const { callOf, command, runCommand } = await import('./command-line/command.ts')
  const program = command('', 'Run and administer the service', [
    'serve',
    'keys create --plan free --label laptop',
    'keys --help',
    'contract lint openapi.yaml',
  ]).version(thisPackage.version, '-V, --version', 'print the version')
  const ofContract = contractCommands.find(({ name }) => name === argv[2])
  if (ofContract) program.showHelpAfterError(`(Did you mean contract ${ofContract.name}?)\nSee ${callOf('')} --help`)
  for (const { name, about } of subcommands) program.command(name).description(about).usage('[arguments]')
  return runCommand(program)
}
