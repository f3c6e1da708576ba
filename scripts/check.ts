/*
 * npm run check               runs all checks; files that have not changed are not looked at again
 * npm run check -- --fresh    without what is remembered of the last run, as in CI
 *
 * The exit code is that of the first step that fails, or 128 and the number of the signal that killed it.
 */
import { command, runCommand } from './command-line/command.ts'
import { runSteps, type Step } from './check/run-steps.ts'

const program = command('check', 'Check generated files, contract, types, lint, layers, dead code and format', [
  '--fresh',
])
  .option('--fresh', 'look at every file, also at those that have not changed')
  .action(async ({ fresh = false }: { fresh?: boolean }) => {
    process.exitCode = await runSteps(stepsOf(fresh), (line) => {
      console.log(`check: ${line}`)
    })
  })

await runCommand(program)

function stepsOf(fresh: boolean): Step[] {
  /** Options for what a tool remembers, in a folder that no commit has. */
  const unlessFresh = (...options: string[]): string[] => (fresh ? [] : options)
  const cache = 'node_modules/.cache/check'
  const byContent = ['--cache-strategy', 'content']
  return [
    { name: 'generated files', command: ['tsx', 'scripts/generate.ts', '--check'] },
    { name: 'contract', command: ['tsx', 'scripts/contract-lint.ts'] },
    { name: 'types', command: ['tsc', ...unlessFresh('--incremental', '--tsBuildInfoFile', `${cache}/types.json`)] },
    {
      name: 'lint',
      command: ['eslint', '.', ...unlessFresh('--cache', '--cache-location', `${cache}/lint.json`, ...byContent)],
    },
    {
      name: 'layers',
      command: [
        ...(['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'generated', 'scripts'] as const),
        ...unlessFresh('--cache', `${cache}/layers`, ...byContent),
      ],
    },
    { name: 'dead code', command: ['knip', ...unlessFresh('--cache', '--cache-location', `${cache}/dead-code`)] },
    {
      name: 'format',
      command: [
        ...(['prettier', '--check', '.', '--log-level', 'warn'] as const),
        ...unlessFresh('--cache', '--cache-location', `${cache}/format.json`, ...byContent),
      ],
    },
  ]
}
