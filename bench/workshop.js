/*
 * node bench/workshop.js FILE ... [--rounds N] [--tools FOLDER]
 *
 * Compares the commands of the contract workshop with those that people have for the same: lint with Redocly and
 * Spectral, diff with oasdiff, a mock with Prism. In each round every command runs once on each contract, in changing
 * order. Prints the CPU time of a whole command, or of a mock until it answers, as medians; for the others also how
 * many times as much as ours within the rounds. A diff compares a contract with a copy of which one type is another.
 *
 * Redocly comes with the packages of the project. The others are looked for in `node_modules/.bin/` and `bin/` of FOLDER
 * and in the PATH, such as after
 *   npm install --prefix FOLDER @stoplight/spectral-cli @stoplight/prism-cli
 *   GOBIN=FOLDER/bin go install github.com/oasdiff/oasdiff@latest
 * What is not there is told, and left out. Needs `npm run build`, and bash.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { table } from './harness/markdown.js'
import { freePort, pause, temporaryFolder } from './harness/processes.js'
import { ratios, summary } from './harness/statistics.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const longestS = 60
const { values: options, positionals: files } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, tools: { type: 'string', default: '.' } },
  allowPositionals: true,
})
if (files.length === 0) throw new Error('Name the files of contracts.')
const folder = temporaryFolder()
const port = await freePort()
const env = {
  ...process.env,
  PORT: String(port),
  PATH: [
    join(root, 'node_modules/.bin'),
    ...['node_modules/.bin', 'bin'].map((name) => join(resolve(options.tools), name)),
    process.env.PATH,
  ].join(delimiter),
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  REDOCLY_TELEMETRY: 'off',
}
const rulesOfSpectral = join(folder, 'spectral.yaml')
writeFileSync(rulesOfSpectral, 'extends: spectral:oas\n')

const ours = [process.execPath, join(root, 'dist/scripts/animal-store.js'), 'contract']
/** What people compare; each with commands, of which ours is the first. */
const jobs = [
  {
    what: 'lint',
    commands: (file) => ({
      ours: [...ours, 'lint', file],
      redocly: ['redocly', 'lint', file],
      spectral: ['spectral', 'lint', '--ruleset', rulesOfSpectral, file],
    }),
    run: timed,
  },
  {
    what: 'diff',
    commands: (file) => ({
      ours: [...ours, 'diff', file, '--head', changed(file)],
      oasdiff: ['oasdiff', 'changelog', file, changed(file)],
    }),
    run: timed,
  },
  {
    what: 'mock until it answers',
    // PORT is for ours
    commands: (file) => ({ ours: [...ours, 'mock', file], prism: ['prism', 'mock', file, '--port', String(port)] }),
    run: timedMock,
  },
]

const isThere = (program) => spawnSync('bash', ['-c', 'command -v "$0"', program], { env }).status === 0
const rows = []
for (const file of files.map((name) => resolve(name))) {
  for (const { what, commands, run } of jobs) {
    const all = Object.entries(commands(file)).filter(([, [program]]) => isThere(program))
    const got = Object.fromEntries(all.map(([name]) => [name, []]))
    for (let round = 0; round < Number(options.rounds); round += 1) {
      for (const [name, command] of round % 2 === 0 ? all : all.toReversed())
        got[name].push({ cpuS: await run(command) })
    }
    for (const [name] of all) {
      const { median, q1, q3 } = ratios(got[name], got.ours).cpuS
      const cpuS = summary(got[name].map((one) => one.cpuS)).median.toFixed(2)
      const kB = (statSync(file).size / 1000).toFixed(0)
      rows.push([basename(file), kB, what, name, cpuS, `${median.toFixed(1)} (${q1.toFixed(1)}–${q3.toFixed(1)})`])
      console.error(rows.at(-1).join(' '))
    }
  }
}
console.log(table(['Contract', 'kB', 'What', 'Who', 'CPU, s', 'Times ours'], rows))
const missing = ['redocly', 'spectral', 'oasdiff', 'prism'].filter((program) => !isThere(program))
if (missing.length > 0) console.log(`Not found, and left out: ${missing.join(', ')}.`)

/** A copy of a contract of which the first integer in its second half is a text. */
function changed(file) {
  const text = readFileSync(file, 'utf8')
  const half = text.length >> 1
  const copy = join(folder, `changed-${basename(file)}`)
  writeFileSync(copy, text.slice(0, half) + text.slice(half).replace(/("?type"?: *)("?)integer\2/, '$1$2string$2'))
  return copy
}

/** The CPU time of a command with all its processes, in s. Whatever it finds in a contract, it must end by itself. */
async function timed(command) {
  const child = underTime(command)
  await child.ended
  return child.cpuS()
}

/** The CPU time of a mock until it answers its first request, in s. */
async function timedMock(command) {
  const child = underTime(command)
  const began = performance.now()
  const asked = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  while (!(await asked())) {
    if (performance.now() - began > 1000 * longestS)
      throw new Error(`${command.join(' ')} did not answer: ${child.told()}`)
    await pause(20)
  }
  child.stop()
  await child.ended
  return child.cpuS()
}

/** Runs a command, and tells the CPU time of it and of its children, as bash has it. */
function underTime(command) {
  // the command gets the signal, and bash waits for it
  const script = `trap 'kill -TERM $!' TERM; TIMEFORMAT='cpu %U %S'; time { "$@" & wait $!; wait; }`
  const child = spawn('bash', ['-c', script, 'time', ...command], { env, cwd: folder })
  let told = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (told = (told + chunk).slice(-10_000)))
  return {
    ended: new Promise((resolveEnd) => child.on('close', resolveEnd)),
    stop: () => child.kill('SIGTERM'),
    told: () => told,
    cpuS: () => {
      const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(told) ?? []
      if (user === undefined) throw new Error(`${command.join(' ')} did not end well: ${told}`)
      return Number(user) + Number(system)
    },
  }
}
